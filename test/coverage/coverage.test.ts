import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMaskedFailures } from '../../src/coverage/masked-failures.ts';
import type { LiveRuntime } from '../../src/index.ts';
import { openTemporary, type TemporaryRuntime } from '../runtime/temporary-runtime.ts';

let temporary: TemporaryRuntime;
let runtime: LiveRuntime;

beforeAll(async () => {
  temporary = await openTemporary(
    {
      guard: { run: '({ action: "allow" })', manifest: { points: ['preToolUse', 'preInput'] } },
      chats: {
        run: '({ action: "allow" })',
        manifest: { points: ['preOutput'], when: { users: ['ann'] } },
      },
      trial: { run: '({ action: "allow" })', manifest: { points: ['postTurn'] } },
      idle: { run: '({ action: "allow" })', manifest: { points: ['preCompact'] } },
      loose: {
        run: '{ throw new Error("x"); }',
        manifest: { points: ['postToolUse'], failPolicy: 'open' },
      },
    },
    { hooks: { mode: { trial: 'shadow' } } },
  );
  ({ runtime } = temporary);
}, 120_000);
afterAll(() => temporary?.remove());

test('ways in that no hook guards are told apart by source and by sub-agent', async () => {
  const call = { toolName: 't' };
  await runtime.fire('preToolUse', call);
  await runtime.fire('preOutput', { text: 'x' }, { caller: { userId: 'ann', source: 'chat' } });
  await runtime.fire('preOutput', { text: 'x' }, { caller: { userId: 'bob', source: 'webhook' } });
  const agent = { id: 'child', parent: 'main' };
  await runtime.fire('preOutput', { text: 'x' }, { agent });
  await runtime.fire('sessionEnd', { sessionId: 's', status: 'completed' });
  await runtime.test({ point: 'preToolUse', payload: call });
  const { points, openPaths, pointsWithoutHook, passedWithoutHook } = runtime.coverage();
  expect(points).toEqual([
    { point: 'sessionEnd', calls: 1, withoutHook: 1, hooks: 0 },
    { point: 'preOutput', calls: 3, withoutHook: 2, hooks: 1 },
    { point: 'preToolUse', calls: 1, withoutHook: 0, hooks: 1 },
  ]);
  expect(openPaths).toEqual([
    { point: 'sessionEnd', source: 'unknown', isSubAgent: false, withoutHook: 1 },
    { point: 'preOutput', source: 'webhook', isSubAgent: false, withoutHook: 1 },
    { point: 'preOutput', source: 'unknown', isSubAgent: true, withoutHook: 1 },
  ]);
  expect(pointsWithoutHook).toEqual(['sessionEnd']);
  expect(passedWithoutHook).toBe(3);
});

test('a bound hook that never ran is named with its point', async () => {
  await runtime.fire('postTurn', { turn: 1, input: 'x', output: 'y' });
  const never = () => runtime.coverage().hooksNeverRun.map(({ hook, point }) => `${hook} ${point}`);
  await expect.poll(never, { timeout: 20_000 }).not.toContain('trial postTurn');
  expect(never()).toEqual(['guard preInput', 'loose postToolUse', 'idle preCompact']);
});

test('health is degraded while a failPolicy hides failures, and says whose', async () => {
  expect(runtime.inventory()).toMatchObject({ health: 'ok', masked: [] });
  const verdict = await runtime.fire('postToolUse', { toolName: 't', result: 'r' });
  expect(verdict.action).toBe('allow');
  expect(runtime.inventory()).toMatchObject({
    health: 'degraded',
    masked: [{ hook: 'loose', point: 'postToolUse', code: 'thrown' }],
  });
  expect(runtime.coverage().passedDespiteFailure).toBe(1);
});

test('a hidden failure is forgotten after five minutes without another', () => {
  let now = 1_000_000;
  const masked = createMaskedFailures(() => now);
  const fire = { point: 'preInput', startTime: now, ms: 1, action: 'allow', notRun: [] } as const;
  const run = { hook: 'a', action: 'allow', code: 'timeout', ms: 1, modified: false } as const;
  masked.observer.onVerdict({ fireId: 'f', ...fire, hooks: [run] });
  masked.observer.onVerdict({
    fireId: 'g',
    ...fire,
    hooks: [{ ...run, hook: 'closed', action: 'block' }],
  });
  expect(masked.ofLate().map(({ hook }) => hook)).toEqual(['a']);
  now += 300_002;
  expect(masked.ofLate()).toEqual([]);
});
