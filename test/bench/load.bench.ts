import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buildChildEntries } from '../../host/build.ts';
import { openHost } from '../../host/host.ts';
import { openNurseries } from '../../host/nurseries.ts';
import type { LiveRuntime } from '../../src/index.ts';
import { configFromObject } from '../../src/config/load-config.ts';
import { buildCatalog } from '../../src/packages/build-catalog.ts';
import { buildBare, startBare } from './bare-host.ts';
import { CALL, LOOK, writeFolder, type BenchFolder } from './bench-runtime.ts';
import { quantile } from './harness.ts';
import { report, type Row } from './report.ts';

// How long does it take to load packages, to open a whole runtime, and to go on after a sandbox was killed?
const ROUNDS = 5;
const PACKAGES = 20;

/** Finds, bundles and loads the packages of a folder in a host of their own. */
async function loadAll(bench: BenchFolder, isCold: boolean): Promise<number> {
  const config = configFromObject(bench.config, bench.folder);
  const entries = await buildChildEntries(join(bench.folder, '.signalbox'));
  if (isCold) await rm(config.cacheFolder, { recursive: true, force: true });
  const startedAt = performance.now();
  const nurseries = openNurseries(entries);
  // As a runtime does: a process comes up while its package is looked for.
  nurseries.isolate.expect(1);
  const host = openHost({ limits: config.limits, nurseries });
  try {
    const { hooks } = await buildCatalog(config);
    const loads = await Promise.all(hooks.map(({ source }) => host.load(source)));
    for (const load of loads) if (!load.ok) throw new Error(`${load.code}: ${load.detail}`);
    return performance.now() - startedAt;
  } finally {
    await host.close();
  }
}

async function openOnce(bench: BenchFolder): Promise<number> {
  const startedAt = performance.now();
  const runtime = await bench.open();
  const takenMs = performance.now() - startedAt;
  await runtime.close();
  return takenMs;
}

async function startBareOnce(entry: string): Promise<number> {
  const startedAt = performance.now();
  const bare = await startBare(entry);
  const takenMs = performance.now() - startedAt;
  bare.stop();
  return takenMs;
}

/** As many bare children as packages, three at a time as the real ones. */
async function startBares(entry: string): Promise<number> {
  const startedAt = performance.now();
  let at = 0;
  const starter = async (): Promise<void> => {
    while ((at += 1) <= PACKAGES) (await startBare(entry, at)).stop();
  };
  await Promise.all([starter(), starter(), starter()]);
  return performance.now() - startedAt;
}

/** From the moment that a stuck process is gone until another session has its decision. */
async function afterKill(runtime: LiveRuntime, round: number): Promise<number> {
  // The spare that the last round took is made up for meanwhile.
  await pause(1500);
  const [stuck] = runtime.processes();
  const spin = { ...CALL, args: { command: 'spin' } };
  await runtime.fire('preToolUse', spin, { sessionId: `stuck-${round}` });
  while (runtime.processes().some(({ pid }) => pid === stuck?.pid)) await pause(1);
  const startedAt = performance.now();
  const verdict = await runtime.fire('preToolUse', CALL, { sessionId: `next-${round}` });
  if (verdict.action !== 'allow')
    throw new Error(`The innocent call was not decided: ${JSON.stringify(verdict)}`);
  return performance.now() - startedAt;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

const one = await writeFolder([{ name: 'look' }]);
const many = await writeFolder(Array.from({ length: PACKAGES }, (_, at) => ({ name: `p${at}` })));
const spinner = await writeFolder([
  {
    name: 'spinner',
    timeoutMs: 1000,
    module: LOOK.replace('=>', "=> { while (payload.args.command === 'spin'); return (").replace(
      ';\n',
      '); };\n',
    ),
  },
]);
try {
  const entry = await buildBare(one.folder);
  const taken: Record<'cold' | 'cached' | 'many' | 'bare' | 'bares' | 'open', number[]> = {
    cold: [],
    cached: [],
    many: [],
    bare: [],
    bares: [],
    open: [],
  };
  await loadAll(many, false);
  await openOnce(one);
  for (let round = 0; round < ROUNDS; round += 1) {
    taken.bare.push(await startBareOnce(entry));
    taken.bares.push(await startBares(entry));
    taken.cold.push(await loadAll(one, true));
    taken.cached.push(await loadAll(one, false));
    taken.open.push(await openOnce(one));
    taken.many.push(await loadAll(many, false));
  }
  const runtime = await spinner.open();
  const next: number[] = [];
  try {
    for (let round = 0; round < ROUNDS; round += 1) next.push(await afterKill(runtime, round));
  } finally {
    await runtime.close();
  }
  const bare = quantile(taken.bare, 0.5);
  const row = (measured: string, values: readonly number[], most?: number): Row => ({
    measured,
    value: quantile(values, 0.5),
    unit: 'ms',
    baseline: 'start of a bare child',
    baselineValue: bare,
    ratio: quantile(values, 0.5) / bare,
    ...(most !== undefined && { goal: { of: 'value', most } as const }),
  });
  report([
    row('load of one package, cold', taken.cold, 150),
    row('load of one package, from the cache', taken.cached, 110),
    {
      ...row(`load of ${PACKAGES} packages, from the cache`, taken.many, 1200),
      baseline: `start of ${PACKAGES} bare children`,
      baselineValue: quantile(taken.bares, 0.5),
      ratio: quantile(taken.many, 0.5) / quantile(taken.bares, 0.5),
    },
    row('open a runtime with one package', taken.open),
    {
      measured: 'next innocent call after a kill, spare warm',
      value: quantile(next, 0.5),
      p99: quantile(next, 0.99),
      unit: 'ms',
      goal: { of: 'value', most: 10 },
    },
  ]);
} finally {
  for (const bench of [one, many, spinner]) await bench.remove();
}
