import { existsSync } from 'node:fs';
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { audit } from '../../src/audit/audit.ts';
import type { AuditReport } from '../../src/audit/audit-report.ts';
import { collectFacts } from '../../src/audit/collect-facts.ts';
import { matrixCsv } from '../../src/audit/csv.ts';
import { suggestGrants } from '../../src/audit/suggest.ts';
import { configFromObject } from '../../src/config/load-config.ts';
import { sha256 } from '../../src/packages/install/cache-folder.ts';
import { storedPath, storedText, writeStored } from '../../src/packages/install/stored-package.ts';
import { writeLock, type LockFile } from '../../src/packages/lock/lock-file.ts';
import { openRecords, type Records } from '../../src/records/records.ts';
import { openDatabase } from '../../src/sql/database.ts';
import { openGrantRows } from '../../src/sql/grant-rows.ts';
import { openOperatorRows } from '../../src/sql/operator-rows.ts';
import { parseManifest } from '../../sdk/manifest.ts';
import { temporaryFolder } from '../sql/temporary-folder.ts';
import { lockOf, locked } from './locks.ts';

const DAY_MS = 86_400_000;
const daysAgo = (days: number): string =>
  new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

/** A folder with hooks of a package `./guards`, and ways to put more into it. */
class Site {
  readonly folder = temporaryFolder();
  packages: object[] = [];
  hooks: object = {};
  more: object = {};

  async hook(place: string, manifest: object): Promise<void> {
    const { name } = manifest as { name: string };
    const file = join(this.folder, place, 'hooks', name, 'hook.json');
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, JSON.stringify({ points: ['preToolUse'], ...manifest }));
    await writeFile(
      join(dirname(file), 'index.mjs'),
      'export const run = () => ({ action: "allow" });',
    );
    const owner = { name: place.split('/').at(-1) || 'x', version: '1.2.3', type: 'module' };
    if (place !== '')
      await writeFile(join(this.folder, place, 'package.json'), JSON.stringify(owner));
  }

  /** Locks a package with one hook `guard`, whose bytes are in the cache. */
  async install(name: string, more: Parameters<typeof locked>[0] = {}): Promise<LockFile> {
    const plan = locked(more);
    const { bundle: _, ...manifest } = plan.hooks['guard'] ?? {};
    const parsed = parseManifest({ name: 'guard', ...manifest });
    if (!parsed.ok) throw new Error(JSON.stringify(parsed));
    const code = 'export const run = () => ({ action: "allow" });';
    const hooks = [{ manifest: parsed.manifest, place: 'hooks/guard/index.mjs', code }];
    const text = storedText({ name, version: plan.version, hooks });
    await writeStored(this.cache, text);
    return lockOf({ [name]: { ...plan, bundle: sha256(text) } });
  }

  get cache(): string {
    return join(this.folder, 'packages-cache');
  }

  async use(fill: (records: Records, at: (days: number) => void) => void): Promise<void> {
    const database = await openDatabase(join(this.folder, 'records.db'));
    let clock = Date.now();
    const records = openRecords(database, { now: () => clock });
    fill(records, (days) => (clock = Date.now() - days * DAY_MS));
    await records.close();
    await database.close();
  }

  config(): ReturnType<typeof configFromObject> {
    const { packages, hooks } = this;
    return configFromObject(
      { packages, hooks, records: { file: 'records.db' }, ...this.more },
      this.folder,
    );
  }

  async report(unusedDays = 30): Promise<AuditReport> {
    return audit(await collectFacts(this.config(), { unusedDays }));
  }
}

function found(report: AuditReport): readonly string[] {
  return report.findings.map(({ kind, hook = '', detail }) => `${kind} ${hook}: ${detail}`);
}

