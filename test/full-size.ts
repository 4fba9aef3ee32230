import { spawnSync } from 'node:child_process';
import path from 'node:path';

// Runs the tests of a folder at full size: node test/full-size.ts storm|fuzz [vitest's own options]
const [folder = '', ...options] = process.argv.slice(2);
const SIZES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  fuzz: { SIGNALBOX_FUZZ_RUNS: '100000' },
  storm: { SIGNALBOX_STORM_CALLS: '20000' },
};
const sizes = SIZES[folder];
if (sizes === undefined) throw new Error(`There is no full size of "${folder}"`);
const vitest = path.resolve(import.meta.dirname, '../node_modules/vitest/vitest.mjs');
const { status } = spawnSync(
  process.execPath,
  [vitest, 'run', `test/${folder}/`, '--no-file-parallelism', ...options],
  { stdio: 'inherit', env: { ...sizes, ...process.env } },
);
process.exitCode = status ?? 1;
