import { expect, test } from 'vitest';
import { callHook, isolateHook, outcomeOf, testHost } from './hosts.ts';

const ECHO = `export const createHook = (config) => ({
  run(point, payload, ctx) {
    ctx.log('seen', payload.toolName);
    return { action: 'block', reason: [point, payload.toolName, config.word].join(' ') };
  },
})`;
const SPIN = 'export default { run() { for (;;); } }';
/** No interrupt check in this builtin: nothing but the end of its process stops it. */
const NATIVE_SPIN =
  'export default { run() { return [].indexOf.call({ length: 2 ** 53 - 1 }, 1) } }';

test('a hook of a package runs in a process of its own and answers with its lines', async () => {
  const host = await testHost();
  expect(await host.load(isolateHook('echo', ECHO, { config: { word: 'w' } }))).toMatchObject({
    ok: true,
  });
  const result = await callHook(host, 'echo');
  expect(outcomeOf(result)).toBe('preToolUse echo w');
  expect(result.logs).toEqual(['seen echo']);
  expect(host.processes()[0]?.pid).not.toBe(process.pid);
});

test.each([
  ['a loop', SPIN],
  ['a native call without interrupt checks', NATIVE_SPIN],
  ['a promise that never settles', 'export default { run: () => new Promise(() => {}) }'],
  [
    'a microtask flood',
    'export default { run() { (function f() { Promise.resolve().then(f) })(); return new Promise(() => {}) } }',
  ],
])('the caller has its decision at the cap when the hook is in %s', async (_name, code) => {
  const host = await testHost();
  await host.load(isolateHook('stuck', code));
  const startedAt = performance.now();
  expect(outcomeOf(await callHook(host, 'stuck', { timeoutMs: 200 }))).toBe('timeout');
  expect(performance.now() - startedAt).toBeLessThan(2000);
});

test('a stuck hook does not hold up the hook of another package, nor its own next call', async () => {
  const host = await testHost();
  await host.load(
    isolateHook(
      'stuck',
      `export default { run(point, payload, ctx) { if (ctx.caller.userId === 'stick') for (;;); } }`,
    ),
  );
  await host.load(isolateHook('echo', ECHO));
  const input = JSON.stringify({
    point: 'preToolUse',
    payload: {},
    ctx: { caller: { userId: 'stick' } },
  });
  const stuck = callHook(host, 'stuck', { timeoutMs: 1000, sessionId: 'a', input });
  const first = await Promise.race([stuck, callHook(host, 'echo')]);
  expect(outcomeOf(first)).toBe('preToolUse echo ');
  expect(outcomeOf(await stuck)).toBe('timeout');
  expect(outcomeOf(await callHook(host, 'stuck', { sessionId: 'b' }))).toBe('invalid_decision');
});

test('two sessions of one package do not share the fate of a stuck call', async () => {
  const host = await testHost();
  await host.load(
    isolateHook(
      'mixed',
      `export default { run(point, payload) { if (payload.toolName === 'stick') for (;;); return { action: 'allow' } } }`,
    ),
  );
  const stuck = callHook(host, 'mixed', {
    sessionId: 'a',
    payload: { toolName: 'stick' },
    timeoutMs: 4000,
  });
  const first = await Promise.race([stuck, callHook(host, 'mixed', { sessionId: 'b' })]);
  expect(outcomeOf(first)).toBe('allow');
  expect(outcomeOf(await stuck)).toBe('timeout');
});

test('a run that waits for its bridge when another kills the process runs once more and answers', async () => {
  const host = await testHost({}, 2);
  await host.load(
    isolateHook(
      'mixed',
      `export default { async run(point, payload, ctx) {
      if (payload.toolName === 'stick') { [].indexOf.call({ length: 2 ** 53 - 1 }, 1); }
      await ctx.store.get('c', 'k');
      return { action: 'block', reason: 'read' };
    } }`,
    ),
  );
  let reads = 0;
  const first = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const bystander = callHook(host, 'mixed', {
    sessionId: 'a',
    ops: ['store.get'],
    timeoutMs: 5000,
    bridge: async () => {
      reads += 1;
      first.resolve();
      if (reads === 1) await gate.promise;
      return { ok: true, value: null };
    },
  });
  await first.promise;
  const culprit = await callHook(host, 'mixed', {
    sessionId: 'b',
    payload: { toolName: 'stick' },
    timeoutMs: 200,
  });
  expect(outcomeOf(culprit)).toBe('timeout');
  expect(outcomeOf(await bystander)).toBe('read');
  expect(reads).toBe(2);
  gate.resolve();
});

test('a bystander that had written is not run again: it fails as lost', async () => {
  const host = await testHost({}, 2);
  await host.load(
    isolateHook(
      'writer',
      `export default { async run(point, payload, ctx) {
      if (payload.toolName === 'stick') { [].indexOf.call({ length: 2 ** 53 - 1 }, 1); }
      await ctx.store.put('c', 'k', 1);
      return { action: 'allow' };
    } }`,
    ),
  );
  let writes = 0;
  const first = Promise.withResolvers<void>();
  const bystander = callHook(host, 'writer', {
    sessionId: 'a',
    ops: ['store.put'],
    timeoutMs: 5000,
    bridge: () => {
      writes += 1;
      first.resolve();
      return new Promise(() => undefined);
    },
  });
  await first.promise;
  await callHook(host, 'writer', {
    sessionId: 'b',
    payload: { toolName: 'stick' },
    timeoutMs: 200,
  });
  const lost = await bystander;
  expect(outcomeOf(lost)).toBe('sandbox_lost');
  expect(lost.role).toBe('bystander');
  expect(writes).toBe(1);
});

