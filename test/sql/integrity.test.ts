import { closeSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openRecords } from '../../src/records/records.ts';
import { openDatabase, openReader } from '../../src/sql/database.ts';
import { checkLargeFile } from '../../src/sql/file-check.ts';
import { temporaryDatabase, temporaryFolder } from './temporary-folder.ts';

const RECORD = { point: 'preInput', hook: 'h', action: 'block', durationMs: 1 } as const;

/** A records database whose last pages hold noise. */
async function damagedFile(): Promise<string> {
  const file = join(temporaryFolder(), 'records.db');
  const database = await openDatabase(file);
  const records = openRecords(database);
  await Promise.all(
    Array.from({ length: 500 }, (_, time) =>
      records.append({ ...RECORD, time, reason: 'r'.repeat(200) }),
    ),
  );
  await database.close();
  const { size } = statSync(file);
  const handle = openSync(file, 'r+');
  for (let page = Math.floor(size / 8192); page < size / 4096; page += 1) {
    writeSync(handle, Buffer.alloc(2048, 0x5a), 0, 2048, page * 4096);
  }
  closeSync(handle);
  return file;
}

test('a damaged file stops the start with an error that names it, and is left as it is', async () => {
  const file = await damagedFile();
  const before = readFileSync(file);
  await expect(openDatabase(file)).rejects.toMatchObject({
    code: 'database_damaged',
    message: expect.stringContaining(file) as string,
    hint: expect.stringContaining('Restore the file') as string,
  });
  expect(readFileSync(file).equals(before)).toBe(true);
});

test('a large damaged file is found beside the work', async () => {
  const file = await damagedFile();
  const database = await openDatabase(file, { checkBytes: 0 });
  onTestFinished(() => database.close());
  const found: string[] = [];
  await checkLargeFile(file, ({ code }) => found.push(code), 0)();
  expect(found).toEqual(['database_damaged']);
  // A small one was checked when it was opened.
  await checkLargeFile(file, ({ code }) => found.push(code))();
  expect(found).toHaveLength(1);
});

test('a sound file is sound, however it is checked', async () => {
  const file = join(temporaryFolder(), 'records.db');
  const database = await temporaryDatabase(file);
  expect(await database.check()).toEqual([]);
  const onDamage = vi.fn<() => void>();
  await checkLargeFile(file, onDamage, 0)();
  expect(onDamage).not.toHaveBeenCalled();
});

test('a reader sees what was committed, changes nothing, and starts no thread before its first call', async () => {
  const file = join(temporaryFolder(), 'records.db');
  const reader = openReader(file);
  onTestFinished(() => reader.close());
  const records = openRecords(await temporaryDatabase(file), { reader });
  await records.append(RECORD);
  expect((await records.query()).records).toHaveLength(1);
  await records.append(RECORD);
  expect((await records.query()).records).toHaveLength(2);
  await expect(reader.run({ sql: 'delete from decisions', parameters: [] })).rejects.toMatchObject({
    code: 'database',
    message: expect.stringContaining('readonly') as string,
  });
  // One that was never asked for anything has nothing to close.
  await openReader(join(temporaryFolder(), 'absent.db')).close();
});

test('a long query of a reader holds up no record', async () => {
  const file = join(temporaryFolder(), 'records.db');
  const reader = openReader(file, { deadlineMs: 60_000 });
  onTestFinished(() => reader.close());
  const records = openRecords(await temporaryDatabase(file), { reader });
  await records.query();
  const order: string[] = [];
  const long = reader
    .run({
      sql: 'with recursive n(x) as (select 1 union all select x + 1 from n limit 10000000) select count(*) as c from n',
      parameters: [],
    })
    .then(() => order.push('query'));
  await records.append(RECORD).then(() => order.push('record'));
  await long;
  expect(order).toEqual(['record', 'query']);
});
