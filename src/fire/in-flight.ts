/** Counts what is running, so that closing can wait for it. */
export interface InFlight {
  enter(): void;
  leave(): void;
  /** Resolves when nothing runs. */
  idle(): Promise<void>;
}

/** Nothing in flight yet. */
export function createInFlight(): InFlight {
  let running = 0;
  let waiting: (() => void)[] = [];
  return {
    enter() {
      running += 1;
    },
    leave() {
      running -= 1;
      if (running > 0 || waiting.length === 0) return;
      for (const resolve of waiting) resolve();
      waiting = [];
    },
    idle: () =>
      running === 0 ? Promise.resolve() : new Promise((resolve) => void waiting.push(resolve)),
  };
}
