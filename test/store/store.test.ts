import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rowsStatement } from '../../src/sql/store-rows.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { sharedDatabase, temporaryDatabase, temporaryFolder } from '../sql/temporary-folder.ts';

const shared = await sharedDatabase(['store_rows']);

async function storeOf(rows: Readonly<Record<string, unknown>>): Promise<Store> {
  const store = await openStore(shared);
  for (const [key, value] of Object.entries(rows)) await store.put('c', key, value);
  return store;
}

test('a row comes back as it was put, and null where there is none', async () => {
  const value = { text: 'ü \u0000 "', list: [1, null, { a: true }], ['__proto__']: { x: 1 } };
  const store = await storeOf({ k: value });
  expect(await store.get('c', 'k')).toEqual(value);
  expect(await store.getText('c', 'k')).toBe(JSON.stringify(value));
  expect(await store.get('c', 'other')).toBeNull();
  expect(await store.get('other', 'k')).toBeNull();
});

test('put replaces, delete says whether there was a row', async () => {
  const store = await storeOf({ k: 1 });
  await store.put('c', 'k', 2);
  expect(await store.get('c', 'k')).toBe(2);
  expect(await store.delete('c', 'k')).toBe(true);
  expect(await store.delete('c', 'k')).toBe(false);
  expect(await store.get('c', 'k')).toBeNull();
});

test.each([
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '../../etc/passwd',
  "' or 1=1 --",
])('the key %j is a name like any other', async (key) => {
  const store = await storeOf({});
  expect(await store.get('c', key)).toBeNull();
  await store.put('c', key, { own: true });
  expect(await store.get('c', key)).toEqual({ own: true });
  expect(await store.query('c')).toEqual([{ own: true }]);
});

test('a collection named as an object has it inherited is empty', async () => {
  const store = await storeOf({ k: 1 });
  expect(await store.get('__proto__', 'k')).toBeNull();
  expect(await store.query('constructor')).toEqual([]);
});

test.each(['../x', 'a/b', '', 'a b', '*', 'c"', "c'", 'c;drop table store_rows', 'ä', '.hidden'])(
  'the collection name %j is refused',
  async (name) => {
    const store = await storeOf({ k: 1 });
    const refused = { code: 'request_invalid' };
    await expect(store.get(name, 'k')).rejects.toMatchObject(refused);
    await expect(store.query(name)).rejects.toMatchObject(refused);
    await expect(store.put(name, 'k', 1)).rejects.toMatchObject(refused);
    await expect(store.delete(name, 'k')).rejects.toMatchObject(refused);
    await expect(store.load(name, 'x.jsonl')).rejects.toMatchObject(refused);
    expect(await store.collections()).toEqual([{ name: 'c', rows: 1 }]);
  },
);

test.each(['', 'x'.repeat(257), 'é'.repeat(129), 'a\0b', '\ud800'])(
  'the key %j is refused',
  async (key) => {
    const store = await storeOf({});
    await expect(store.put('c', key, 1)).rejects.toMatchObject({ code: 'request_invalid' });
    await expect(store.get('c', key)).rejects.toMatchObject({ code: 'request_invalid' });
  },
);

test('query gives the values of the rows that fit, by key', async () => {
  const store = await storeOf({
    b: { user: 'u1', n: 2 },
    a: { user: 'u1', n: 1 },
    z: { user: 'u2', n: 1 },
  });
  expect(await store.query('c')).toEqual([
    { user: 'u1', n: 1 },
    { user: 'u1', n: 2 },
    { user: 'u2', n: 1 },
  ]);
  expect(await store.query('c', { user: 'u1' })).toEqual([
    { user: 'u1', n: 1 },
    { user: 'u1', n: 2 },
  ]);
  expect(await store.query('c', { user: 'u1', n: 2 })).toEqual([{ user: 'u1', n: 2 }]);
  expect(await store.query('c', { user: 'nobody' })).toEqual([]);
});

test('a filter compares type and value', async () => {
  const values = [1, '1', true, 'true', false, 0, null, { b: 1 }, '{"b":1}', [1], 1.5];
  const store = await storeOf(
    Object.fromEntries(values.map((v, index) => [`k${String(index).padStart(2, '0')}`, { v }])),
  );
  for (const value of [1, '1', true, 'true', false, 0, null, '{"b":1}', 1.5]) {
    expect(await store.query('c', { v: value })).toEqual([{ v: value }]);
  }
  expect(await store.query('c', { v: '[1]' })).toEqual([]);
});

