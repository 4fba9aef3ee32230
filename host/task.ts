import type { Activity, Ending, Work } from './process/activity.ts';
import type { HookSource } from './sandbox.ts';

/** A load or run that wants a process. */
export interface Task {
  readonly source: HookSource;
  readonly sessionId: string;
  readonly work: Work;
  readonly capMs: number;
  /** A load that is needless where a call has brought the hook up before it. */
  readonly isWarmUp?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Runs that are to follow in the same process and session, each if the one before it plainly lets pass. */
  readonly following?: readonly Follower[] | undefined;
  /** Called once. */
  readonly onDone: (done: TaskEnd) => void;
}

/** A run that is sent ahead where it can be. */
export interface Follower extends Pick<Task, 'source' | 'work' | 'capMs' | 'signal'> {
  /** Set when it is on its way. */
  isSent: boolean;
  /** Called once; with `undefined` when it did not run. */
  readonly onDone: (done: TaskEnd | undefined) => void;
}

/** How a task ended: in a process, before it came to one, because its hook would not load there, or was up already. */
export type TaskEnd =
  | { readonly type: 'ended'; readonly ending: Ending; readonly activity: Activity }
  | { readonly type: 'refused'; readonly by: Refusal }
  | { readonly type: 'not-loaded'; readonly ending: Ending }
  | { readonly type: 'up' };

/** Why a task never started. */
export type Refusal = 'queue' | 'full' | 'caller' | 'closed';

/** A task in the queue of its pool. */
export interface Queued {
  readonly task: Task;
  /** What is left of the cap when it runs a second time. */
  readonly capMs: number;
  readonly isSecond: boolean;
  /** It was sent ahead once and did not run: it starts in a free process alone. */
  readonly isDirect: boolean;
  /** When it came into the queue. */
  since: number;
  /** When it has waited long enough. */
  dueAt: number;
  unlisten: (() => void) | undefined;
}

/** A task that is yet to be queued. */
export function queuedOf(task: Task): Queued {
  return {
    task,
    capMs: task.capMs,
    isSecond: false,
    isDirect: false,
    since: 0,
    dueAt: Infinity,
    unlisten: undefined,
  };
}
