import { Child } from './child.ts';
import type { GuestCaches } from './guest-caches.ts';
import type { LaunchPlan } from './launch.ts';

/** What a nursery keeps. */
export interface NurseryOptions {
  readonly plans: readonly ((serial: number) => LaunchPlan)[];
  readonly buildHash: string;
  /** Of its children, where they have some. */
  readonly caches?: GuestCaches;
  /** Children kept warm beyond those asked for. */
  readonly spares: number;
}

/** A child that has not said it is ready after this long never will; a loaded machine may take a second. */
const START_MS = 10_000;
const MAX_BACKOFF_MS = 5000;
const STARTS_AT_ONCE = 3;
const LATER_MS = 100;

/**
 * Starts generic children ahead of need, so that the next call after a kill does not wait for a process. The first
 * plan that comes up is kept. Starts that fail are tried again with a growing pause.
 */
export class Nursery {
  readonly #options: NurseryOptions;
  readonly #warm: Child[] = [];
  readonly #wanting: ((child: Child) => void)[] = [];
  #expected = 0;
  #isOpening = false;
  #plan = 0;
  #hasPlan = false;
  #serial = 0;
  #starting = 0;
  #failures = 0;
  readonly #closing = new AbortController();
  #pause: NodeJS.Timeout | undefined;
  #later: NodeJS.Timeout | undefined;

  constructor(options: NurseryOptions) {
    this.#options = options;
  }

  /** Says how many are about to be asked for, so that they start now; what was started for nothing ends at 0. */
  expect(count: number): void {
    this.#expected = count;
    this.#isOpening = count > 0;
    if (count > 0) return this.fill();
    for (const child of this.#warm.slice(this.#options.spares)) child.kill();
    this.fillLater();
  }

  /** Hands over a child, now or when one is up; the taker owns it. Returns a function that takes the wish back. */
  take(use: (child: Child) => void): () => void {
    if (this.#expected > 0) this.#expected -= 1;
    const child = this.#nextWarm();
    if (child === undefined) {
      this.#wanting.push(use);
      this.fill();
    } else {
      use(child);
      this.fillLater();
    }
    return () => {
      const at = this.#wanting.indexOf(use);
      if (at >= 0) this.#wanting.splice(at, 1);
    };
  }

  /** Starts what is missing: what is asked for, and the spares. */
  fill(): void {
    if (this.#closing.signal.aborted || this.#pause !== undefined) return;
    // What is waited for comes before what may be of use some day.
    const spares = this.#isOpening ? 0 : this.#options.spares;
    const asked = this.#wanting.length + this.#expected + spares;
    const wanted = asked - this.#warm.length - this.#starting;
    // Until a plan has come up, one start shows whether it does.
    const room = (this.#hasPlan ? STARTS_AT_ONCE : 1) - this.#starting;
    for (let count = 0; count < Math.min(wanted, room); count += 1) this.#start();
  }

  /** Starting a process holds the host up for longer than the work that another was taken, or is gone, for. */
  fillLater(): void {
    this.#later ??= setTimeout(() => {
      this.#later = undefined;
      this.fill();
    }, LATER_MS).unref();
  }

  /** Live children that wait here. */
  get warm(): readonly Child[] {
    return this.#warm.filter((child) => child.isAlive);
  }

  /** Children that were started, those that did not come up included. */
  get started(): number {
    return this.#serial;
  }

  close(): void {
    this.#closing.abort();
    clearTimeout(this.#pause);
    clearTimeout(this.#later);
    this.#wanting.length = 0;
    for (const child of this.#warm) child.kill();
  }

  #nextWarm(): Child | undefined {
    for (let child = this.#warm.shift(); child !== undefined; child = this.#warm.shift()) {
      if (child.isAlive) return child;
    }
    return undefined;
  }

  #start(): void {
    const makePlan = this.#options.plans[this.#plan];
    if (makePlan === undefined) return;
    this.#starting += 1;
    this.#serial += 1;
    const { buildHash, caches } = this.#options;
    const { signal } = this.#closing;
    const bounds = {
      buildHash,
      startMs: START_MS,
      signal,
      onCaches: (made: string) => caches?.keep(made),
    };
    Child.start(makePlan(this.#serial), bounds).then(
      (child) => this.#onUp(child),
      (error: unknown) => this.#onFailed(error),
    );
  }

  #onUp(child: Child): void {
    this.#starting -= 1;
    this.#failures = 0;
    this.#hasPlan = true;
    if (this.#closing.signal.aborted) return child.kill();
    const use = this.#wanting.shift();
    if (use === undefined) {
      child.unref();
      child.listen({ onMessage: () => child.kill('garbage'), onExit: () => this.#onLost(child) });
      this.#warm.push(child);
    } else {
      use(child);
    }
    // A spare can wait until what was waited for is at work.
    if (this.#wanting.length + this.#expected > this.#starting) this.fill();
    else this.fillLater();
  }

  #onLost(child: Child): void {
    const at = this.#warm.indexOf(child);
    if (at >= 0) this.#warm.splice(at, 1);
    this.fillLater();
  }

  #onFailed(error: unknown): void {
    this.#starting -= 1;
    if (this.#closing.signal.aborted) return;
    const isLast = this.#plan === this.#options.plans.length - 1;
    // Only a way that does not work here is given up; a machine that is slow keeps the strictest one.
    const isEnded = error instanceof Error && error.name === 'Ended';
    // Nor is a layer given up for caches that a child died of.
    if (isEnded && !this.#hasPlan && this.#options.caches?.drop() === true) return this.fill();
    if (isEnded && !this.#hasPlan && !isLast) {
      this.#plan += 1;
      return this.fill();
    }
    this.#failures += 1;
    const pauseMs = Math.min(50 * 2 ** this.#failures, MAX_BACKOFF_MS);
    this.#pause ??= setTimeout(() => {
      this.#pause = undefined;
      this.fill();
    }, pauseMs);
  }
}
