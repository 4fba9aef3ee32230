/** Something whose calls are timed: its own process may run them, so it gives back the times. */
export interface Subject {
  readonly name: string;
  /** Makes that many calls, one after the other, and gives the time of each in microseconds. */
  readonly sample: (calls: number) => Promise<readonly number[]>;
}

/** Times of a subject in microseconds. */
export interface Timing {
  readonly name: string;
  /** The median of the rounds' medians. */
  readonly p50: number;
  readonly p99: number;
  /** The median of each round, to be compared with that of another subject in the same round. */
  readonly rounds: readonly number[];
}

/** How much is measured. */
export interface Effort {
  readonly calls: number;
  /** 5, if absent; the first calls of all are made once before, untimed. */
  readonly rounds?: number;
  readonly warmUp?: number;
}

/** A subject of a function that is called in this process. */
export function timed(name: string, call: () => unknown): Subject {
  return {
    name,
    async sample(calls) {
      const times: number[] = [];
      for (let count = 0; count < calls; count += 1) {
        const startedAt = performance.now();
        await call();
        times.push((performance.now() - startedAt) * 1000);
      }
      return times;
    },
  };
}

/**
 * Measures subjects in turns, so that what else the machine does falls on all of them. Every round starts with another
 * one.
 */
export async function interleave(
  subjects: readonly Subject[],
  { calls, rounds = 5, warmUp = calls }: Effort,
): Promise<readonly Timing[]> {
  for (const subject of subjects) await subject.sample(warmUp);
  const samples = new Map(subjects.map((subject) => [subject, [] as (readonly number[])[]]));
  for (let round = 0; round < rounds; round += 1) {
    const start = round % subjects.length;
    for (const subject of [...subjects.slice(start), ...subjects.slice(0, start)]) {
      samples.get(subject)?.push(await subject.sample(calls));
    }
  }
  return [...samples].map(([{ name }, taken]) => {
    const medians = taken.map((times) => quantile(times, 0.5));
    const p99 = quantile(taken.flat(), 0.99);
    return { name, p50: quantile(medians, 0.5), p99, rounds: medians };
  });
}

/** Calls made in a second by so many callers together, each of which goes on to the next number after each call. */
export async function rateOf(
  { callers, forMs }: { readonly callers: number; readonly forMs: number },
  call: (at: number) => Promise<unknown>,
): Promise<number> {
  let count = 0;
  const startedAt = performance.now();
  const endsAt = startedAt + forMs;
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      for (let at = caller; performance.now() < endsAt; at += 1) {
        await call(at);
        count += 1;
      }
    }),
  );
  return (count / (performance.now() - startedAt)) * 1000;
}

/** How many times one takes as long as another: the median over the rounds, each compared with its like. */
export function ratioOf(subject: Timing, baseline: Timing): number {
  const ratios = subject.rounds.map((time, round) => time / (baseline.rounds[round] ?? NaN));
  return quantile(ratios, 0.5);
}

/** The value that a share of all does not pass. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}
