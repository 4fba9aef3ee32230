import { expect, test } from 'vitest';
import { Latency } from '../../src/metrics/latency.ts';
import { openMetrics } from '../../src/metrics/metrics.ts';

test('each hook has its calls, decisions, failures and durations by point', () => {
  const metrics = openMetrics();
  metrics.observe({ hook: 'a', point: 'preToolUse', action: 'allow', ms: 1 });
  metrics.observe({ hook: 'a', point: 'preToolUse', action: 'block', ms: 2 });
  metrics.observe({ hook: 'a', point: 'preToolUse', action: 'block', code: 'timeout', ms: 1500 });
  metrics.observe({ hook: 'b', point: 'preInput', action: 'allow', code: 'crash', ms: 5 });
  expect(metrics.snapshot().hooks).toMatchObject([
    {
      hook: 'a',
      point: 'preToolUse',
      calls: 3,
      decisions: { allow: 1, block: 2 },
      failures: { timeout: 1 },
    },
    { hook: 'b', point: 'preInput', calls: 1, decisions: { allow: 1 }, failures: { crash: 1 } },
  ]);
});

test('calls that passed with no hook, or in spite of a failure, are counted by point', () => {
  const metrics = openMetrics();
  metrics.passedWithoutHook('preInput');
  metrics.passedWithoutHook('preInput');
  metrics.passedDespiteFailure('preToolUse');
  expect(metrics.snapshot()).toEqual({
    hooks: [],
    passedWithoutHook: { preInput: 2 },
    passedDespiteFailure: { preToolUse: 1 },
  });
});

test('quantiles are right to the width of a bucket', () => {
  const latency = new Latency();
  for (let ms = 1; ms <= 1000; ms += 1) latency.add(ms);
  expect(latency.quantileMs(0.5)).toBeGreaterThan(490);
  expect(latency.quantileMs(0.5)).toBeLessThan(510);
  expect(latency.quantileMs(0.99)).toBeGreaterThan(980);
  expect(latency.quantileMs(0.99)).toBeLessThanOrEqual(1000);
  expect(new Latency().quantileMs(0.99)).toBe(0);
});

test.each([NaN, -1, Infinity, 1e9])('a duration of %d ms breaks no count', (ms) => {
  const latency = new Latency();
  latency.add(ms);
  expect(latency.count).toBe(1);
  expect(latency.quantileMs(0.5)).toBeGreaterThanOrEqual(0);
});

test('the text format has every number, with labels escaped', async () => {
  const metrics = openMetrics();
  metrics.observe({ hook: 'a"\n\\', point: 'preToolUse', action: 'block', code: 'thrown', ms: 20 });
  metrics.passedWithoutHook('event');
  const lines = (await metrics.text()).split('\n');
  const labels = 'hook="a\\"\\n\\\\",point="preToolUse"';
  expect(lines).toEqual(
    expect.arrayContaining([
      `signalbox_hook_calls_total{${labels}} 1`,
      `signalbox_hook_decisions_total{${labels},action="block"} 1`,
      `signalbox_hook_failures_total{${labels},code="thrown"} 1`,
      `signalbox_hook_duration_seconds_bucket{le="0.015",${labels}} 0`,
      `signalbox_hook_duration_seconds_bucket{le="0.02",${labels}} 1`,
      `signalbox_hook_duration_seconds_bucket{le="+Inf",${labels}} 1`,
      `signalbox_hook_duration_seconds_sum{${labels}} 0.02`,
      `signalbox_hook_duration_seconds_count{${labels}} 1`,
      'signalbox_passed_without_hook_total{point="event"} 1',
      '# TYPE signalbox_hook_duration_seconds histogram',
    ]),
  );
  expect(await metrics.text()).toBe(lines.join('\n'));
});

test('two runtimes count apart, and names of hooks cannot fill the memory', () => {
  const metrics = openMetrics();
  for (let index = 0; index < 3000; index += 1) {
    metrics.observe({ hook: `h${index}`, point: 'event', action: 'allow', ms: 1 });
  }
  const { hooks } = metrics.snapshot();
  expect(hooks).toHaveLength(1001);
  expect(hooks.at(-1)).toMatchObject({ hook: 'other', calls: 2000 });
  expect(openMetrics().snapshot().hooks).toEqual([]);
});
