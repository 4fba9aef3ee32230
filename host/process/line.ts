import type { Activity, Ending, Errand, Place } from './activity.ts';
import type { SandboxProcess } from './sandbox-process.ts';
import type { Task } from '../task.ts';

/** Longest input that is sent ahead, in characters: more of them would wait in the child for nothing. */
export const MAX_AHEAD_CHARS = 65_536;

/** The runs that may follow a task's own: their hooks are loaded in the process for the session, and idle. */
export function lineIn(
  process: SandboxProcess,
  first: Place,
  { sessionId, following = [] }: Task,
): Errand[] {
  const line: Errand[] = [];
  const taken = new Set([first]);
  for (const follower of following) {
    const { source, work, capMs, signal, onDone } = follower;
    const place = process.places.find(source.name, sessionId);
    const isSmall = work.kind === 'run' && work.input.length <= MAX_AHEAD_CHARS;
    // Hooks run in their order: after one that has to wait, none goes ahead.
    // Nor a second run in one place: handlers of one module take turns.
    if (place?.isLoaded !== true || !isSmall || taken.has(place)) break;
    taken.add(place);
    place.sessionId = sessionId;
    follower.isSent = true;
    line.push({
      place,
      work,
      capMs,
      signal,
      onEnd: (ending, activity) =>
        onDone(hasRun(ending, activity) ? { type: 'ended', ending, activity } : undefined),
    });
  }
  return line;
}

/** A bystander is run again, by itself, unless it did something that must not happen twice. */
export function hasRun(ending: Ending, { hasWritten }: Activity): boolean {
  if (ending.by === 'withdrawn') return false;
  return !(ending.by === 'loss' && ending.role === 'bystander') || hasWritten;
}
