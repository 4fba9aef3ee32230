import { writeFile } from 'node:fs/promises';
import { CALL, writeFolder, type BenchHook } from './bench-runtime.ts';
import { quantile } from './harness.ts';
import { plotOf } from './plot.ts';
import { report, type Row } from './report.ts';

// Does the cost grow in step with calls, hooks and sessions?
const STEPS = [1, 10, 100] as const;
const ROUNDS = 5;

type Step = (typeof STEPS)[number];
type Measure = (step: Step) => Promise<void>;

const hooks = STEPS.flatMap((step) =>
  Array.from({ length: step }, (_, at): BenchHook => ({
    name: `h${step}-${at}`,
    home: `home-${step}-${at % 10}`,
    when: { sessions: [`hooks-${step}`] },
  })),
);
const bench = await writeFolder([...hooks, { name: 'all', points: ['preInput'] }]);
// Every session keeps its isolate: what is past the limit is loaded anew for each call, which is another question.
const runtime = await bench.open({ maxIsolates: 128 });
const input = { text: 'hello' };

/** What grows, and how much of it is done in one go so that the clock can see it. */
const measures: Readonly<Record<'calls' | 'hooks' | 'sessions', Measure>> = {
  async calls(step) {
    for (let at = 0; at < 20 * step; at += 1)
      await runtime.fire('preInput', input, { sessionId: 's' });
  },
  async hooks(step) {
    for (let at = 0; at < 8; at += 1)
      await runtime.fire('preToolUse', CALL, { sessionId: `hooks-${step}` });
  },
  async sessions(step) {
    for (let at = 0; at < 20 * step; at += 1)
      await runtime.fire('preInput', input, { sessionId: `s${at % step}` });
  },
};

try {
  const rows: Row[] = [];
  const lines: { readonly name: string; readonly values: readonly number[] }[] = [];
  for (const [name, measure] of Object.entries(measures)) {
    const taken = new Map<Step, number[]>(STEPS.map((step) => [step, []]));
    for (let at = 0; at < 3; at += 1) for (const step of STEPS) await measure(step);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const step of STEPS) {
        const startedAt = performance.now();
        await measure(step);
        taken.get(step)?.push(performance.now() - startedAt);
      }
    }
    const values = STEPS.map((step) => quantile(taken.get(step) ?? [], 0.5));
    const [one = NaN, , most = NaN] = values;
    lines.push({ name, values: values.map((value) => value / one) });
    rows.push({
      measured: `100 times the ${name}, for each`,
      value: (most / 100) * 1000,
      unit: 'µs',
      baseline: `1 times the ${name}`,
      baselineValue: one * 1000,
      ratio: most / 100 / one,
      goal: { of: 'ratio', most: 1.2 },
    });
  }
  await writeFile(new URL('growth.svg', import.meta.url), plotOf(STEPS, lines));
  report(rows);
} finally {
  await runtime.close();
  await bench.remove();
}
