import { expect, test } from 'vitest';
import { openRecords, type RecordInput, type Records } from '../../src/records/records.ts';
import type { Database } from '../../src/sql/database.ts';
import { sharedDatabase, temporaryDatabase } from '../sql/temporary-folder.ts';

const database = await sharedDatabase(['decisions', 'uses']);

const RECORD = {
  point: 'preToolUse',
  hook: 'guard',
  action: 'block',
  durationMs: 1.5,
} as const satisfies RecordInput;

test('a record comes back with all that was said, and with an id and a time', async () => {
  const records = openRecords(database, { now: () => 1_000 });
  const full: Omit<RecordInput, 'time'> = {
    ...RECORD,
    fireId: 'f1',
    package: '@acme/audit',
    version: '1.2.3',
    code: 'timeout',
    reason: 'too late',
    sessionId: 's',
    turnId: 't',
    toolCallId: 'c',
    wouldBlock: true,
    role: 'culprit',
  };
  await records.append(full);
  const { records: kept } = await records.query();
  expect(kept).toEqual([
    { ...full, id: expect.any(String) as string, time: '1970-01-01T00:00:01.000Z' },
  ]);
});

/** Records, and how often they were committed. */
function openCounted(): { readonly records: Records; readonly commits: { count: number } } {
  const commits = { count: 0 };
  const counting: Database = {
    ...database,
    batch(...args) {
      commits.count += 1;
      return database.batch(...args);
    },
  };
  return { records: openRecords(counting), commits };
}

test('appends at once share a commit, and each resolves after it', async () => {
  const { records, commits } = openCounted();
  await Promise.all(Array.from({ length: 300 }, () => records.append(RECORD)));
  // The second group holds what did not fit into 256.
  expect(commits.count).toBe(2);
  expect((await records.query({ limit: 1000 })).records).toHaveLength(300);
});

test('what is recorded soon after a commit goes with the next one, and nothing waits long', async () => {
  const { records, commits } = openCounted();
  for (let count = 0; count < 3; count += 1) await records.append(RECORD);
  const before = commits.count;
  await Promise.all([records.append(RECORD), records.append(RECORD)]);
  expect([before, commits.count]).toEqual([3, 4]);
});

test('pages go from the newest to the oldest and meet no record twice, whatever comes in between', async () => {
  let clock = 0;
  const records = openRecords(database, { now: () => clock });
  for (let index = 0; index < 10; index += 1) {
    // Pairs of one time: the place decides then.
    clock = Math.floor(index / 2);
    await records.append({ ...RECORD, turnId: String(index) });
  }
  const seen: (string | undefined)[] = [];
  let before: string | undefined;
  do {
    const page = await records.query({ limit: 3, before });
    seen.push(...page.records.map(({ turnId }) => turnId));
    before = page.next;
    clock += 1;
    await records.append({ ...RECORD, turnId: 'late' });
  } while (before !== undefined);
  expect(seen).toEqual(['9', '8', '7', '6', '5', '4', '3', '2', '1', '0']);
});

test.each([
  [{ hook: 'a' }, ['1']],
  [{ point: 'preInput' }, ['2']],
  [{ action: 'ask' }, ['3']],
  [{ code: 'crash' }, ['4']],
  [{ session: 's5' }, ['5']],
  [{ since: 4 }, ['5', '4']],
  [{ until: 2 }, ['1']],
  [{ since: 2, until: 4, action: 'block' }, ['2']],
  [{ hook: "x' or 1=1 --" }, []],
] as const)('a page can be narrowed: %j', async (filter, turns) => {
  const records = openRecords(database);
  const differences: Partial<RecordInput>[] = [
    { hook: 'a' },
    { point: 'preInput' },
    { action: 'ask' },
    { code: 'crash' },
    { sessionId: 's5' },
  ];
  for (const [index, difference] of differences.entries()) {
    const number = index + 1;
    await records.append({ ...RECORD, time: number, turnId: String(number), ...difference });
  }
  const page = await records.query(filter);
  expect(page.records.map(({ turnId }) => turnId)).toEqual(turns);
});