test('the matrix says what is declared, granted and used, by hook', async () => {
  const site = new Site();
  await site.hook('', { name: 'mine', capabilities: ['reads_tool_io'] });
  await site.hook('guards', {
    name: 'guard',
    capabilities: ['reads_tool_io', 'gates_tools', 'store:read'],
  });
  site.packages = [
    {
      package: './guards',
      grants: ['reads_tool_io', 'gates_tools', 'store:read:users'],
      partial: true,
    },
  ];
  await site.use((records, at) => {
    const use = { package: 'guards@1.2.3', hook: 'guard' } as const;
    at(3);
    records.countUse({ ...use, capability: 'reads_tool_io', count: 5 });
    records.countUse({ ...use, capability: 'store:read', scope: 'users' });
    at(1);
    records.countUse({ ...use, package: 'guards@1.0.0', capability: 'store:read', scope: 'users' });
    records.countUse({ ...use, package: 'guards@1.0.0', capability: 'llm:call' });
    records.countUse({ package: 'gone@2.0.0', hook: 'old', capability: 'reads_input' });
  });
  const report = await site.report();
  const used = (count: number, days: number) => ({ count, lastDay: daysAgo(days) });
  const guard = { package: 'guards', version: '1.2.3', hook: 'guard' };
  expect(report.rows).toEqual([
    {
      package: 'local',
      version: '',
      hook: 'mine',
      capability: 'reads_tool_io',
      isDeclared: true,
      isGranted: true,
    },
    { ...guard, capability: 'reads_tool_io', isDeclared: true, isGranted: true, used: used(5, 3) },
    { ...guard, capability: 'gates_tools', isDeclared: true, isGranted: true },
    { ...guard, capability: 'store:read', isDeclared: true, isGranted: false, used: used(2, 1) },
    {
      ...guard,
      capability: 'store:read:users',
      isDeclared: true,
      isGranted: true,
      used: used(2, 1),
    },
    { ...guard, capability: 'llm:call', isDeclared: false, isGranted: false, used: used(1, 1) },
    {
      package: 'gone',
      version: '2.0.0',
      hook: 'old',
      capability: 'reads_input',
      isDeclared: false,
      isGranted: false,
      used: used(1, 1),
    },
  ]);
  expect(report.packages).toMatchObject([
    { name: 'local', hooks: 1, integrity: 'own' },
    { name: 'guards', version: '1.2.3', hooks: 1, integrity: 'own' },
  ]);
  expect(found(report)).toEqual(['unused_grant guard: gates_tools was never used']);
  expect(report.isDrifted).toBe(false);
});

test('a grant that nothing used for long is told, one that is younger than that is not', async () => {
  const site = new Site();
  site.packages = [{ package: '@acme/guard', grants: ['reads_tool_io', 'gates_tools'] }];
  const young = new Date(Date.now() - 5 * DAY_MS).toISOString();
  await site.use((records, at) => {
    at(10);
    records.countUse({ package: '@acme/guard@1.0.0', hook: 'guard', capability: 'reads_tool_io' });
  });
  await writeLock(site.folder, await site.install('@acme/guard'));
  const unused = async (days: number): Promise<readonly string[]> =>
    found(await site.report(days)).filter((text) => text.startsWith('unused'));
  expect(await unused(10)).toEqual(['unused_grant guard: gates_tools was never used']);
  expect(await unused(9)).toEqual([
    `unused_grant guard: reads_tool_io was last used on ${daysAgo(10)}`,
    'unused_grant guard: gates_tools was never used',
  ]);
  const consent = { ...locked().consent, at: young };
  await writeLock(site.folder, await site.install('@acme/guard', { consent }));
  expect(await unused(9)).toEqual([]);
  expect(await unused(3)).toHaveLength(2);
});

test('guards that run open and code of others outside an isolate are told', async () => {
  const site = new Site();
  await site.hook('guards', { name: 'lax', capabilities: ['gates_tools'], failPolicy: 'open' });
  await site.hook('guards', { name: 'free', capabilities: ['gates_tools'] });
  site.packages = [{ package: './guards', grants: ['gates_tools'] }];
  site.hooks = { overrides: { free: { sandbox: 'worker' } } };
  expect(found(await site.report(0))).toEqual(
    expect.arrayContaining([
      'runs_open lax: when it fails, calls pass at preToolUse',
      'unsandboxed free: code of others runs in a worker, with the rights of this user',
    ]),
  );
});

