import { expect, test } from 'vitest';
import {
  createBridge,
  opsOf,
  type Bridge,
  type BridgeOptions,
  type StorePort,
} from '../../../host/bridges.ts';
import { SignalboxError } from '../../../sdk/errors.ts';
import { LIMITS } from '../../../sdk/limits.ts';
import { openStore } from '../../../src/store/store.ts';
import { sharedDatabase } from '../../sql/temporary-folder.ts';

const store = await openStore(await sharedDatabase(['store_rows']));

function bridgeOf(granted: readonly string[], options: Partial<BridgeOptions> = {}): Bridge {
  return createBridge({
    granted,
    declared: granted,
    ports: { store },
    mode: 'live',
    origin: { point: 'preToolUse', hook: 'guard', context: {} },
    ...options,
  });
}

const ALL = ['store:read', 'store:write'];

test.each([
  [[], []],
  [['store:read'], ['store.get', 'store.query']],
  [['store:read:profile'], ['store.get', 'store.query']],
  [['store:write:log'], ['store.put', 'store.delete']],
  [ALL, ['store.get', 'store.query', 'store.put', 'store.delete']],
  [
    ['net:fetch:a.example', 'secrets:KEY', 'llm:call', 'emits:events'],
    ['fetch', 'secret', 'llm', 'emit'],
  ],
  [['reads_input', 'store:readers', 'net:fetch', 'secrets'], []],
])('the capabilities %j give the operations %j', (granted, ops) => {
  expect(opsOf(granted)).toEqual(ops);
});

test('[AM37] a hook gets the row it asks for, and null where there is none', async () => {
  const { handle } = bridgeOf(ALL);
  expect(await handle('store.put', ['profile', 'u1', { role: 'admin' }])).toEqual({
    ok: true,
    value: null,
  });
  expect(await handle('store.get', ['profile', 'u1'])).toEqual({
    ok: true,
    value: { role: 'admin' },
  });
  expect(await handle('store.get', ['profile', 'u2'])).toEqual({ ok: true, value: null });
  expect(await handle('store.delete', ['profile', 'u1'])).toEqual({ ok: true, value: true });
});

test('[AM38] query gives the rows that fit the filter, or all without one', async () => {
  const { handle } = bridgeOf(ALL);
  await store.put('notes', 'a', { by: 'u1' });
  await store.put('notes', 'b', { by: 'u2' });
  const one = { ok: true, value: [{ by: 'u2' }] };
  const all = { ok: true, value: [{ by: 'u1' }, { by: 'u2' }] };
  expect(await handle('store.query', ['notes', { by: 'u2' }])).toEqual(one);
  expect(await handle('store.query', ['notes'])).toEqual(all);
  expect(await handle('store.query', ['notes', null])).toEqual(all);
  expect(await handle('store.query', ['notes', {}])).toEqual(all);
});

test('a collection that is not granted is refused by the name of the capability alone', async () => {
  const bridge = bridgeOf(['store:read:profile'], {
    declared: ['store:read:profile', 'store:read:orders'],
  });
  await store.put('orders', 'k', 1);
  expect(await bridge.handle('store.get', ['orders', 'k'])).toEqual({
    ok: false,
    code: 'capability',
    message: '"store:read:orders" is not granted',
  });
  const undeclared = await bridge.handle('store.get', ['card_4111111111111111', 'secret-key']);
  expect(undeclared).toMatchObject({ ok: false, code: 'capability' });
  expect(JSON.stringify(undeclared)).toContain('store:read');
  expect(JSON.stringify(undeclared)).not.toMatch(/4111|secret/);
  expect(await bridge.handle('store.put', ['profile', 'k', 1])).toMatchObject({
    code: 'capability',
  });
  expect(await bridge.handle('store.get', ['profile', 'k'])).toMatchObject({ ok: true });
});

test('a grant for one collection does not cover one whose name begins like it', async () => {
  const { handle } = bridgeOf(['store:read:profile']);
  for (const name of ['profiles', 'profile.x', 'profile-x', 'PROFILE', 'pro']) {
    expect(await handle('store.get', [name, 'k'])).toMatchObject({ code: 'capability' });
  }
});

