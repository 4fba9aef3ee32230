import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openDatabase, type Database } from '../../src/sql/database.ts';
import { openUses } from '../../src/sql/uses.ts';
import { quantile } from './harness.ts';
import { report } from './report.ts';

// How long does an audit take over a million records and a year of uses of twenty packages?
const RECORDS = 1_000_000;
const PACKAGES = 20;
const DAYS = 365;
const CAPABILITIES = ['reads_tool_io', 'gates_tools', 'store:read', 'store:write'];
const GENEROUS = { deadlineMs: 600_000 };

const folder = await mkdtemp(join(tmpdir(), 'signalbox-audit-'));
try {
  await writePackages();
  const database = await openDatabase(join(folder, 'records.db'), GENEROUS);
  await fill(database);
  const scan = 'select package, hook, count(*) as n, max(time) as t from decisions group by 1, 2';
  const baselineValue = await medianOf(3, () =>
    timeOf(() => database.run({ sql: scan, parameters: [] }, GENEROUS)),
  );
  const uses = openUses(database);
  const readingMs = await medianOf(3, () => timeOf(() => uses.totals()));
  await database.close();
  // The first one bundles the packages into the cache.
  await runAudit();
  const value = await medianOf(3, () => timeOf(runAudit));
  report([
    { measured: 'reading what was used, of it', value: readingMs, unit: 'ms' },
    {
      measured: `signalbox audit over ${RECORDS.toLocaleString('en')} records, as a process of its own`,
      value,
      unit: 'ms',
      baseline: 'one query over the records that counts by hook',
      baselineValue,
      goal: { of: 'value', most: 2000 },
    },
  ]);
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function writePackages(): Promise<void> {
  const packages = Array.from({ length: PACKAGES }, (_, index) => `package-${index}`);
  for (const name of packages) {
    const place = join(folder, name, 'hooks', `guard-${name}`);
    await mkdir(place, { recursive: true });
    const manifest = {
      name: `guard-${name}`,
      points: ['preToolUse'],
      capabilities: CAPABILITIES,
    };
    await writeFile(join(place, 'hook.json'), JSON.stringify(manifest));
    await writeFile(join(place, 'index.mjs'), 'export const run = () => ({ action: "allow" });');
    const owner = JSON.stringify({ name, version: '1.0.0', type: 'module' });
    await writeFile(join(folder, name, 'package.json'), owner);
  }
  const config = {
    packages: packages.map((name) => ({ package: `./${name}`, grants: CAPABILITIES })),
    records: { file: 'records.db' },
  };
  await writeFile(join(folder, 'runtime.json'), JSON.stringify(config));
}

async function fill(database: Database): Promise<void> {
  const counted = (to: number): string =>
    `with recursive n(i) as (select 0 union all select i + 1 from n where i < ${to - 1})`;
  const hook = `'guard-package-' || (i % ${PACKAGES})`;
  await database.run(
    {
      sql: `${counted(RECORDS)} insert into decisions
        (id, time, point, hook, package, version, action, duration_ms, would_block)
        select 'r' || i, 1700000000000 + i, 'preToolUse', ${hook}, 'package-' || (i % ${PACKAGES}),
          '1.0.0', 'block', 1.5, 0 from n`,
      parameters: [],
    },
    GENEROUS,
  );
  for (const capability of CAPABILITIES) {
    const scopes = capability.startsWith('store') ? 5 : 1;
    const scope = scopes === 1 ? `''` : `'collection-' || (i / ${PACKAGES * DAYS})`;
    await database.run(
      {
        sql: `${counted(PACKAGES * DAYS * scopes)} insert into uses
          (package, hook, capability, scope, day, count)
          select 'package-' || (i % ${PACKAGES}) || '@1.0.0', ${hook}, '${capability}', ${scope},
            date('2025-12-01', '+' || ((i / ${PACKAGES}) % ${DAYS}) || ' days'), 1000 from n`,
        parameters: [],
      },
      GENEROUS,
    );
  }
}

async function runAudit(): Promise<void> {
  const main = fileURLToPath(new URL('../../scripts/signalbox.mjs', import.meta.url));
  const args = ['--conditions=@signalbox/source', main, 'audit', '--json'];
  const child = spawn(process.execPath, args, {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = (await once(child, 'exit')) as [number];
  if (code !== 0) throw new Error(`The audit ended with exit code ${code}`);
}

async function medianOf(rounds: number, measure: () => Promise<number>): Promise<number> {
  const values: number[] = [];
  for (let round = 0; round < rounds; round += 1) values.push(await measure());
  return quantile(values, 0.5);
}

async function timeOf(action: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await action();
  return performance.now() - startedAt;
}