test('a guard in shadow mode is told, whether runtime.json or somebody while it ran put it there', async () => {
  const site = new Site();
  for (const name of ['trial', 'taken', 'armed'])
    await site.hook('guards', { name, capabilities: ['gates_tools'] });
  await site.hook('guards', { name: 'watcher', capabilities: ['reads_tool_io'] });
  site.packages = [{ package: './guards', grants: ['gates_tools', 'reads_tool_io'] }];
  site.hooks = { mode: { trial: 'shadow', watcher: 'shadow' } };
  const database = await openDatabase(join(site.folder, 'records.db'));
  const change = { time: 0, by: 'ann', hook: 'taken', base: 'enforce', reason: 'r' };
  const origin = 'package guards';
  await openOperatorRows(database).insertMode({ ...change, mode: 'shadow', origin });
  await database.close();
  const told = (await site.report(0)).findings.filter(({ kind }) => kind === 'in_shadow');
  expect(told).toEqual(
    ['taken', 'trial'].map((hook) => ({
      kind: 'in_shadow',
      weight: 'warning',
      package: 'guards',
      hook,
      detail: 'what it decides is recorded and stops nothing',
    })),
  );
});

test('an installed package that is as it was locked is no drift, and says who agreed', async () => {
  const site = new Site();
  site.packages = [{ package: '@acme/guard', grants: ['reads_tool_io', 'gates_tools'] }];
  const provenance = { signature: 'verified', attestation: 'verified' } as const;
  await writeLock(site.folder, await site.install('@acme/guard', { provenance }));
  const report = await site.report();
  expect(report.isDrifted).toBe(false);
  expect(report.packages).toEqual([
    {
      name: '@acme/guard',
      version: '1.0.0',
      hooks: 1,
      integrity: 'locked',
      provenance,
      consent: { by: 'ann', at: '2026-01-01T00:00:00.000Z' },
    },
  ]);
  expect(found(report).filter((text) => text.startsWith('no_provenance'))).toEqual([]);
});

test.each<readonly [string, string, (site: Site, lock: LockFile) => Promise<unknown> | void]>([
  [
    'a changed byte in the cache',
    'tampered',
    (site, lock) =>
      appendFile(storedPath(site.cache, lock.packages['@acme/guard']?.bundle ?? ''), ' '),
  ],
  [
    'a package that is gone from the cache',
    'missing',
    (site, lock) =>
      writeLock(site.folder, {
        ...lock,
        packages: { '@acme/guard': locked({ bundle: 'c'.repeat(64) }) },
      }),
  ],
  [
    'a grant that was taken out',
    'ungranted',
    (site) => {
      site.packages = [{ package: '@acme/guard', grants: ['reads_tool_io'] }];
    },
  ],
  [
    'a grant that nobody agreed to',
    'lock_mismatch',
    (site) => {
      site.packages = [
        { package: '@acme/guard', grants: ['reads_tool_io', 'gates_tools', 'net:fetch:x.test'] },
      ];
    },
  ],
  [
    'a package that is declared and not locked',
    'lock_mismatch',
    (site) => {
      site.packages.push({ package: 'other', grants: [] });
    },
  ],
  [
    'a package that is locked and not declared',
    'lock_mismatch',
    (site) => {
      site.packages = [];
    },
  ],
  [
    'a required hook that is not there',
    'required_missing',
    (site) => {
      site.hooks = { required: ['gard'] };
    },
  ],
  [
    'a required hook that is blocked',
    'required_missing',
    (site) => {
      site.hooks = { required: ['guard'] };
      site.more = { trust: { block: [{ package: '@acme/guard', reason: 'r' }] } };
    },
  ],
  [
    'a package that the policy refuses',
    'untrusted',
    (site) => {
      site.more = { trust: { scopes: ['@other'] } };
    },
  ],
  [
    'an entry of the history that was edited',
    'history_broken',
    (site, lock) =>
      writeLock(site.folder, {
        ...lock,
        history: lock.history.map((entry) => ({ ...entry, by: 'eve' })),
      }),
  ],
])('%s is drift', async (_, kind, spoil) => {
  const site = new Site();
  site.packages = [{ package: '@acme/guard', grants: ['reads_tool_io', 'gates_tools'] }];
  const lock = await site.install('@acme/guard');
  await writeLock(site.folder, lock);
  await spoil(site, lock);
  const report = await site.report();
  expect(report.isDrifted).toBe(true);
  expect(report.findings[0]).toMatchObject({ weight: 'drift' });
  expect(report.findings.map((item) => item.kind)).toContain(kind);
});

