/** Lets at most so many inside at a time, in the order they came. */
export interface Turnstile {
  /** Resolves when there is room. */
  enter(): Promise<void>;
  leave(): void;
}

/** Makes a {@link Turnstile} with this many places. */
export function createTurnstile(places: number): Turnstile {
  const waiting: (() => void)[] = [];
  let free = places;
  return {
    async enter() {
      if (free > 0) {
        free -= 1;
        return;
      }
      await new Promise<void>((resolve) => waiting.push(resolve));
    },
    leave() {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    },
  };
}
