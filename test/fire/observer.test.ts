import { afterAll, beforeAll, expect, test } from 'vitest';

import type { ObservedFire, ObservedRun } from '../../src/fire/observer.ts';
import { openTemporary, type TemporaryRuntime } from '../runtime/temporary-runtime.ts';

let temporary: TemporaryRuntime;

beforeAll(async () => {
  temporary = await openTemporary(
    {
      guard: {
        run: `payload.toolName === 'cancel'
          ? { action: 'block', reason: 'Ask jane@example.com' } : { action: 'allow' }`,
      },
      later: { manifest: { priority: 1 } },
      watcher: { run: `({ action: 'block', reason: 'Would not' })`, manifest: { priority: 2 } },
    },
    { hooks: { mode: { watcher: 'shadow' } } },
  );
});
afterAll(() => temporary.remove());

const CONTEXT = { sessionId: 's\n1', turnId: 't', agent: { id: 'main' } };

test('an observer is told of a verdict: who answered what, who did not run, and nothing of the payload but the name of the tool', async () => {
  const fires: ObservedFire[] = [];
  const remove = temporary.runtime.observers.add({ onVerdict: (fire) => void fires.push(fire) });
  const payload = { toolName: 'cancel', args: { secret: 'tell nobody' }, toolCallId: 'c1' };
  const verdict = await temporary.runtime.fire('preToolUse', payload, CONTEXT);
  remove();
  await temporary.runtime.fire('preToolUse', payload, CONTEXT);
  expect(fires).toEqual([
    {
      fireId: verdict.id,
      point: 'preToolUse',
      sessionId: 's\\u{a}1',
      turnId: 't',
      agentId: 'main',
      toolCallId: 'c1',
      toolName: 'cancel',
      startTime: expect.closeTo(Date.now(), -6),
      ms: expect.any(Number),
      action: 'block',
      hook: 'guard',
      reason: 'Ask [email]',
      hooks: [
        {
          hook: 'guard',
          package: 'plain',
          version: '1.0.0',
          action: 'block',
          reason: 'Ask [email]',
          ms: expect.any(Number),
          modified: false,
        },
      ],
      notRun: ['later'],
    },
  ]);
  expect(JSON.stringify(fires)).not.toContain('tell nobody');
});

test('what a model wrote as the name of a tool is cut before anything keeps it', async () => {
  const fires: ObservedFire[] = [];
  const remove = temporary.runtime.observers.add({ onVerdict: (fire) => void fires.push(fire) });
  const context = { traceparent: `00-${'0'.repeat(100_000)}` };
  await temporary.runtime.fire('preToolUse', { toolName: 'x'.repeat(100_000), args: {} }, context);
  remove();
  expect(JSON.stringify(fires).length).toBeLessThan(2000);
});

test('what an observer throws reaches nobody, and the others are told all the same', async () => {
  const told: string[] = [];
  const removals = [
    temporary.runtime.observers.add({
      onVerdict: () => {
        throw new Error('no');
      },
    }),
    temporary.runtime.observers.add({ onVerdict: ({ fireId }) => void told.push(fireId) }),
  ];
  const { id, action } = await temporary.runtime.fire('preToolUse', { toolName: 'x', args: {} });
  for (const remove of removals) remove();
  expect(action).toBe('allow');
  expect(told).toEqual([id]);
});

test('an observer hears what a hook in shadow mode would have done', async () => {
  const runs: (ObservedRun & { readonly fireId: string })[] = [];
  const remove = temporary.runtime.observers.add({
    onVerdict: () => undefined,
    onShadow: ({ fireId }, run) => void runs.push({ ...run, fireId }),
  });
  const { id } = await temporary.runtime.fire('preToolUse', { toolName: 'x', args: {} });
  await expect
    .poll(() => runs.filter(({ fireId }) => fireId === id), { timeout: 20_000 })
    .toMatchObject([{ hook: 'watcher', action: 'block', reason: 'Would not' }]);
  remove();
});
