import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { quantile } from './harness.ts';
import { report, type Row } from './report.ts';

// How long does a person wait for the first decision of `npm start`, and for a hundred recorded conversations?
const root = fileURLToPath(new URL('../..', import.meta.url));
const data = join(root, '../shared/data/airline');
const recording = join(data, 'conversations.jsonl');
const ROUNDS = 5;
const FEW = 3;
const exec = promisify(execFile);

interface Times {
  readonly firstMs: number;
  readonly endMs: number;
}

/** Runs a program; the time until it writes a decision to stdout as a row of JSON, and until it ends. */
async function run(cwd: string, command: string, args: readonly string[]): Promise<Times> {
  const startedAt = performance.now();
  let firstMs = NaN;
  let said = '';
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  createInterface(child.stdout).on('line', (line) => {
    if (Number.isNaN(firstMs) && IS_DECISION.test(line)) firstMs = performance.now() - startedAt;
  });
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}: ${said}`);
  return { firstMs, endMs: performance.now() - startedAt };
}

// With --json, the line after the list of hooks is the first decision.
const IS_DECISION = /^\{"conversation":/;
const START = ['--silent', 'start', '--', '--no-serve', '--json'];
const SIGNALBOX = join(root, 'scripts/signalbox.mjs');
const folder = await mkdtemp(join(tmpdir(), 'signalbox-bench-'));

/** A clone with what is installed, which has never been started: no code of it has been bundled or compiled. */
async function openClone(): Promise<string> {
  const clone = join(folder, 'clone');
  await exec('git', ['clone', '--quiet', root, clone]);
  await exec('cp', ['-al', join(root, 'node_modules'), clone]);
  return clone;
}

/** A folder whose one package is the airline's policy, with the airline's data in its store. */
async function openAirline(): Promise<string> {
  const policy = {
    package: join(root, 'test/fixtures/packages/airline-policy'),
    grants: ['store:read', 'reads_tool_io', 'gates_tools'],
  };
  await writeFile(join(folder, 'runtime.json'), JSON.stringify({ packages: [policy] }));
  for (const name of ['users', 'reservations', 'flights']) {
    const rows = join(data, `db/${name}.jsonl`);
    await run(folder, process.execPath, [SIGNALBOX, 'store', 'load', name, rows]);
  }
  return folder;
}

const taken: Record<'empty' | 'start' | 'first' | 'policy' | 'own', number[]> = {
  empty: [],
  start: [],
  first: [],
  policy: [],
  own: [],
};
try {
  const clone = await openClone();
  const airline = existsSync(recording) ? await openAirline() : undefined;
  await run(root, 'npm', START);
  for (let round = 0; round < ROUNDS; round += 1) {
    taken.empty.push((await run(root, process.execPath, ['-e', ''])).endMs);
    taken.start.push((await run(root, 'npm', START)).firstMs);
    for (const kept of ['.signalbox', 'node_modules/.cache']) {
      await rm(join(clone, kept), { recursive: true, force: true });
    }
    taken.first.push((await run(clone, 'npm', START)).firstMs);
    if (airline === undefined || round >= FEW) continue;
    const replay = [SIGNALBOX, 'replay', recording];
    taken.policy.push((await run(airline, process.execPath, replay)).endMs);
    taken.own.push((await run(root, process.execPath, replay)).endMs);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
const empty = quantile(taken.empty, 0.5);
const row = (measured: string, values: readonly number[], most?: number): Row[] => {
  if (values.length === 0) return [];
  const value = quantile(values, 0.5);
  const against = { baseline: 'node that does nothing', baselineValue: empty };
  const goal = most === undefined ? {} : { goal: { of: 'value', most } as const };
  return [{ measured, value, unit: 'ms', ...against, ratio: value / empty, ...goal }];
};
report([
  ...row('npm start, until the first decision', taken.start, 2000),
  ...row('the same, the first time after a clone', taken.first, 2000),
  ...row(
    "replay of 100 conversations of an airline, under the airline's policy",
    taken.policy,
    3000,
  ),
  ...row('the same, under the local hooks and the package of this checkout', taken.own),
]);
