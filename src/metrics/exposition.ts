import { Counter, Registry, type Metric } from 'prom-client';
import type { Action } from '../../sdk/decisions.ts';
import type { Point } from '../../sdk/points.ts';
import type { RuntimeFacts } from './facts.ts';
import { registerGauges } from './gauges.ts';
import { Latency } from './latency.ts';
import type { HookCounts } from './hook-counts.ts';

/** The counters that an exposition reads when it is asked. */
export interface ExposedCounts {
  readonly hooks: () => readonly HookCounts[];
  readonly withoutHook: ReadonlyMap<Point, number>;
  readonly despiteFailure: ReadonlyMap<Point, number>;
  readonly verdicts: ReadonlyMap<Point, ReadonlyMap<Action, number>>;
  readonly shadow: () => readonly ShadowCount[];
  readonly facts: RuntimeFacts | undefined;
}

/** Runs of a hook in shadow mode that came to an action. */
export interface ShadowCount {
  readonly hook: string;
  readonly point: Point;
  readonly action: Action;
  readonly count: number;
}

/** The counters in the Prometheus text format. */
export interface Exposition {
  text(): Promise<string>;
}

/** Makes a registry of its own that is filled from the counters at every reading. */
export function createExposition({
  hooks,
  withoutHook,
  despiteFailure,
  verdicts,
  shadow,
  facts,
}: ExposedCounts): Exposition {
  const registry = new Registry();
  const counter = (name: string, help: string, read: () => Iterable<Sample>): void => {
    const labelNames = LABELS[name] ?? [];
    const metric = new Counter({ name, help, labelNames, registers: [registry] });
    // Assigned afterwards, because it refers to the metric.
    Object.assign(metric, {
      collect(): void {
        metric.reset();
        for (const { labels, value } of read()) metric.inc(labels, value);
      },
    });
  };
  counter('signalbox_hook_calls_total', 'Runs of a hook', function* () {
    for (const { hook, point, latency } of hooks())
      yield { labels: { hook, point }, value: latency.count };
  });
  counter(
    'signalbox_hook_decisions_total',
    'Runs of a hook by the action they came to',
    function* () {
      for (const { hook, point, decisions } of hooks()) {
        for (const [action, value] of Object.entries(decisions)) {
          if (value > 0) yield { labels: { hook, point, action }, value };
        }
      }
    },
  );
  counter('signalbox_hook_failures_total', 'Failed runs of a hook by code', function* () {
    for (const { hook, point, failures } of hooks()) {
      for (const [code, value] of failures) yield { labels: { hook, point, code }, value };
    }
  });
  counter('signalbox_passed_without_hook_total', 'Calls that no hook looked at', () =>
    byPoint(withoutHook),
  );
  counter(
    'signalbox_passed_despite_failure_total',
    'Calls that went on although a hook failed',
    () => byPoint(despiteFailure),
  );
  counter('signalbox_verdicts_total', 'Verdicts of chains by action', function* () {
    for (const [point, actions] of verdicts) {
      for (const [action, value] of actions) yield { labels: { point, action }, value };
    }
  });
  counter(
    'signalbox_shadow_decisions_total',
    'What hooks in shadow mode would have done, by action',
    function* () {
      for (const { hook, point, action, count } of shadow())
        yield { labels: { hook, point, action }, value: count };
    },
  );
  registerHistogram(registry, hooks);
  if (facts !== undefined) registerGauges(registry, facts);
  return { text: () => registry.metrics() };
}

interface Sample {
  readonly labels: Record<string, string>;
  readonly value: number;
}

/** Labels are names of hooks, points, actions and codes: bounded sets, never what a call carried. */
const LABELS: Readonly<Record<string, string[]>> = {
  signalbox_hook_calls_total: ['hook', 'point'],
  signalbox_hook_decisions_total: ['hook', 'point', 'action'],
  signalbox_hook_failures_total: ['hook', 'point', 'code'],
  signalbox_verdicts_total: ['point', 'action'],
  signalbox_shadow_decisions_total: ['hook', 'point', 'action'],
  signalbox_passed_without_hook_total: ['point'],
  signalbox_passed_despite_failure_total: ['point'],
};

function* byPoint(counts: ReadonlyMap<Point, number>): Iterable<Sample> {
  for (const [point, value] of counts) yield { labels: { point }, value };
}

const DURATION = 'signalbox_hook_duration_seconds';

/** prom-client's own histogram cannot be filled from counts, so the registry is given one that reads ours. */
function registerHistogram(registry: Registry, hooks: ExposedCounts['hooks']): void {
  const histogram = {
    name: DURATION,
    async get() {
      const values = hooks().flatMap((counts) => histogramSamples(counts));
      return {
        name: DURATION,
        help: 'Duration of a hook run',
        type: 'histogram',
        values,
        aggregator: 'sum',
      };
    },
    reset(): void {},
  };
  // The registry reads `name` and `get` alone; its type asks for the class.
  registry.registerMetric(histogram as unknown as Metric);
}

function histogramSamples({ hook, point, latency }: HookCounts) {
  const labels = { hook, point };
  const cumulative = latency.cumulative();
  const buckets = Latency.boundsMs.map((boundMs, index) => ({
    metricName: `${DURATION}_bucket`,
    labels: { le: Number((boundMs / 1000).toPrecision(3)), ...labels },
    value: cumulative[index] ?? 0,
  }));
  return [
    ...buckets,
    { metricName: `${DURATION}_bucket`, labels: { le: '+Inf', ...labels }, value: latency.count },
    { metricName: `${DURATION}_sum`, labels, value: latency.sumMs / 1000 },
    { metricName: `${DURATION}_count`, labels, value: latency.count },
  ];
}
