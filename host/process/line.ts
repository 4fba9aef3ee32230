import type { Ending, Errand } from './activity.ts';
import type { SandboxProcess } from './sandbox-process.ts';
import type { Task } from '../task.ts';

/** Longest input that is sent ahead, in characters: more of them would wait in the child for nothing. */
const MAX_INPUT_CHARS = 65_536;

/** The runs that may follow a task's own: their hooks are loaded in the process for the session, and idle. */
export function lineIn(process: SandboxProcess, { sessionId, following = [] }: Task): Errand[] {
  const line: Errand[] = [];
  for (const follower of following) {
    const { source, work, capMs, signal, onDone } = follower;
    const place = process.places.find(source.name, sessionId);
    const isSmall = work.kind === 'run' && work.input.length <= MAX_INPUT_CHARS;
    // Hooks run in their order: after one that has to wait, none goes ahead.
    if (place?.isLoaded !== true || !isSmall) break;
    place.sessionId = sessionId;
    follower.isSent = true;
    line.push({
      place,
      work,
      capMs,
      signal,
      onEnd: (ending, activity) =>
        onDone(hasRun(ending) ? { type: 'ended', ending, activity } : undefined),
    });
  }
  return line;
}

/** A bystander is run again, by itself. */
function hasRun(ending: Ending): boolean {
  return ending.by !== 'withdrawn' && !(ending.by === 'loss' && ending.role === 'bystander');
}
