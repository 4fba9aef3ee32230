/** Something that is over at a moment of `performance.now()`. */
export interface Due {
  readonly dueAt: number;
}

/** Node's timers count whole milliseconds and may fire within the last one. */
const SLACK_MS = 1;

/** What is told this much later than due was held up by the event loop, which may hold the end of it already. */
const HELD_UP_MS = 20;

/**
 * One timer for all that is pending: nearly everything ends long before it is due, and a timer for each would cost
 * more than the rest of a call's books. `pending` gives what has not ended. When the event loop itself was held up,
 * what has arrived meanwhile is read first; `onDue` may then be told of what has ended.
 */
export class Deadlines<T extends Due> {
  readonly #pending: () => Iterable<T>;
  readonly #onDue: (item: T) => void;
  #timer: NodeJS.Timeout | undefined;
  #firesAt = Infinity;

  constructor(pending: () => Iterable<T>, onDue: (item: T) => void) {
    this.#pending = pending;
    this.#onDue = onDue;
  }

  /** Takes note of an item that is pending from now on. */
  watch({ dueAt }: T): void {
    if (dueAt < this.#firesAt) this.#arm(dueAt);
  }

  /** Tells of nothing more until the next `watch`. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#firesAt = Infinity;
  }

  #arm(dueAt: number): void {
    clearTimeout(this.#timer);
    this.#firesAt = dueAt;
    this.#timer = setTimeout(() => this.#fire(), Math.max(1, Math.ceil(dueAt - performance.now())));
  }

  #fire(): void {
    this.#firesAt = Infinity;
    const until = performance.now() + SLACK_MS;
    const due: T[] = [];
    let next = Infinity;
    for (const item of this.#pending()) {
      if (item.dueAt <= until) due.push(item);
      else next = Math.min(next, item.dueAt);
    }
    if (next < Infinity) this.#arm(next);
    for (const item of due) {
      if (until - item.dueAt > HELD_UP_MS) setImmediate(() => this.#onDue(item));
      else this.#onDue(item);
    }
  }
}
