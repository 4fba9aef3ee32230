import { readFileSync } from 'node:fs';
import type { Activity } from './activity.ts';

/** Code that has run for this long may be stuck: what waits behind it may go to another process. */
export const PATIENCE_MS = 10;
/** Code that has run for this long is stuck, whatever it did meanwhile. */
const MOST_PATIENCE_MS = 300;
/** Processor time since the first look that tells code that is busy from code that waits for a processor. */
const BUSY_MS = 5;

/**
 * Whose code runs in an isolate process right now. A segment starts with a run, a load or the delivery of an answer and
 * ends when the child says so; there is at most one at a time, so a stuck process has exactly one culprit.
 */
export class Segment {
  readonly #pid: number;
  #activity: Activity | undefined;
  #since = 0;
  #look: { readonly at: number; readonly processorMs: number } | undefined;
  #isBusy = false;

  constructor(pid: number) {
    this.#pid = pid;
  }

  get activity(): Activity | undefined {
    return this.#activity;
  }

  /** How long the code has been running, in milliseconds; 0 when none does. */
  get busyMs(): number {
    return this.#activity === undefined ? 0 : performance.now() - this.#since;
  }

  /** The code that runs belongs to an activity whose caller has its answer. */
  get isStuck(): boolean {
    return this.#activity?.isOver === true;
  }

  /**
   * The code has been running for so long that what waits behind it is better off in another process. Code that merely
   * waits for a processor is not: on a machine that has too much to do, more processes would make it slower.
   */
  get isSlow(): boolean {
    const { busyMs } = this;
    if (busyMs < PATIENCE_MS) return false;
    if (busyMs >= MOST_PATIENCE_MS) return true;
    const now = performance.now();
    if (this.#look !== undefined && now - this.#look.at < PATIENCE_MS / 2) return this.#isBusy;
    const processorMs = processorTimeMs(this.#pid);
    const first = this.#look?.processorMs ?? processorMs;
    this.#isBusy = processorMs - first >= BUSY_MS;
    this.#look = { at: now, processorMs: first };
    return this.#isBusy;
  }

  enter(activity: Activity): void {
    this.#activity = activity;
    this.#since = performance.now();
    this.#look = undefined;
    this.#isBusy = false;
  }

  leave(): void {
    this.#activity = undefined;
  }

  /** Whether the segment belongs to the activity with this id. */
  isOf(id: number): boolean {
    return this.#activity !== undefined && this.#activity.id === id;
  }
}

/** Time that the main thread of a process has had a processor; where that is not told, the time of the clock. */
function processorTimeMs(pid: number): number {
  try {
    const [runNs] = readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ');
    return Number(runNs) / 1e6;
  } catch {
    return performance.now();
  }
}
