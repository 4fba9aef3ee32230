import { Latency } from '../metrics/latency.ts';

/** One minute of a hook. */
export interface HookMinute {
  /** When it began, ISO 8601 in UTC. */
  readonly time: string;
  readonly calls: number;
  readonly failures: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Runs by duration; the bounds are {@link Latency.boundsMs}, and the last count is of those above all. */
  readonly counts: readonly number[];
}

/** The last hour of a hook in one line. */
export interface HookHour {
  readonly calls: number;
  readonly failures: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** What each hook did in the last 60 minutes. */
export interface HookHistory {
  /** Counts a run that ended at a time in milliseconds since 1970. */
  add(
    hook: string,
    run: { readonly time: number; readonly ms: number; readonly isFailure: boolean },
  ): void;
  /** The minutes in which it ran, oldest first. */
  minutes(hook: string): readonly HookMinute[];
  hour(hook: string): HookHour;
  /** Since the start. */
  total(hook: string): Pick<HookHour, 'calls' | 'failures'>;
}

interface Minute {
  /** Minutes since 1970. */
  readonly number: number;
  failures: number;
  readonly latency: Latency;
}

const MINUTE_MS = 60_000;
const MINUTES = 60;

/** Hooks past it are not counted here, so that names cannot fill the memory. */
const MAX_HOOKS = 1000;

interface Kept {
  readonly minutes: (Minute | undefined)[];
  calls: number;
  failures: number;
}

/** Counts nothing yet. */
export function createHookHistory(now: () => number): HookHistory {
  const hooks = new Map<string, Kept>();

  function keptOf(hook: string): Kept | undefined {
    const kept = hooks.get(hook);
    if (kept !== undefined || hooks.size >= MAX_HOOKS) return kept;
    const fresh = { minutes: [], calls: 0, failures: 0 };
    hooks.set(hook, fresh);
    return fresh;
  }

  function recent(hook: string): Minute[] {
    const oldest = Math.floor(now() / MINUTE_MS) - MINUTES;
    return (hooks.get(hook)?.minutes ?? [])
      .filter((minute) => minute !== undefined)
      .filter(({ number }) => number > oldest)
      .sort((a, b) => a.number - b.number);
  }

  return {
    add(hook, { time, ms, isFailure }) {
      const kept = keptOf(hook);
      if (kept === undefined) return;
      const minute = minuteOf(kept, time);
      minute.latency.add(ms);
      kept.calls += 1;
      if (!isFailure) return;
      kept.failures += 1;
      minute.failures += 1;
    },
    minutes: (hook) =>
      recent(hook).map(({ number, failures, latency }) => ({
        time: new Date(number * MINUTE_MS).toISOString(),
        calls: latency.count,
        failures,
        ...quantiles(latency),
        counts: latency.counts(),
      })),
    hour(hook) {
      const whole = new Latency();
      let failures = 0;
      for (const minute of recent(hook)) {
        whole.addAll(minute.latency);
        failures += minute.failures;
      }
      return { calls: whole.count, failures, ...quantiles(whole) };
    },
    total(hook) {
      const { calls = 0, failures = 0 } = hooks.get(hook) ?? {};
      return { calls, failures };
    },
  };
}

function minuteOf({ minutes }: Kept, time: number): Minute {
  const number = Math.floor(time / MINUTE_MS);
  const slot = minutes[number % MINUTES];
  if (slot?.number === number) return slot;
  return (minutes[number % MINUTES] = { number, failures: 0, latency: new Latency() });
}

function quantiles(latency: Latency): Pick<HookHour, 'p50Ms' | 'p99Ms'> {
  return { p50Ms: latency.quantileMs(0.5), p99Ms: latency.quantileMs(0.99) };
}
