/** The activities of a process that were cancelled and are not yet said to have stopped. */
export class Stopping {
  readonly #ids = new Set<number>();
  #lateMessages = 0;

  get size(): number {
    return this.#ids.size;
  }

  has(id: number): boolean {
    return this.#ids.has(id);
  }

  add(id: number): void {
    this.#ids.add(id);
  }

  /** What an honest child has said before it hears that an activity is cancelled; after too much of it, `false`. */
  mayGoOn(): boolean {
    this.#lateMessages += 1;
    return this.#lateMessages <= MAX_LATE_MESSAGES;
  }

  end(id: number): void {
    this.#ids.delete(id);
    this.#lateMessages = 0;
  }
}

/** Far above what code can say until it comes to its end. */
const MAX_LATE_MESSAGES = 4096;
