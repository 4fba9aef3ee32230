import type { Activity } from './activity.ts';

/**
 * Whose code runs in an isolate process right now. A segment starts with a run, a load or the delivery of an answer and
 * ends when the child says so; there is at most one at a time, so a stuck process has exactly one culprit.
 */
export class Segment {
  #activity: Activity | undefined;
  #since = 0;

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

  enter(activity: Activity): void {
    this.#activity = activity;
    this.#since = performance.now();
  }

  leave(): void {
    this.#activity = undefined;
  }

  /** Whether the segment belongs to the activity with this id. */
  isOf(id: number): boolean {
    return this.#activity !== undefined && this.#activity.id === id;
  }
}
