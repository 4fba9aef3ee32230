import { expect, test } from 'vitest';
import { callHook, isolateHook, outcomeOf, testHost } from './hosts.ts';

const ANSWER = `let calls = 0; export default { run: () => ({ action: 'block', reason: 'call ' + (calls += 1) }) }`;

test('a package that is idle is stopped, and starts again when it is called', async () => {
  const host = await testHost({ idleMs: 200, queueMs: 30_000, loadMs: 30_000 });
  await host.load(isolateHook('idle', ANSWER));
  const call = () => callHook(host, 'idle', { timeoutMs: 30_000 });
  expect(outcomeOf(await call())).toBe('call 1');
  const [before] = host.processes();
  await expect.poll(() => host.processes().length, { timeout: 20_000 }).toBe(0);
  // The kernel takes a killed process away a moment later.
  await expect.poll(() => isThere(before?.pid ?? 0), { timeout: 20_000 }).toBe(false);
  // What the module remembered went with its process.
  expect(outcomeOf(await call())).toBe('call 1');
  expect(host.processes()[0]?.pid).not.toBe(before?.pid);
}, 90_000);

test('a hook that a call has brought up is not loaded once more to be warm', async () => {
  const host = await testHost({ queueMs: 30_000, loadMs: 30_000 });
  host.declare(isolateHook('declared', ANSWER));
  const [result, warm] = await Promise.all([
    callHook(host, 'declared', { timeoutMs: 30_000 }),
    host.warm('declared'),
  ]);
  expect(outcomeOf(result)).toBe('call 1');
  expect(warm).toMatchObject({ ok: true });
  // One load and one run.
  expect(host.processes().map(({ calls }) => calls)).toEqual([2]);
}, 90_000);

test('a package that is at work is not idle, however long it takes', async () => {
  const host = await testHost({ idleMs: 100, queueMs: 30_000, loadMs: 30_000 });
  await host.load(
    isolateHook(
      'asks',
      `export default { async run(p, q, ctx) { await ctx.store.get('c', 'k'); return { action: 'block', reason: 'asked' } } }`,
    ),
  );
  const result = await callHook(host, 'asks', {
    timeoutMs: 30_000,
    ops: ['store.get'],
    bridge: () => new Promise((answer) => setTimeout(() => answer({ ok: true, value: null }), 600)),
  });
  expect(outcomeOf(result)).toBe('asked');
}, 90_000);

test('fifty packages on one machine each answer in a process of their own', async () => {
  const host = await testHost({ queueMs: 60_000, loadMs: 60_000 });
  const names = Array.from({ length: 50 }, (_, at) => `package-${at}`);
  // Loaded in turn: fifty processes that start at once would only wait for each other.
  for (const name of names) {
    expect(await host.load(isolateHook(name, ANSWER))).toMatchObject({ ok: true });
  }
  const results = await Promise.all(
    names.map((name) => callHook(host, name, { timeoutMs: 60_000 })),
  );
  expect(results.map(outcomeOf)).toEqual(names.map(() => 'call 1'));
  expect(new Set(host.processes().map(({ pid }) => pid)).size).toBe(50);
}, 180_000);

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