const deep: unknown = JSON.parse(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`);

test.each<readonly [string, string, readonly unknown[]]>([
  ['no arguments', 'store.get', []],
  ['too few', 'store.get', ['c']],
  ['too many', 'store.get', ['c', 'k', 1]],
  ['a traversal as the collection', 'store.get', ['../../etc', 'passwd']],
  ['a collection that is an object', 'store.get', [{ toString: 'c' }, 'k']],
  ['a collection that is an array', 'store.get', [['c'], 'k']],
  ['an empty collection', 'store.query', ['']],
  ['SQL as the collection', 'store.query', ["c' or '1'='1"]],
  ['a key that is a number', 'store.get', ['c', 1]],
  ['a key that is an array', 'store.get', ['c', ['k']]],
  ['a key that is null', 'store.get', ['c', null]],
  ['a key of 257 bytes', 'store.get', ['c', 'x'.repeat(257)]],
  ['a key of 130 two-byte characters', 'store.get', ['c', 'é'.repeat(130)]],
  ['a key with NUL', 'store.get', ['c', 'a\0b']],
  ['a filter that is a text', 'store.query', ['c', 'x']],
  ['a filter that is an array', 'store.query', ['c', [1]]],
  ['a filter 20,000 deep', 'store.query', ['c', deep]],
  ['a filter with a path of its own', 'store.query', ['c', { '$.a': 1 }]],
  ['a filter with quotes', 'store.query', ['c', { 'a"\'': 1 }]],
  ['a filter with an operator', 'store.query', ['c', { a: { $ne: 1 } }]],
  ['a filter of 5 KB', 'store.query', ['c', { a: 'x'.repeat(5000) }]],
  [
    'a filter of 33 fields',
    'store.query',
    ['c', Object.fromEntries(Array.from({ length: 33 }, (_, n) => [`f${n}`, n]))],
  ],
  ['a value 20,000 deep', 'store.put', ['c', 'k', deep]],
  ['a value over 1 MB', 'store.put', ['c', 'k', 'x'.repeat(LIMITS.storeValueBytes)]],
  ['an operation that is none', 'store.drop', ['c']],
  ['an operation that objects inherit', 'constructor', ['c', 'k']],
  ['an operation that objects inherit, too', '__proto__', ['c', 'k']],
])('bad arguments are refused without an echo: %s', async (_, op, args) => {
  const bridge = bridgeOf(ALL);
  const answer = await bridge.handle(op, args);
  expect(answer).toMatchObject({ ok: false, code: 'invalid' });
  expect(JSON.stringify(answer).length).toBeLessThan(200);
  expect(bridge.used()).toEqual([]);
  expect(await store.collections()).toEqual([]);
});

test('a key such as __proto__ is a row like any other, and null without one', async () => {
  const { handle } = bridgeOf(ALL);
  for (const key of ['__proto__', 'constructor', '../../etc/passwd']) {
    expect(await handle('store.get', ['c', key])).toEqual({ ok: true, value: null });
  }
  const filter: unknown = JSON.parse('{"__proto__": 1}');
  expect(await handle('store.query', ['c', filter])).toEqual({ ok: true, value: [] });
});

test('a run has credit for so many calls, refused ones included', async () => {
  const { handle } = bridgeOf(['store:read']);
  for (let call = 0; call < LIMITS.storeCalls; call += 1) {
    const answer = await handle(call % 2 ? 'store.get' : 'store.put', ['c', 'k']);
    expect(answer).not.toMatchObject({ code: 'credit' });
  }
  expect(await handle('store.get', ['c', 'k'])).toMatchObject({ ok: false, code: 'credit' });
  expect(await bridgeOf(['store:read']).handle('store.get', ['c', 'k'])).toMatchObject({
    ok: true,
  });
});

test('a test run changes nothing and hears nothing of it', async () => {
  const { handle } = bridgeOf(ALL, { mode: 'test' });
  await store.put('c', 'k', 1);
  expect(await handle('store.put', ['c', 'k', 2])).toEqual({ ok: true, value: null });
  expect(await handle('store.delete', ['c', 'k'])).toMatchObject({ ok: true });
  expect(await handle('store.get', ['c', 'k'])).toEqual({ ok: true, value: 1 });
  expect(await handle('store.put', ['c', 1, 2])).toMatchObject({ code: 'invalid' });
});

test('a shadow run reads, and is told that it cannot write', async () => {
  const { handle } = bridgeOf(ALL, { mode: 'shadow' });
  await store.put('c', 'k', 1);
  expect(await handle('store.put', ['c', 'k', 2])).toMatchObject({ ok: false, code: 'shadow' });
  expect(await handle('store.delete', ['c', 'k'])).toMatchObject({ ok: false, code: 'shadow' });
  expect(await handle('store.get', ['c', 'k'])).toEqual({ ok: true, value: 1 });
});

test('what was used is counted by capability and scope', async () => {
  const bridge = bridgeOf(ALL);
  await bridge.handle('store.get', ['a', 'k']);
  await bridge.handle('store.query', ['a']);
  await bridge.handle('store.get', ['b', 'k']);
  await bridge.handle('store.put', ['a', 'k', 1]);
  expect(bridge.used()).toEqual([
    { capability: 'store:read', scope: 'a', count: 2 },
    { capability: 'store:read', scope: 'b', count: 1 },
    { capability: 'store:write', scope: 'a', count: 1 },
  ]);
});

test('a store that fails tells the hook that much and no more', async () => {
  const fail = (): Promise<never> =>
    Promise.reject(new SignalboxError('database', { detail: 'open /home/me/secret.db' }));
  const failing: StorePort = { get: fail, query: fail, put: fail, delete: fail };
  const unavailable = {
    ok: false,
    code: 'unavailable',
    message: 'The operation is not available now',
  };
  for (const ports of [{ store: failing }, {}]) {
    const { handle } = bridgeOf(ALL, { ports });
    expect(await handle('store.get', ['c', 'k'])).toEqual(unavailable);
    expect(await handle('store.query', ['c'])).toEqual(unavailable);
    expect(await handle('store.put', ['c', 'k', 1])).toEqual(unavailable);
    expect(await handle('store.delete', ['c', 'k'])).toEqual(unavailable);
  }
});

test('a store that throws at once is a failed store', async () => {
  const broken = {
    get: () => {
      throw new TypeError('at /home/me/store.ts');
    },
  } as unknown as StorePort; // a port that breaks its own type
  const { handle } = bridgeOf(ALL, { ports: { store: broken } });
  expect(await handle('store.get', ['c', 'k'])).toMatchObject({ code: 'unavailable' });
});

test('a query that is too large says so, so that the hook can narrow it', async () => {
  for (let key = 0; key < 5; key += 1) await store.put('c', `k${key}`, 'x'.repeat(1_000_000));
  expect(await bridgeOf(ALL).handle('store.query', ['c'])).toMatchObject({
    code: 'invalid',
    message: expect.stringContaining('narrow') as string,
  });
});
