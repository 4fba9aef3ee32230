import { beforeAll, expect, test } from 'vitest';
import { conditionsOf, type RecordFilter } from '../../src/records/record-filter.ts';
import { openRecords } from '../../src/records/records.ts';
import { openDecisions } from '../../src/sql/decisions.ts';
import { sharedDatabase } from '../sql/temporary-folder.ts';

const database = await sharedDatabase([]);
const decisions = openDecisions(database);
const records = openRecords(database);

const ROW = { point: 'preInput', hook: 'h', action: 'allow', durationMs: 1, time: 10 } as const;

/** A filter, and what a record has that it finds. */
const FILTERS = {
  hook: [{ hook: 'guard' }, { hook: 'guard' }],
  package: [{ package: '@acme/a' }, { package: '@acme/a' }],
  version: [{ version: '1.2.3' }, { version: '1.2.3' }],
  point: [{ point: 'preToolUse' }, { point: 'preToolUse' }],
  action: [{ action: 'block' }, { action: 'block' }],
  code: [{ code: 'timeout' }, { code: 'timeout' }],
  hasCode: [
    { hook: 'coded', hasCode: true },
    { hook: 'coded', code: 'crash' },
  ],
  session: [{ session: 's' }, { sessionId: 's' }],
  turn: [{ turn: 't' }, { turnId: 't' }],
  toolCall: [{ toolCall: 'c' }, { toolCallId: 'c' }],
  fire: [{ fire: 'f' }, { fireId: 'f' }],
  role: [{ role: 'culprit' }, { role: 'culprit' }],
  wouldBlock: [{ wouldBlock: true }, { wouldBlock: true }],
  since: [{ since: 20 }, { time: 25 }],
  until: [{ until: 5 }, { time: 2 }],
} as const satisfies Record<keyof RecordFilter, readonly [RecordFilter, object]>;

beforeAll(async () => {
  await records.append(ROW);
  for (const [name, [, difference]] of Object.entries(FILTERS)) {
    await records.append({ ...ROW, ...difference, reason: name });
  }
});

test.each(Object.entries(FILTERS))('records are found by %s', async (name, [filter]) => {
  const { records: found } = await records.query(filter);
  expect(found.map(({ reason }) => reason)).toEqual([name]);
});

test('all of a filter applies', async () => {
  expect((await records.query({ hook: 'guard', action: 'block' })).records).toEqual([]);
  expect((await records.query({ wouldBlock: false })).records).toHaveLength(15);
});

test('records are found by whether they have a code', async () => {
  const coded = await records.query({ hasCode: true });
  expect(coded.records.map(({ code }) => code)).toEqual(['crash', 'timeout']);
  expect((await records.query({ hasCode: false })).records).toHaveLength(14);
  expect((await records.query({ hook: 'coded', hasCode: false })).records).toEqual([]);
});

async function planOf(filter: RecordFilter, order: 'newest' | 'oldest'): Promise<string> {
  const from = { time: 1_000, seq: 5 };
  const { sql, parameters } = decisions.read({ ...conditionsOf(filter), order, from, limit: 100 });
  const { rows } = await database.run({ sql: `explain query plan ${sql}`, parameters });
  return rows.map((row) => String(row['detail'])).join('; ');
}

test.each(
  Object.entries(FILTERS).flatMap(
    ([name, [filter]]: readonly [string, readonly [RecordFilter, object]]) => [
      [name, 'newest', filter] as const,
      [name, 'oldest', filter] as const,
    ],
  ),
)(
  'a page by %s, %s first, begins where the last one ended and sorts nothing',
  async (_, order, filter) => {
    const plan = await planOf(filter, order);
    // A fire has a few records, which are sorted as they are.
    if (filter.fire !== undefined) return expect(plan).toContain('decisions_by_fire (fire_id=?)');
    expect(plan).toMatch(/^SEARCH decisions USING (?:COVERING )?INDEX \w+ \(.*time/);
    expect(plan).not.toMatch(/SCAN|TEMP B-TREE/);
  },
);

test.each([
  [{ hook: 'h', action: 'block', point: 'preInput' }, 'decisions_by_hook'],
  [{ hook: 'h', session: 's', code: 'crash' }, 'decisions_by_session'],
  [{ action: 'block', version: '1.0.0' }, 'decisions_by_version'],
  [{ hook: 'h', wouldBlock: true }, 'decisions_that_would_block'],
  [{ session: 's', wouldBlock: true }, 'decisions_by_session'],
  [{ hook: 'h', wouldBlock: false }, 'decisions_by_hook'],
  [{ hook: 'h', hasCode: true }, 'decisions_of_hook_with_code'],
  [{ hook: 'h', hasCode: false }, 'decisions_by_hook'],
  [{ session: 's', hasCode: true }, 'decisions_by_session'],
  [{ hasCode: true }, 'decisions_by_time'],
  [{}, 'decisions_by_time'],
] as const)('of several columns the one leads that narrows most: %j', async (filter, index) => {
  expect(await planOf(filter, 'newest')).toMatch(new RegExp(`^SEARCH .*INDEX ${index} `));
});

test('the oldest first are the newest first turned around, page by page', async () => {
  const ids: string[] = [];
  let before: string | undefined;
  do {
    const page = await records.query({ order: 'oldest', limit: 4, before });
    ids.push(...page.records.map(({ id }) => id));
    before = page.next;
  } while (before !== undefined);
  const newest = await records.query();
  expect(ids).toEqual(newest.records.map(({ id }) => id).toReversed());
  expect(ids).toHaveLength(16);
});

test('one record is found by its id, and ids grow with time', async () => {
  const { records: all } = await records.query({ order: 'oldest' });
  const [first] = all;
  expect(await records.find(first?.id ?? '')).toEqual(first);
  await expect(records.find('x')).rejects.toMatchObject({ code: 'record_unknown' });
  const ids = all.map(({ id }) => id.slice(0, 13));
  expect(ids).toEqual(ids.toSorted());
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  expect(first?.id).toMatch(
    /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
});
