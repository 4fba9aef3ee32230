import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openStore } from '../../src/store/store.ts';
import { sharedDatabase, temporaryDatabase, temporaryFolder } from '../sql/temporary-folder.ts';

const shared = await sharedDatabase(['store_rows']);

function fileOf(content: string | Buffer): string {
  const file = join(temporaryFolder(), 'rows.jsonl');
  writeFileSync(file, content);
  return file;
}

const line = (key: string, value: unknown): string => `${JSON.stringify({ key, value })}\n`;

test('a load puts every row, replaces those of the same key and says how many', async () => {
  const store = await openStore(shared);
  await store.put('c', 'a', 'old');
  await store.put('c', 'kept', 'old');
  const file = fileOf(`\ufeff${line('a', { n: 1 })}\r\n\n${line('b', [2])}${line('b', [3])}`);
  expect(await store.load('c', file)).toEqual({ rows: 2, replaced: 1 });
  expect(await store.query('c')).toEqual([{ n: 1 }, [3], 'old']);
});

test('the last line may lack its newline, an empty file loads nothing', async () => {
  const store = await openStore(shared);
  expect(await store.load('c', fileOf(line('a', 1).trim()))).toEqual({ rows: 1, replaced: 0 });
  expect(await store.load('c', fileOf(''))).toEqual({ rows: 0, replaced: 0 });
});

const GOOD = Array.from({ length: 1200 }, (_, index) => line(`k${index}`, { index })).join('');

test.each([
  ['no JSON', '{"key": "x", "value": secret-text}'],
  ['an array', '["x", 1]'],
  ['no key', '{"value": 1}'],
  ['a key that is no text', '{"key": 1, "value": 1}'],
  ['an empty key', '{"key": "", "value": 1}'],
  ['no value', '{"key": "x"}'],
  ['another name', '{"key": "x", "value": 1, "__proto__": {}}'],
  ['a deep value', `{"key": "x", "value": ${'['.repeat(2000)}${']'.repeat(2000)}}`],
  ['a large value', `{"key": "x", "value": "${'x'.repeat(1_100_000)}"}`],
  ['an endless line', 'x'.repeat(5_000_000)],
  ['bytes that are no UTF-8', Buffer.from([0x22, 0xff, 0x22])],
])('one bad line stops the whole load and is named: %s', async (_, bad) => {
  const store = await openStore(shared);
  await store.put('c', 'k1', 'old');
  const file = fileOf(
    Buffer.concat([Buffer.from(GOOD), Buffer.from(bad), Buffer.from('\n'), Buffer.from(GOOD)]),
  );
  const error: unknown = await store.load('c', file).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 'row_invalid', data: { file, line: 1201 } });
  expect(String(error)).not.toContain('secret-text');
  expect(await store.query('c')).toEqual(['old']);
  // What the failed load left behind must not come back with the next one.
  expect(await store.load('d', fileOf(line('a', 1)))).toEqual({ rows: 1, replaced: 0 });
  expect(await store.query('d')).toEqual([1]);
});

test('a file that is not there is one clear error', async () => {
  const store = await openStore(shared);
  const file = join(temporaryFolder(), 'absent.jsonl');
  await expect(store.load('c', file)).rejects.toMatchObject({ code: 'file_unreadable' });
  await expect(store.load('c', temporaryFolder())).rejects.toMatchObject({
    code: 'file_unreadable',
  });
});

test('a load tells how far it is, and two at once do not mix', async () => {
  const store = await openStore(shared);
  const progress: number[] = [];
  const [first, second] = await Promise.all([
    store.load('c', fileOf(GOOD), { onProgress: ({ rows }) => progress.push(rows) }),
    store.load('d', fileOf(line('a', 1))),
  ]);
  expect(first.rows).toBe(1200);
  expect(second.rows).toBe(1);
  expect(progress).toEqual([500, 1000, 1200]);
  expect(await store.collections()).toEqual([
    { name: 'c', rows: 1200 },
    { name: 'd', rows: 1 },
  ]);
});

const AIRLINE = new URL('../../../shared/data/airline/db/', import.meta.url);

test.skipIf(!existsSync(AIRLINE))(
  'the airline database loads whole and its rows are found (needs ../shared/data)',
  async () => {
    const store = await openStore(await temporaryDatabase(join(temporaryFolder(), 'data.db')), {
      indexes: { reservations: ['user_id'] },
    });
    for (const name of ['flights', 'reservations', 'users']) {
      await store.load(name, new URL(`${name}.jsonl`, AIRLINE).pathname);
    }
    expect(await store.collections()).toEqual([
      { name: 'flights', rows: 300 },
      { name: 'reservations', rows: 2000 },
      { name: 'users', rows: 500 },
    ]);
    const reservations = await store.query('reservations', { user_id: 'chen_jackson_3290' });
    expect(reservations).not.toEqual([]);
    for (const each of reservations) expect(each).toMatchObject({ user_id: 'chen_jackson_3290' });
  },
);
