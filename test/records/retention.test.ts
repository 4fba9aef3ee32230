import { expect, onTestFinished, test, vi } from 'vitest';
import type { RecordInput } from '../../src/records/records.ts';
import { openRecords } from '../../src/records/records.ts';
import { pruneLimits, startRetention, type Retention } from '../../src/records/retention.ts';
import { openPayloadSeal } from '../../src/records/payload-seal.ts';
import { sharedDatabase } from '../sql/temporary-folder.ts';

const database = await sharedDatabase(['decisions', 'decision_payloads']);

const RECORD = {
  point: 'preToolUse',
  hook: 'guard',
  action: 'block',
  durationMs: 1,
} as const satisfies RecordInput;

const DAY_MS = 86_400_000;
const EVERYTHING: Retention = { retentionDays: null, maxRows: null };
const seal = openPayloadSeal('KEY', { KEY: 'ab'.repeat(32) });

async function countOf(table: string): Promise<number> {
  const { rows } = await database.run({ sql: `select id from ${table}`, parameters: [] });
  return rows.length;
}

test('of more records than are kept the oldest go, with their payloads', async () => {
  const records = openRecords(database, { seal });
  for (let time = 0; time < 450; time += 1) {
    await records.append({ ...RECORD, time }, { payload: { time } });
  }
  expect(await records.prune({ maxRows: 300 })).toEqual({ records: 150, payloads: 0 });
  const { records: left } = await records.query({ order: 'oldest', limit: 1000 });
  expect([left.length, left[0]?.time]).toEqual([300, new Date(150).toISOString()]);
  const kept = await records.exchanges(
    left.map(({ id }) => id),
    seal,
  );
  expect(kept.size).toBe(300);
  expect(await records.prune({ maxRows: 300 })).toEqual({ records: 0, payloads: 0 });
});

test('payloads go before their records where they are kept for a shorter time', async () => {
  const records = openRecords(database, { seal });
  await records.append({ ...RECORD, time: 1 }, { payload: { text: 'old' } });
  await records.append({ ...RECORD, time: 9 }, { payload: { text: 'new' } });
  expect(await records.prune({ payloadsBefore: 5 })).toEqual({ records: 0, payloads: 1 });
  const { records: left } = await records.query();
  const kept = await records.exchanges(
    left.map(({ id }) => id),
    seal,
  );
  expect([...kept.values()]).toEqual([{ payload: { text: 'new' } }]);
});

test('records are written while old ones are deleted', async () => {
  const records = openRecords(database);
  await Promise.all(Array.from({ length: 3000 }, (_, time) => records.append({ ...RECORD, time })));
  const order: string[] = [];
  const pruned = records.prune({ before: 3000 }).then(() => order.push('pruned'));
  await records.append({ ...RECORD, time: 5000 }).then(() => order.push('appended'));
  await pruned;
  expect(order).toEqual(['appended', 'pruned']);
});

test('retention is applied at the start and again, and what fails is tried again', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'], now: 10 * DAY_MS });
  onTestFinished(() => void vi.useRealTimers());
  const calls: object[] = [];
  const problems: string[] = [];
  const end = startRetention({
    retention: { retentionDays: 3, maxRows: 7, payloads: { retentionDays: 1, key: { env: 'K' } } },
    records: {
      prune({ before, maxRows, payloadsBefore }) {
        calls.push({ before, maxRows, payloadsBefore });
        return Promise.reject(new Error('busy'));
      },
    },
    onProblem: ({ code }) => problems.push(code),
  });
  await vi.waitFor(() => expect(problems).toEqual(['database']));
  await vi.advanceTimersByTimeAsync(3_600_000);
  await vi.waitFor(() => expect(problems).toHaveLength(2));
  expect(calls[0]).toEqual({ before: 7 * DAY_MS, maxRows: 7, payloadsBefore: 9 * DAY_MS });
  await end();
  await vi.advanceTimersByTimeAsync(7_200_000);
  expect(calls).toHaveLength(2);
});

test('where everything is kept nothing is deleted', () => {
  expect(pruneLimits(EVERYTHING, 0)).toBeUndefined();
});

test('an ended retention stops between two transactions', async () => {
  const records = openRecords(database);
  await Promise.all(Array.from({ length: 300 }, (_, time) => records.append({ ...RECORD, time })));
  const ended = new AbortController();
  ended.abort();
  expect(await records.prune({ before: 999, signal: ended.signal })).toMatchObject({ records: 0 });
  expect(await countOf('decisions')).toBe(300);
});
