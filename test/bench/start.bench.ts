import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { quantile } from './harness.ts';
import { report, type Row } from './report.ts';

// How long does a person wait for the first decision of `npm start`, and for a hundred recorded conversations?
const root = fileURLToPath(new URL('../..', import.meta.url));
const recording = join(root, '../shared/data/airline/conversations.jsonl');
const ROUNDS = 5;

/** Runs a program in the checkout; the time until it first writes to stdout, and until it ends. */
async function run(
  command: string,
  args: readonly string[],
): Promise<{ readonly firstMs: number; readonly endMs: number }> {
  const startedAt = performance.now();
  let firstMs = NaN;
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] });
  child.stdout.once('data', () => (firstMs = performance.now() - startedAt));
  child.stdout.resume();
  await once(child, 'close');
  return { firstMs, endMs: performance.now() - startedAt };
}

const taken: Record<'start' | 'empty' | 'airline', number[]> = {
  start: [],
  empty: [],
  airline: [],
};
// With --json, the first line on stdout is the first decision.
const start = ['--silent', 'start', '--', '--no-serve', '--json'];
await run('npm', start);
for (let round = 0; round < ROUNDS; round += 1) {
  taken.empty.push((await run(process.execPath, ['-e', ''])).endMs);
  taken.start.push((await run('npm', start)).firstMs);
  if (existsSync(recording) && round < 3) {
    taken.airline.push(
      (await run(process.execPath, ['scripts/signalbox.mjs', 'replay', recording])).endMs,
    );
  }
}
const empty = quantile(taken.empty, 0.5);
const row = (measured: string, values: readonly number[], most: number): Row => ({
  measured,
  value: quantile(values, 0.5),
  unit: 'ms',
  baseline: 'node that does nothing',
  baselineValue: empty,
  ratio: quantile(values, 0.5) / empty,
  goal: { of: 'value', most },
});
report([
  row('npm start, until the first decision', taken.start, 2000),
  ...(taken.airline.length > 0
    ? [row('replay of 100 conversations of an airline', taken.airline, 3000)]
    : []),
]);