test('null fits null and an absent field, so that a guard sees every row without a mark', async () => {
  const store = await storeOf({ a: { lifted: null }, b: {}, c: { lifted: 'today' }, d: 'text' });
  expect(await store.query('c', { lifted: null })).toEqual([{ lifted: null }, {}, 'text']);
});

test('a dotted field steps into objects, whatever its names are', async () => {
  const store = await storeOf({
    a: { dates: { '2024-05-01': { status: 'landed' } } },
    b: { dates: { '2024-05-01': { status: 'delayed' } } },
  });
  expect(await store.query('c', { 'dates.2024-05-01.status': 'delayed' })).toEqual([
    { dates: { '2024-05-01': { status: 'delayed' } } },
  ]);
});

test.each([
  'a"b',
  "a'b",
  '$.a',
  'a[0]',
  'a..b',
  '',
  'a) or 1=1 --',
  Array.from({ length: 9 }, () => 'a').join('.'),
])('the field %j is refused, in a filter and as an index', async (field) => {
  const store = await storeOf({ k: { a: 1 } });
  await expect(store.query('c', { [field]: 1 })).rejects.toMatchObject({ code: 'request_invalid' });
  await expect(openStore(shared, { indexes: { c: [field] } })).rejects.toMatchObject({
    code: 'request_invalid',
  });
});

test('more than 1000 rows are an error, 1000 are an answer', async () => {
  const database = shared;
  const store = await openStore(database);
  const insert = (key: number) => ({
    sql: "insert into store_rows (collection, key, text) values ('c', ?, '{}')",
    parameters: [`k${key}`],
  });
  await database.batch(Array.from({ length: 1000 }, (_, key) => insert(key)));
  expect(await store.query('c')).toHaveLength(1000);
  await database.run(insert(1000));
  await expect(store.query('c')).rejects.toMatchObject({ code: 'result_too_large' });
});

test('more than 4 MB of rows are an error', async () => {
  const store = await storeOf({});
  for (let key = 0; key < 5; key += 1) await store.put('c', `k${key}`, 'x'.repeat(1_000_000));
  await expect(store.query('c')).rejects.toMatchObject({ code: 'result_too_large' });
});

test('a value that is too deep or too large is refused before it can spoil its collection', async () => {
  const store = await storeOf({ k: { a: 1 } });
  const deep: unknown = JSON.parse('['.repeat(5000) + ']'.repeat(5000));
  await expect(store.put('c', 'deep', deep)).rejects.toMatchObject({ code: 'request_invalid' });
  await expect(store.put('c', 'large', 'é'.repeat(600_000))).rejects.toMatchObject({
    code: 'request_invalid',
  });
  await expect(store.put('c', 'none', undefined)).rejects.toMatchObject({
    code: 'request_invalid',
  });
  expect(await store.query('c', { a: 1 })).toEqual([{ a: 1 }]);
});

test('a declared index is used, and made and dropped as the declaration changes', async () => {
  const file = join(temporaryFolder(), 'data.db');
  const database = await temporaryDatabase(file);
  const plan = async (): Promise<string> => {
    const filter = [
      { path: ['owner', 'id'], value: 'u1' },
      { path: ['cabin'], value: true },
    ];
    const { sql, parameters } = rowsStatement(database, 'c', filter);
    const { rows } = await database.run({ sql: `explain query plan ${sql}`, parameters });
    return rows.map((row) => String(row['detail'])).join('; ');
  };
  await openStore(database);
  expect(await plan()).not.toContain('<expr>');
  const store = await openStore(database, { indexes: { c: ['owner.id'], d: ['owner.id'] } });
  await store.put('c', 'k', { owner: { id: 'u1' }, cabin: true });
  expect(await plan()).toMatch(
    /^SEARCH store_rows USING INDEX \w+ \(collection=\? AND <expr>=\?\)$/,
  );
  expect(await store.query('c', { 'owner.id': 'u1', cabin: true })).toHaveLength(1);
  await openStore(database);
  expect(await plan()).toContain('<expr>');
  await openStore(database, { indexes: {} });
  expect(await plan()).not.toContain('<expr>');
});
