import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openDatabase } from '../../src/sql/database.ts';
import type { Statement } from '../../src/sql/messages.ts';
import { sharedDatabase, temporaryDatabase, temporaryFolder } from './temporary-folder.ts';

const shared = await sharedDatabase(['store_rows']);

const row = (key: string): Statement => ({
  sql: 'insert into store_rows (collection, key, text) values (?, ?, ?)',
  parameters: ['c', key, '{}'],
});
const plain = (text: string): Statement => ({ sql: text, parameters: [] });
const SLOW = plain(
  'with recursive n(x) as (select 1 union all select x + 1 from n limit 500000) select count(*) as n from n',
);

test('a database keeps what was written for the next one who opens it', async () => {
  const file = join(temporaryFolder(), 'new', 'folder', 'data.db');
  const first = await openDatabase(file);
  await first.run(row('a'));
  await first.close();
  const second = await temporaryDatabase(file);
  expect((await second.run(plain('select key from store_rows'))).rows).toEqual([{ key: 'a' }]);
});

test('a new database can be read by its owner alone', async () => {
  const file = join(temporaryFolder(), 'data.db');
  const database = await temporaryDatabase(file);
  await database.run(row('a'));
  for (const name of [file, `${file}-wal`]) expect(statSync(name).mode & 0o077).toBe(0);
});

test('a batch gives each statement its own result, in order', async () => {
  const database = shared;
  const [first, second, read, again] = await database.batch([
    row('a'),
    row('b'),
    plain('select key from store_rows order by key'),
    plain('delete from store_rows'),
  ]);
  expect([first?.changes, second?.changes, again?.changes]).toEqual([1, 1, 2]);
  expect(read?.rows).toEqual([{ key: 'a' }, { key: 'b' }]);
});

test('a batch is kept whole or not at all', async () => {
  const database = shared;
  await expect(database.batch([row('a'), row('b'), row('a')])).rejects.toMatchObject({
    code: 'database',
  });
  expect((await database.run(plain('select * from store_rows'))).rows).toEqual([]);
  await database.batch([row('a'), row('b')]);
  expect((await database.run(plain('select * from store_rows'))).rows).toHaveLength(2);
});

test('an error names what failed and none of the values', async () => {
  const database = shared;
  await database.run(row('top-secret'));
  const error: unknown = await database.run(row('top-secret')).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 'database' });
  expect(JSON.stringify(error)).not.toContain('top-secret');
});

test('more rows or bytes than a page holds are an error, never a shorter answer', async () => {
  const database = shared;
  const all = plain(
    'with recursive n(x) as (select 1 union all select x + 1 from n limit 1001) select x from n',
  );
  await expect(database.run(all)).rejects.toMatchObject({ code: 'result_too_large' });
  expect((await database.run(all, { maxRows: 1001 })).rows).toHaveLength(1001);
  const long = { sql: 'select ? as text', parameters: ['é'.repeat(60)] };
  await expect(database.run(long, { maxBytes: 100 })).rejects.toMatchObject({
    code: 'result_too_large',
  });
});

test('a call ends at its deadline, and one that could not start by then is never carried out', async () => {
  const database = shared;
  const slow = database.run(SLOW, { deadlineMs: 30_000 });
  await expect(database.run(row('late'), { deadlineMs: 20 })).rejects.toMatchObject({
    code: 'database',
    message: expect.stringContaining('20 ms') as string,
  });
  await slow;
  expect((await database.run(plain('select * from store_rows'))).rows).toEqual([]);
});

test('the worker keeps the event loop free while a query runs', async () => {
  const database = shared;
  let ticks = 0;
  const timer = setInterval(() => (ticks += 1), 5);
  // A busy machine may leave this thread no turn during one query; a loop that is held up gets one at most in each.
  for (let round = 0; round < 20 && ticks <= 5; round += 1) {
    ticks = 0;
    await database.run(SLOW, { deadlineMs: 30_000 });
  }
  clearInterval(timer);
  expect(ticks).toBeGreaterThan(5);
});

test.each([
  "attach ':memory:' as other",
  "attach '/etc/passwd' as other",
  "vacuum into '/tmp/copy.db'",
  'pragma writable_schema = on',
  'pragma trusted_schema = on',
  "select load_extension('/tmp/x.so')",
  'create trigger t after insert on store_rows begin select 1; end',
  "select readfile('/etc/passwd')",
])('no statement gets out of the file: %s', async (text) => {
  const database = shared;
  await expect(database.run(plain(text))).rejects.toMatchObject({ code: 'database' });
});

test('the query builder reaches the worker, and holds no transaction open', async () => {
  const database = shared;
  const { builder } = database;
  const inserted = await builder
    .insertInto('store_rows')
    .values({ collection: 'c', key: 'k', text: '{}' })
    .executeTakeFirst();
  expect(inserted.numInsertedOrUpdatedRows).toBe(1n);
  expect(await sql`select ${true} as yes`.execute(builder)).toMatchObject({ rows: [{ yes: 1 }] });
  await expect(builder.transaction().execute(async () => {})).rejects.toThrow('send a batch');
});

test('a file that is no database, or cannot be made, is one clear error', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'notes.txt');
  writeFileSync(file, 'not a database, '.repeat(1000));
  await expect(openDatabase(file)).rejects.toMatchObject({ code: 'database_damaged' });
  await expect(openDatabase(join(file, 'below.db'))).rejects.toMatchObject({ code: 'database' });
  mkdirSync(join(folder, 'taken.db'));
  await expect(openDatabase(join(folder, 'taken.db'))).rejects.toMatchObject({ code: 'database' });
});

test('a database of a later version is not touched', async () => {
  const file = join(temporaryFolder(), 'data.db');
  const later = await openDatabase(file);
  await later.run(plain("insert into migrations (number, name) values (999, 'later')"));
  await later.close();
  await expect(openDatabase(file)).rejects.toMatchObject({
    code: 'database',
    message: expect.stringContaining('later version') as string,
  });
});

test('calls before close are finished, calls after it are refused', async () => {
  const database = await openDatabase(':memory:');
  const before = database.run(row('a'));
  const closed = database.close();
  await expect(before).resolves.toMatchObject({ changes: 1 });
  await expect(database.run(row('b'))).rejects.toMatchObject({ code: 'database' });
  await closed;
  await database.close();
});
