import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lockText } from '../../src/packages/lock/lock-file.ts';
import { openRecords } from '../../src/records/records.ts';
import { openDatabase } from '../../src/sql/database.ts';
import { lockOf, locked } from '../audit/locks.ts';
import { openWorkplace, type Workplace } from './command-line.ts';

const GRANTS = ['reads_tool_io', 'gates_tools', 'store:read'];

/** A busy machine takes its time to start many sandboxes. */
const BUSY_MS = 120_000;

let place: Workplace;

beforeAll(async () => {
  const narrower = locked({ hooks: {} });
  const cut = lockOf({ a: locked(), b: locked(), c: locked() });
  place = await openWorkplace({
    'runtime.json': {
      packages: [{ package: './guards', grants: GRANTS }],
      records: { file: 'records.db' },
    },
    'guards/package.json': { name: 'guards', version: '1.2.3', type: 'module' },
    'guards/hooks/guard/hook.json': {
      name: 'guard',
      points: ['preToolUse'],
      capabilities: GRANTS,
    },
    'guards/hooks/guard/index.mjs': 'export const run = () => ({ action: "allow" });',
    'old.lock.json': lockText(lockOf({ guards: narrower })),
    'new.lock.json': lockText(lockOf({ guards: locked() })),
    'cut/runtime.json': {},
    'cut/runtime.lock.json': lockText({ ...cut, history: cut.history.toSpliced(1, 1) }),
    'whole/runtime.json': {},
    'whole/runtime.lock.json': lockText(cut),
    'drift/runtime.json': { packages: [{ package: 'nowhere', grants: [] }] },
  });
  const database = await openDatabase(join(place.folder, 'records.db'));
  const records = openRecords(database);
  const use = { package: 'guards@1.2.3', hook: 'guard' };
  records.countUse({ ...use, capability: 'reads_tool_io', count: 3 });
  records.countUse({ ...use, capability: 'store:read', scope: 'documents' });
  await records.close();
  await database.close();
}, BUSY_MS);

afterAll(() => place?.remove());

test('audit shows the matrix and what to look at', async () => {
  const { code, out, err } = await place.run(['audit']);
  expect([code, err]).toEqual([0, '']);
  const lines = out.split('\n').map((line) => line.trim().split(/ {2,}/));
  const today = new Date().toISOString().slice(0, 10);
  expect(lines).toContainEqual(['guards', '1.2.3', '1', 'own']);
  expect(lines).toContainEqual(['guards', 'guard', 'reads_tool_io', 'yes', 'yes', '3', today]);
  expect(lines).toContainEqual(['guards', 'guard', 'gates_tools', 'yes', 'yes', '0']);
  expect(out).toMatch(/warning +unused_grant +guards +guard +gates_tools was never used/);
});

test('audit is JSON or CSV for machines', async () => {
  const json = await place.run(['audit', '--json', '--unused-days', '5']);
  expect(JSON.parse(json.out)).toMatchObject({
    unusedDays: 5,
    isDrifted: false,
    rows: [{}, {}, {}],
  });
  const csv = await place.run(['audit', '--csv']);
  expect(csv.out.split('\n')[1]).toMatch(/^guards,1\.2\.3,guard,reads_tool_io,yes,yes,3,/);
});

test('audit --suggest prints a patch with the grants that were used', async () => {
  const { code, out, err } = await place.run(['audit', '--suggest']);
  expect(code).toBe(0);
  expect(JSON.parse(out)).toEqual([
    { op: 'test', path: '/packages/0/package', value: './guards' },
    { op: 'test', path: '/packages/0/grants', value: GRANTS },
    {
      op: 'replace',
      path: '/packages/0/grants',
      value: ['reads_tool_io', 'gates_tools', 'store:read:documents'],
    },
    { op: 'add', path: '/packages/0/partial', value: true },
  ]);
  expect(err).toContain('store:read ->');
});