test('sessions share no module state, and a session keeps its own', async () => {
  const host = await testHost();
  await host.load(
    isolateHook(
      'count',
      `let n = 0; export default { run: () => ({ action: 'block', reason: String(++n) }) }`,
    ),
  );
  const count = async (sessionId: string): Promise<string> =>
    outcomeOf(await callHook(host, 'count', { sessionId }));
  expect([await count('a'), await count('a'), await count('b'), await count('a')]).toEqual([
    '1',
    '2',
    '1',
    '3',
  ]);
});

test('more sessions than isolates: the least recently used is dropped and every call is answered', async () => {
  const host = await testHost({ maxIsolates: 2 });
  await host.load(isolateHook('echo', ECHO));
  for (const sessionId of ['a', 'b', 'c', 'a', 'd']) {
    expect(outcomeOf(await callHook(host, 'echo', { sessionId }))).toBe('preToolUse echo ');
  }
});

test.each([
  ['a dictionary that grows', 'const o = {}; for (let i = 0; ; i++) o["k" + i] = i;'],
  ['a Map that grows', 'const m = new Map(); for (let i = 0; ; i++) m.set(i, i);'],
  ['an array that grows', 'const a = []; for (;;) a.push([1, 2, 3]);'],
  [
    'memory outside of the heap',
    'const a = []; for (;;) { const b = new Uint8Array(1e7); b.fill(1); a.push(b); }',
  ],
])('%s ends as a failure and the next call is served', async (_name, body) => {
  const host = await testHost();
  await host.load(
    isolateHook(
      'greedy',
      `export default { run(point, payload) { if (payload.toolName === 'eat') { ${body} } return { action: 'allow' } } }`,
    ),
  );
  const result = await callHook(host, 'greedy', { payload: { toolName: 'eat' }, timeoutMs: 3000 });
  expect(['memory', 'crash', 'thrown', 'timeout']).toContain(outcomeOf(result));
  expect(outcomeOf(await callHook(host, 'greedy'))).toBe('allow');
});

test('a hook that exhausts the memory of its engine ends its process, long before its time is over', async () => {
  const host = await testHost();
  const body = 'const m = new Map(); for (let i = 0; ; i++) m.set(i, i);';
  await host.load(isolateHook('greedy', `export default { run() { ${body} } }`));
  const result = await callHook(host, 'greedy', { timeoutMs: 600_000 });
  expect(['crash', 'memory']).toContain(outcomeOf(result));
}, 300_000);

test('an abort by the caller ends the call at once and frees its place', async () => {
  const host = await testHost();
  await host.load(isolateHook('stuck', SPIN));
  const abort = new AbortController();
  const call = callHook(host, 'stuck', { signal: abort.signal, timeoutMs: 5000 });
  setImmediate(() => abort.abort());
  expect(outcomeOf(await call)).toBe('cancelled');
});

test('what waits longer than queueMs fails as queue_timeout, and past queueLength as queue_full', async () => {
  const host = await testHost({ queueMs: 100, queueLength: 2, maxIsolates: 1 });
  await host.load(isolateHook('slow', `export default { run: () => new Promise((r) => { r; }) }`));
  const calls = Array.from({ length: 12 }, (_, index) =>
    callHook(host, 'slow', { sessionId: `s${index}`, timeoutMs: 400 }),
  );
  const outcomes = (await Promise.all(calls)).map(outcomeOf);
  expect(outcomes.filter((outcome) => outcome === 'queue_full').length).toBeGreaterThan(0);
  expect(outcomes.filter((outcome) => outcome === 'queue_timeout').length).toBeGreaterThan(0);
  expect(new Set(outcomes)).toEqual(new Set(['timeout', 'queue_full', 'queue_timeout']));
});

test('closing with a stuck sandbox alive takes less than a second and leaves no process', async () => {
  const host = await testHost();
  await host.load(isolateHook('stuck', NATIVE_SPIN));
  const call = callHook(host, 'stuck', { timeoutMs: 10_000 });
  const pids = host.processes().map(({ pid }) => pid);
  const startedAt = performance.now();
  await host.close();
  expect(performance.now() - startedAt).toBeLessThan(1000);
  for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  expect(['sandbox_lost', 'crash', 'cancelled']).toContain(outcomeOf(await call));
});

test.each([
  ['a top level that loops', 'for (;;);', 'load_timeout'],
  [
    'a top-level await that never settles',
    'await new Promise(() => {}); export default { run() {} }',
    'load_timeout',
  ],
  ['a syntax error', 'export default {', 'load_error'],
  ['no hook', 'export const x = 1', 'load_error'],
  [
    'a factory that throws',
    'export const createHook = () => { throw new Error("no") }',
    'load_error',
  ],
  [
    'an import that nothing bundled',
    'import fs from "node:fs"; export default { run() {} }',
    'load_error',
  ],
])('a module with %s is told at load', async (_name, code, expected) => {
  const host = await testHost({ loadMs: 300 });
  expect(await host.load(isolateHook('bad', code))).toMatchObject({ ok: false, code: expected });
  expect(outcomeOf(await callHook(host, 'bad'))).toBe(expected);
});