test('what was revoked while hooks ran is in the audit, with who did it', async () => {
  const site = new Site();
  await site.hook('guards', { name: 'guard', capabilities: ['reads_tool_io', 'gates_tools'] });
  site.packages = [{ package: './guards', grants: ['reads_tool_io', 'gates_tools'] }];
  const database = await openDatabase(join(site.folder, 'records.db'));
  await openGrantRows(database).insert({
    time: 0,
    by: 'ann',
    action: 'revoke',
    target: 'guard',
    capabilities: '["gates_tools"]',
  });
  await database.close();
  const report = await site.report(0);
  expect(found(report)).toEqual(
    expect.arrayContaining([
      'ungranted guard: ungranted: gates_tools',
      'restricted : revoked gates_tools by ann at 1970-01-01T00:00:00.000Z',
    ]),
  );
  expect(report.rows).toContainEqual(
    expect.objectContaining({ capability: 'gates_tools', isGranted: false }),
  );
});

test('the suggestion is what was used: narrower where scopes say so, and guards keep their gates', async () => {
  const site = new Site();
  await site.hook('guards', {
    name: 'guard',
    capabilities: [
      'reads_tool_io',
      'gates_tools',
      'store:read',
      'store:write',
      'llm:call',
      'store:read:x',
    ],
  });
  await site.hook('idle', { name: 'idle', capabilities: ['llm:call'] });
  const grants = ['reads_tool_io', 'gates_tools', 'store:read', 'store:write', 'llm:call'];
  site.packages = [
    { package: './idle', grants: ['llm:call'] },
    { package: './guards', grants },
  ];
  await site.use((records, at) => {
    const use = { package: 'guards@1.2.3', hook: 'guard' } as const;
    at(90);
    records.countUse({ ...use, capability: 'llm:call' });
    at(2);
    records.countUse({ ...use, capability: 'reads_tool_io' });
    records.countUse({ ...use, capability: 'store:read', scope: 'users' });
    records.countUse({ ...use, capability: 'store:read', scope: 'documents' });
    for (let each = 0; each < 60; each += 1) {
      records.countUse({ ...use, capability: 'store:write', scope: `c${each}` });
    }
  });
  const suggested = [
    'reads_tool_io',
    'gates_tools',
    'store:read:documents',
    'store:read:users',
    'store:write',
  ];
  expect(suggestGrants(await collectFacts(site.config(), { unusedDays: 30 }))).toEqual([
    {
      package: 'guards',
      grants,
      suggested,
      patch: [
        { op: 'test', path: '/packages/1/package', value: './guards' },
        { op: 'test', path: '/packages/1/grants', value: grants },
        { op: 'replace', path: '/packages/1/grants', value: suggested },
        { op: 'add', path: '/packages/1/partial', value: true },
      ],
    },
  ]);
});

test('an audit of a folder without records leaves no database behind', async () => {
  const site = new Site();
  expect((await site.report()).rows).toEqual([]);
  expect(existsSync(join(site.folder, 'records.db'))).toBe(false);
});

test('CSV is quoted, and no cell is a formula to a spreadsheet', () => {
  const row = { version: '1', hook: 'a,"b"', isDeclared: true, isGranted: false };
  const csv = matrixCsv([
    { ...row, package: '@acme/x', capability: 'llm:call' },
    {
      ...row,
      package: '=cmd()',
      capability: 'llm:call',
      used: { count: 2, lastDay: '2026-01-01' },
    },
  ]);
  expect(csv).toBe(
    'package,version,hook,capability,declared,granted,used,last_used\r\n' +
      `"'@acme/x",1,"a,""b""",llm:call,yes,no,0,\r\n` +
      `"'=cmd()",1,"a,""b""",llm:call,yes,no,2,2026-01-01\r\n`,
  );
});
