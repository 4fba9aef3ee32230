import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTemporary, type TemporaryRuntime } from './temporary-runtime.ts';

let temporary: TemporaryRuntime;

beforeAll(async () => {
  temporary = await openTemporary(
    {
      second: {
        manifest: {
          priority: 10,
          points: ['preToolUse', 'postTurn'],
          label: 'Second',
          description: 'runs later',
          memoryMb: 64,
        },
      },
      first: { home: 'local', manifest: { priority: -1, failPolicy: 'open' } },
      watched: { manifest: { points: ['preToolUse'] } },
      short: { manifest: { capabilities: ['store:read'] } },
      reader: { manifest: { inputs: ['k'] } },
      giver: { manifest: { outputs: ['k'] } },
    },
    { hooks: { mode: { watched: 'shadow' }, order: ['reader'], disabled: ['short'] } },
  );
});

afterAll(() => temporary.remove());

test('the inventory tells of each hook where it runs, what it may do, and its place in each chain', () => {
  const { hooks } = temporary.runtime.inventory();
  const row = (name: string): unknown => hooks.find(({ hook }) => hook === name);
  expect(row('second')).toMatchObject({
    label: 'Second',
    description: 'runs later',
    origin: { kind: 'package', name: 'plain', version: '1.0.0' },
    sandbox: 'isolate',
    contract: 'signalbox',
    priority: 10,
    timeoutMs: 10_000,
    memoryMb: 64,
    mode: 'enforce',
    state: 'live',
    points: [
      { point: 'preToolUse', failPolicy: 'closed', order: 4 },
      { point: 'postTurn', failPolicy: 'open', order: 1 },
    ],
  });
  expect(row('first')).toMatchObject({
    origin: { kind: 'local' },
    sandbox: 'worker',
    points: [{ order: 2, failPolicy: 'open' }],
  });
  expect(row('watched')).toMatchObject({ mode: 'shadow', points: [{ order: 1 }] });
});

test('an order against a bag edge is a warning there and in the log', () => {
  const { warnings, health } = temporary.runtime.inventory();
  expect(warnings).toMatchObject([
    { code: 'order_conflict', data: { consumer: 'reader', producer: 'giver' } },
  ]);
  expect(temporary.logged()).toContainEqual(expect.objectContaining({ event: 'order_conflict' }));
  expect(health).toBe('ok');
});

test('what is not in the chain is listed with its reason', () => {
  expect(temporary.runtime.inventory().absent).toMatchObject([
    { hook: 'short', reason: 'disabled' },
  ]);
});
