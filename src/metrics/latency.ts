/** Upper bounds of the buckets in milliseconds: 1, 1.5, 2, 3, 5 and 7 of each decade from 10 µs to 100 s. */
const BOUNDS_MS: readonly number[] = [0.01, 0.1, 1, 10, 100, 1000, 10_000]
  .flatMap((decade) => [1, 1.5, 2, 3, 5, 7].map((step) => Number((decade * step).toPrecision(2))))
  .concat(100_000);

/** Durations counted in buckets. Quantiles are exact to the width of a bucket. */
export class Latency {
  static readonly boundsMs = BOUNDS_MS;
  readonly #counts = new Float64Array(BOUNDS_MS.length + 1);
  #sumMs = 0;
  #count = 0;

  get count(): number {
    return this.#count;
  }

  get sumMs(): number {
    return this.#sumMs;
  }

  /** Counts one duration; what is no number of milliseconds counts as 0. */
  add(ms: number): void {
    const duration = ms > 0 ? ms : 0;
    let low = 0;
    let high = BOUNDS_MS.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (duration <= (BOUNDS_MS[middle] ?? Infinity)) high = middle;
      else low = middle + 1;
    }
    this.#counts[low] = (this.#counts[low] ?? 0) + 1;
    this.#sumMs += duration;
    this.#count += 1;
  }

  /** Counts everything that another one counted. */
  addAll(other: Latency): void {
    for (const [index, count] of other.#counts.entries()) {
      this.#counts[index] = (this.#counts[index] ?? 0) + count;
    }
    this.#sumMs += other.#sumMs;
    this.#count += other.#count;
  }

  /** How many durations each bucket holds; the last one is above all bounds. */
  counts(): number[] {
    return [...this.#counts];
  }

  /** How many durations were at most each bound. */
  cumulative(): number[] {
    let sum = 0;
    return BOUNDS_MS.map((_, index) => (sum += this.#counts[index] ?? 0));
  }

  /** The duration in milliseconds that a share of all did not pass, interpolated within its bucket; 0 without any. */
  quantileMs(share: number): number {
    const rank = share * this.#count;
    let before = 0;
    for (const [index, count] of this.#counts.entries()) {
      if (count > 0 && before + count >= rank) {
        const low = BOUNDS_MS[index - 1] ?? 0;
        const high = BOUNDS_MS[index] ?? low;
        return low + (high - low) * ((rank - before) / count);
      }
      before += count;
    }
    return 0;
  }
}
