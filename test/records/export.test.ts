import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exportRecords } from '../../src/records/export/export-records.ts';
import { EXPORT_FORMATS } from '../../src/records/export/export-formats.ts';
import { openRecords, type Records } from '../../src/records/records.ts';
import { openDatabase, type Database } from '../../src/sql/database.ts';
import { openWorkplace, type Workplace } from '../cli/command-line.ts';

const COUNT = 3000;

let place: Workplace;
let database: Database;
let records: Records;

beforeAll(async () => {
  place = await openWorkplace({ 'runtime.json': { records: { file: 'records.db' } } });
  database = await openDatabase(join(place.folder, 'records.db'));
  records = openRecords(database);
  const record = { point: 'preInput', hook: 'h', action: 'block', durationMs: 1 } as const;
  await Promise.all(
    Array.from({ length: COUNT }, (_, time) =>
      records.append({ ...record, time, turnId: String(time), reason: 'x'.repeat(100) }),
    ),
  );
}, 60_000);

afterAll(async () => {
  await database.close();
  await place.remove();
});

test.each(EXPORT_FORMATS)('an export as %s holds a few pages at a time', async (format) => {
  let [largest, pieces] = [0, 0];
  const { signal } = new AbortController();
  const sink = async (bytes: string | Uint8Array): Promise<void> => {
    largest = Math.max(largest, bytes.length);
    pieces += 1;
  };
  const order = { filter: { since: 100 }, format, signal };
  expect(await exportRecords(records, sink, order)).toBe(COUNT - 100);
  // One row group of Parquet has them all.
  if (format === 'parquet') expect(pieces).toBe(2);
  else expect(largest).toBeLessThan(500 * 500);
});

test('an export that is broken off ends after the page at hand', async () => {
  const stopped = new AbortController();
  const sink = async (): Promise<void> => stopped.abort();
  const order = { filter: {}, format: 'jsonl', signal: stopped.signal } as const;
  expect(await exportRecords(records, sink, order)).toBe(500);
});

test('a reader of an export that goes away ends it without an error', async () => {
  const { out, err } = await place.shell('$SB records export | head -n 1');
  expect(JSON.parse(out)).toMatchObject({ turnId: '0' });
  expect(err).not.toContain('error');
}, 60_000);

test('an export that cannot be written leaves no file', async () => {
  const out = join(place.folder, 'absent', 'out.csv');
  const ended = await place.run(['records', 'export', '--format', 'csv', '--out', out]);
  expect(ended.err).toContain('file_unwritable');
  expect(ended.code).toBe(2);
  expect(existsSync(`${out}.part`)).toBe(false);
}, 60_000);

test('a format that there is not is a usage error', async () => {
  expect(await place.run(['records', 'export', '--format', 'xml'])).toMatchObject({
    code: 2,
    out: '',
  });
}, 60_000);