test.each([
  { limit: 0 },
  { limit: 1001 },
  { limit: 1.5 },
  { limit: NaN },
  { before: 'x' },
  { before: '1-1 or 1=1' },
])('a page that cannot be is refused: %j', async (filter) => {
  await expect(openRecords(database).query(filter)).rejects.toMatchObject({
    code: 'request_invalid',
  });
});

test('100,000 records are paged through in two seconds of computing', async () => {
  const large = await temporaryDatabase();
  await large.run(
    {
      sql: `with recursive n(x) as (select 1 union all select x + 1 from n limit 100000)
      insert into decisions (id, time, point, hook, action, duration_ms, would_block)
      select x, x / 3, 'preToolUse', 'hook' || (x % 50), case when x % 10 then 'block' else 'ask' end, 1, 0 from n`,
      parameters: [],
    },
    { deadlineMs: 30_000 },
  );
  const records = openRecords(large);
  // Not the clock: other work on the machine is no slowness of ours.
  const started = process.cpuUsage();
  let count = 0;
  let before: string | undefined;
  do {
    const page = await records.query({ limit: 1000, before });
    count += page.records.length;
    before = page.next;
  } while (before !== undefined);
  const narrow = await records.query({ hook: 'hook7', action: 'ask', limit: 10 });
  const { user, system } = process.cpuUsage(started);
  expect((user + system) / 1000).toBeLessThan(2000);
  expect(count).toBe(100_000);
  expect(narrow.records).toHaveLength(0);
});

test('prune deletes what is older than a time, however much it is', async () => {
  const records = openRecords(database);
  await Promise.all(Array.from({ length: 5000 }, (_, time) => records.append({ ...RECORD, time })));
  expect(await records.prune({ before: 4990 })).toEqual({ records: 4990, payloads: 0 });
  expect((await records.query()).records).toHaveLength(10);
  expect(await records.prune({ before: 4990 })).toMatchObject({ records: 0 });
});

test('a caller that names a session with control characters or pages of text harms no reader', async () => {
  const records = openRecords(database);
  await records.append({ ...RECORD, sessionId: `a\u001b[2J\n${'x'.repeat(10_000)}` });
  const [kept] = (await records.query()).records;
  expect(kept?.sessionId).toMatch(/^a\\u\{1b\}\[2J\\u\{a\}x+…$/);
  expect(Buffer.byteLength(kept?.sessionId ?? '')).toBeLessThanOrEqual(256);
});

test('uses are summed by package, hook, capability, scope and day', async () => {
  let clock = Date.UTC(2026, 0, 1, 23, 59);
  const records = openRecords(database, { now: () => clock });
  const use = { package: '@acme/audit@1.0.0', hook: 'h', capability: 'store:read' } as const;
  records.countUse({ ...use, scope: 'users' });
  records.countUse({ ...use, scope: 'users', count: 4 });
  records.countUse({ ...use, capability: 'reads_input' });
  await records.flush();
  clock = Date.UTC(2026, 0, 2);
  records.countUse({ ...use, scope: 'users' });
  await records.close();
  expect(await records.uses()).toEqual([
    { ...use, capability: 'reads_input', scope: '', count: 1 },
    { ...use, scope: 'users', count: 6 },
  ]);
  expect(await records.uses({ sinceDay: '2026-01-02' })).toEqual([
    { ...use, scope: 'users', count: 1 },
  ]);
  expect(await records.uses({ hook: 'other' })).toEqual([]);
});

test('counts that could not be kept are kept at the next try', async () => {
  const own = await temporaryDatabase();
  const records = openRecords(own);
  await own.run({ sql: 'alter table uses rename to gone', parameters: [] });
  records.countUse({ package: 'p@1', hook: 'h', capability: 'llm:call' });
  await expect(records.flush()).rejects.toMatchObject({ code: 'database' });
  await own.run({ sql: 'alter table gone rename to uses', parameters: [] });
  records.countUse({ package: 'p@1', hook: 'h', capability: 'llm:call' });
  await records.flush();
  expect(await records.uses()).toMatchObject([{ count: 2 }]);
});

test('close keeps what was appended before it and refuses what comes after', async () => {
  const records = openRecords(database);
  const before = records.append(RECORD);
  await records.close();
  await before;
  await expect(records.append(RECORD)).rejects.toMatchObject({ code: 'database' });
  expect((await openRecords(database).query()).records).toHaveLength(1);
});
