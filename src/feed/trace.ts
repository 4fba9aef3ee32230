import type { ObservedFire, ObservedRun } from '../fire/observer.ts';

/** A fire as operators see it: what each hook did, never what it saw. */
export interface FireTrace extends Omit<ObservedFire, 'startTime' | 'traceparent'> {
  /** ISO 8601 in UTC. */
  readonly time: string;
  /** What hooks in shadow mode would have done; they run after the verdict. */
  readonly shadow: readonly ObservedRun[];
}

/** A fire that is kept. */
export interface KeptFire {
  readonly fire: ObservedFire;
  readonly shadow: ObservedRun[];
}

/** The trace of a kept fire. */
export function traceOf({ fire, shadow }: KeptFire): FireTrace {
  const { startTime, traceparent: _, ...kept } = fire;
  return { ...kept, time: new Date(startTime).toISOString(), shadow: [...shadow] };
}

/** Whether a trace is of hooks that all let the call pass as it was. */
export function isPlain({ action, hooks, shadow }: FireTrace): boolean {
  return (
    action === 'allow' && [...hooks, ...shadow].every((run) => run.action === 'allow' && !run.code)
  );
}
