import { ACTION_NAMES, type Action } from '../../sdk/decisions.ts';
import type { FailureCode } from '../../sdk/errors.ts';
import type { Point } from '../../sdk/points.ts';
import type { FireObserver } from '../fire/observer.ts';
import type { Exposition, ShadowCount } from './exposition.ts';
import type { RuntimeFacts } from './facts.ts';
import type { HookCounts } from './hook-counts.ts';
import { Latency } from './latency.ts';

/** One run of a hook. */
export interface Observation {
  readonly hook: string;
  readonly point: Point;
  /** What it came to; for a failure, what the failPolicy made of it. */
  readonly action: Action;
  readonly code?: FailureCode | undefined;
  readonly ms: number;
}

/** The numbers of one hook at one point. */
export interface HookNumbers {
  readonly hook: string;
  readonly point: Point;
  readonly calls: number;
  readonly decisions: Readonly<Partial<Record<Action, number>>>;
  readonly failures: Readonly<Partial<Record<FailureCode, number>>>;
  readonly totalMs: number;
  readonly lastFailure?: FailureCode;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** All numbers at one moment. */
export interface MetricsSnapshot {
  readonly hooks: readonly HookNumbers[];
  /** Calls that no hook looked at, by point. */
  readonly passedWithoutHook: Readonly<Partial<Record<Point, number>>>;
  /** Calls that went on although a hook failed, by point. */
  readonly passedDespiteFailure: Readonly<Partial<Record<Point, number>>>;
}

/** The metrics of one runtime. Counting takes about a microsecond and never fails. */
export interface Metrics {
  observe(run: Observation): void;
  passedWithoutHook(point: Point): void;
  passedDespiteFailure(point: Point): void;
  /** Counts verdicts and runs in shadow mode; to be added to the observers of a runtime. */
  readonly observer: FireObserver;
  /** The Prometheus text format. */
  text(): Promise<string>;
  readonly contentType: string;
  snapshot(): MetricsSnapshot;
}

/** Hooks that have labels of their own; past it they share one, so that names cannot fill the memory. */
const MAX_HOOKS = 1000;

/** The label of the hooks past the bound. */
const OTHER_HOOKS = 'other';

/** Of the Prometheus text format; source: its exposition formats. */
const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Opens the metrics of one runtime: its own counters and its own registry. Without facts, what is counted is all. */
export function openMetrics(facts?: RuntimeFacts): Metrics {
  // Plain counters: prom-client hashes its labels at every observation, and this is on the path of every call.
  const hooks = new Map<string, Map<Point, HookCounts>>();
  const withoutHook = new Map<Point, number>();
  const despiteFailure = new Map<Point, number>();
  const all = (): HookCounts[] => [...hooks.values()].flatMap((points) => [...points.values()]);
  const verdicts = new Map<Point, Map<Action, number>>();
  const shadow = new Map<string, Map<Point, Map<Action, number>>>();
  const shadowCounts = (): ShadowCount[] =>
    [...shadow].flatMap(([hook, points]) =>
      [...points].flatMap(([point, actions]) =>
        [...actions].map(([action, count]) => ({ hook, point, action, count })),
      ),
    );
  let exposition: Promise<Exposition> | undefined;
  // Not at the start: most runtimes are never asked, and no decision waits for the library.
  const open = async (): Promise<Exposition> => {
    const { createExposition } = await import('./exposition.ts');
    const counts = { hooks: all, withoutHook, despiteFailure, verdicts, shadow: shadowCounts };
    return createExposition({ ...counts, facts });
  };
  return {
    observe({ hook, point, action, code, ms }) {
      const counts = countsOf(hooks, hook, point);
      counts.decisions[action] += 1;
      if (code !== undefined) {
        increment(counts.failures, code);
        counts.lastFailure = code;
      }
      counts.latency.add(ms);
    },
    passedWithoutHook: (point) => increment(withoutHook, point),
    passedDespiteFailure: (point) => increment(despiteFailure, point),
    observer: {
      onVerdict: ({ point, action }) => increment(entryOf(verdicts, point), action),
      onShadow({ point }, { hook, action }) {
        const name = shadow.has(hook) || shadow.size < MAX_HOOKS ? hook : OTHER_HOOKS;
        increment(entryOf(entryOf(shadow, name), point), action);
      },
    },
    text: async () => (await (exposition ??= open())).text(),
    contentType: CONTENT_TYPE,
    snapshot: () => ({
      hooks: all().map(numbersOf),
      passedWithoutHook: Object.fromEntries(withoutHook),
      passedDespiteFailure: Object.fromEntries(despiteFailure),
    }),
  };
}

function countsOf(
  hooks: Map<string, Map<Point, HookCounts>>,
  name: string,
  point: Point,
): HookCounts {
  const hook = hooks.has(name) || hooks.size < MAX_HOOKS ? name : OTHER_HOOKS;
  const points = entryOf(hooks, hook);
  let counts = points.get(point);
  if (counts === undefined) {
    const decisions = Object.fromEntries(ACTION_NAMES.map((action) => [action, 0]));
    counts = {
      hook,
      point,
      // Every action is a key, as ACTION_NAMES has them all.
      decisions: decisions as Record<Action, number>,
      failures: new Map(),
      lastFailure: undefined,
      latency: new Latency(),
    };
    points.set(point, counts);
  }
  return counts;
}

/** The map under a key, made when it is missing. */
function entryOf<K, Inner, Value>(maps: Map<K, Map<Inner, Value>>, key: K): Map<Inner, Value> {
  let inner = maps.get(key);
  if (inner === undefined) maps.set(key, (inner = new Map()));
  return inner;
}

function increment<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function numbersOf(counts: HookCounts): HookNumbers {
  const { hook, point, decisions, failures, lastFailure, latency } = counts;
  return {
    hook,
    point,
    calls: latency.count,
    decisions: Object.fromEntries(Object.entries(decisions).filter(([, count]) => count > 0)),
    failures: Object.fromEntries(failures),
    totalMs: latency.sumMs,
    ...(lastFailure !== undefined && { lastFailure }),
    p50Ms: latency.quantileMs(0.5),
    p99Ms: latency.quantileMs(0.99),
  };
}
