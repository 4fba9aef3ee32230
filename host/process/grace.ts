/** The time that code has to end by itself once its caller has been answered. */
export class Grace {
  readonly #ms: number;
  readonly #isStuck: () => boolean;
  readonly #onSpent: () => void;
  #timer: NodeJS.Timeout | undefined;

  /** `onSpent` is called when something is stuck still after `ms`. */
  constructor(ms: number, isStuck: () => boolean, onSpent: () => void) {
    this.#ms = ms;
    this.#isStuck = isStuck;
    this.#onSpent = onSpent;
  }

  /** Begins where something is stuck and none runs yet. */
  start(ms = this.#ms): void {
    if (this.#timer !== undefined || !this.#isStuck()) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#isStuck()) this.#onSpent();
    }, ms);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