test('audit ends with exit code 1 when something drifted', async () => {
  const { code, out } = await place.run(['--config', 'drift/runtime.json', 'audit', '--json']);
  expect(code).toBe(1);
  const kinds = (JSON.parse(out) as { findings: { kind: string }[] }).findings.map(
    ({ kind }) => kind,
  );
  expect(kinds).toEqual(expect.arrayContaining(['missing', 'lock_mismatch']));
});

test('audit diff ends with exit code 1 when code may do more, and with 0 when it may do less', async () => {
  const more = await place.run(['audit', 'diff', 'old.lock.json', 'new.lock.json']);
  expect(more.code).toBe(1);
  expect(more.out).toMatch(/! +guards +guard +the hook was added at preToolUse/);
  const same = await place.run(['audit', 'diff', 'new.lock.json', 'new.lock.json', '--json']);
  expect([same.code, same.out]).toEqual([0, '[]\n']);
});

test('audit diff of a file that is not there is an error: a slip must not pass for "the same"', async () => {
  const { code, err } = await place.run(['audit', 'diff', 'old.lock.json', 'nwe.lock.json']);
  expect(code).toBe(2);
  expect(err).toContain('Cannot use the lock file "nwe.lock.json": there is no such file');
});

test('audit verify names the place where an entry was cut out', async () => {
  const cut = await place.run(['--config', 'cut/runtime.json', 'audit', 'verify']);
  expect(cut.code).toBe(1);
  expect(cut.out).toMatch(/entry 2 is missing/);
  const whole = await place.run(['--config', 'whole/runtime.json', 'audit', 'verify', '--json']);
  expect(whole.code).toBe(0);
  const { newest, entries } = JSON.parse(whole.out) as { newest: string; entries: number };
  expect(entries).toBe(3);
  const since = (hash: string) =>
    place.run(['--config', 'whole/runtime.json', 'audit', 'verify', '--since', hash]);
  expect((await since(newest)).code).toBe(0);
  expect((await since('0'.repeat(64))).code).toBe(1);
});

test.each([['--unused-days', 'x'], ['--unused-days', '-1'], ['diff', 'one'], ['nonsense']])(
  'a slip in the command line is told: audit %s %s',
  async (...args) => {
    const { code, err } = await place.run(['audit', ...args.filter((arg) => arg !== undefined)]);
    expect(code).toBe(2);
    expect(err).toContain('usage');
  },
);

test('grants revokes, lists and restores, and the audit shows it', async () => {
  const revoked = await place.run(['grants', 'revoke', 'guard', 'gates_tools', '--by', 'ann']);
  expect([revoked.code, revoked.out]).toEqual([0, 'Revoked gates_tools: guard, by ann\n']);
  const drifted = await place.run(['audit']);
  expect(drifted.code).toBe(1);
  expect(drifted.out).toMatch(/drift +ungranted +guards +guard/);
  const listed = await place.run(['grants', 'list', '--json']);
  expect(JSON.parse(listed.out)).toMatchObject([{ action: 'revoke', target: 'guard', by: 'ann' }]);
  const restored = await place.run(['grants', 'restore', 'guards', 'gates_tools']);
  // It was revoked from the hook, not from the package.
  expect(restored.code).toBe(0);
  expect((await place.run(['audit'])).code).toBe(1);
  await place.run(['grants', 'restore', 'guard', 'gates_tools']);
  expect((await place.run(['audit'])).code).toBe(0);
}, 120_000);

test('a slip in what is to be revoked is told', async () => {
  const { code, err } = await place.run(['grants', 'revoke', 'gaurd', 'gates_tools']);
  expect(code).toBe(2);
  expect(err).toContain('guard');
  const held = await place.run(['grants', 'revoke', 'guard', 'llm:call']);
  expect([held.code, held.err]).toEqual([2, expect.stringContaining('does not hold')]);
  // It is no request to the API that somebody mends.
  expect(held.err).not.toContain('openapi');
}, 60_000);
