import type { Exit } from '../child.ts';
import type { Activity, Ending } from './activity.ts';

/** What is known of a process that is gone. */
export interface Loss {
  readonly exit: Exit;
  /** Whose code ran. */
  readonly running: Activity | undefined;
  /** It was killed for the memory that it held. */
  readonly isMemoryKill: boolean;
}

/**
 * How each activity of a lost process ended: the one whose code ran is the culprit, and what had not begun did not run.
 * The youngest come first, as each goes to the front of the queue.
 */
export function endingsOf(
  lost: readonly Activity[],
  { exit, running, isMemoryKill }: Loss,
): (readonly [Activity, Ending])[] {
  const culprit = running ?? (lost.length === 1 && exit !== 'killed' ? lost[0] : undefined);
  return lost.toReversed().map((activity) => {
    if (activity.startedAt === Infinity) return [activity, { by: 'withdrawn' }];
    const role = activity === culprit ? 'culprit' : 'bystander';
    return [activity, { by: 'loss', role, isMemory: isMemoryKill && role === 'culprit' }];
  });
}
