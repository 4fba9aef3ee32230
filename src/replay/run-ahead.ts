/** Something that runs, and what has come of it. */
export interface Ahead<T> {
  /** Settles when it has run to its end; rejects with its error. */
  readonly ended: Promise<void>;
  /** Everything that comes of it, in order; ends with its error, if it has one. */
  readonly items: AsyncGenerator<T>;
}

/** Runs a source to its end at its own pace, whether or not somebody reads what comes of it. */
export function runAhead<T>(source: AsyncIterable<T>): Ahead<T> {
  let waiting: T[] = [];
  let arrival = Promise.withResolvers<void>();
  let isRunning = true;
  const run = async (): Promise<void> => {
    try {
      for await (const item of source) {
        waiting.push(item);
        arrival.resolve();
      }
    } finally {
      isRunning = false;
      arrival.resolve();
    }
  };
  const ended = run();
  async function* read(): AsyncGenerator<T> {
    for (;;) {
      const arrived = waiting;
      waiting = [];
      yield* arrived;
      if (waiting.length > 0) continue;
      if (!isRunning) return ended;
      await arrival.promise;
      arrival = Promise.withResolvers();
    }
  }
  return { ended, items: read() };
}
