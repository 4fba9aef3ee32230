import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LiveRuntime, Verdict } from '../../src/index.ts';
import { openTemporary, type TemporaryRuntime } from './temporary-runtime.ts';

let temporary: TemporaryRuntime;
let runtime: LiveRuntime;

beforeAll(async () => {
  temporary = await openTemporary(
    {
      writer: {
        run: '({ action: "allow", outputs: { risk: payload.text.length } })',
        manifest: { points: ['preInput'], outputs: ['risk'], priority: 9 },
      },
      reader: {
        run: '({ action: "allow", notice: { text: JSON.stringify(ctx.inputs) } })',
        manifest: { points: ['preInput', 'preToolUse'], inputs: ['risk', 'absent'] },
      },
      other: {
        run: '({ action: "allow", notice: { text: JSON.stringify(ctx.inputs) } })',
        manifest: { points: ['preCompact'] },
      },
      stubborn: {
        run: '({ action: "rework", feedback: "shorter" })',
        manifest: { points: ['preOutput'] },
      },
      injector: {
        run: '({ action: "allow", inject: [{ content: "x".repeat(payload.durationMs) }] })',
        manifest: { points: ['postToolUse'] },
      },
      counter: {
        module:
          'let calls = 0; export const run = () => ({ action: "allow", notice: { text: String(++calls) } });',
        manifest: { points: ['preSystemPrompt'] },
      },
    },
    { limits: { injectionChars: 100, injectionTokensPerTurn: 40 } },
  );
  ({ runtime } = temporary);
});

afterAll(() => temporary.remove());

function texts(verdict: Pick<Verdict, 'notices'>): string[] {
  return verdict.notices.map(({ text }) => text);
}

test('a hook reads what one before it published, in the same chain and later in the turn', async () => {
  const context = { sessionId: 'a', turnId: '1' };
  expect(texts(await runtime.fire('preInput', { text: 'abc' }, context))).toEqual(['{"risk":3}']);
  expect(texts(await runtime.fire('preToolUse', { toolName: 'x' }, context))).toEqual([
    '{"risk":3}',
  ]);
});

test('nothing of a turn is left once its session has ended', async () => {
  const context = { sessionId: 'ended', turnId: '1' };
  await runtime.fire('preInput', { text: 'abc' }, context);
  await runtime.fire('sessionEnd', { sessionId: 'ended' }, context);
  expect(texts(await runtime.fire('preToolUse', { toolName: 'x' }, context))).toEqual(['{}']);
});

test('the next turn and other sessions start with an empty bag', async () => {
  await runtime.fire('preInput', { text: 'abc' }, { sessionId: 'b', turnId: '1' });
  expect(
    texts(await runtime.fire('preToolUse', { toolName: 'x' }, { sessionId: 'b', turnId: '2' })),
  ).toEqual(['{}']);
  expect(
    texts(await runtime.fire('preToolUse', { toolName: 'x' }, { sessionId: 'c', turnId: '1' })),
  ).toEqual(['{}']);
  await runtime.fire('preInput', { text: 'abc' });
  expect(texts(await runtime.fire('preToolUse', { toolName: 'x' }))).toEqual(['{}']);
});

test('a hook sees only the keys that it declares', async () => {
  await runtime.fire('preInput', { text: 'abc' }, { sessionId: 'd' });
  expect(
    texts(await runtime.fire('preCompact', { evicted: [], summary: '' }, { sessionId: 'd' })),
  ).toEqual(['{}']);
});

test('ending a session forgets its bag', async () => {
  await runtime.fire('preInput', { text: 'abc' }, { sessionId: 'e' });
  runtime.endSession('e');
  expect(texts(await runtime.fire('preToolUse', { toolName: 'x' }, { sessionId: 'e' }))).toEqual([
    '{}',
  ]);
});

test('a third rework in one turn is a block', async () => {
  const context = { sessionId: 'f', turnId: '1' };
  const fire = (): Promise<Verdict<'preOutput'>> =>
    runtime.fire('preOutput', { text: 'long' }, context);
  expect(await fire()).toMatchObject({ action: 'rework', feedback: 'shorter' });
  expect(await fire()).toMatchObject({ action: 'rework' });
  const third = await fire();
  expect(third).toMatchObject({ action: 'block', code: 'rework_limit', hook: 'stubborn' });
  expect(third.feedback).toBeUndefined();
  expect(
    await runtime.fire('preOutput', { text: 'long' }, { ...context, turnId: '2' }),
  ).toMatchObject({ action: 'rework' });
  const { records } = await runtime.records.query({ session: 'f', code: 'rework_limit' });
  expect(records).toMatchObject([{ hook: 'stubborn', action: 'block', package: 'plain' }]);
});

test('injections over the tokens of a turn go in and are warned of', async () => {
  const context = { sessionId: 'g', turnId: '1' };
  const fire = (durationMs: number): Promise<Verdict<'postToolUse'>> =>
    runtime.fire('postToolUse', { toolName: 'x', args: {}, durationMs }, context);
  expect((await fire(100)).inject).toHaveLength(1);
  expect(temporary.logged().filter(({ event }) => event === 'injection_overflow')).toEqual([]);
  expect((await fire(100)).inject).toHaveLength(1);
  expect(temporary.logged()).toContainEqual(
    expect.objectContaining({ event: 'injection_overflow', session: 'g', point: 'postToolUse' }),
  );
});

test('one injection over its limit is a failure of the hook', async () => {
  const verdict = await runtime.fire(
    'postToolUse',
    { toolName: 'x', args: {}, durationMs: 101 },
    { sessionId: 'h' },
  );
  expect(verdict).toMatchObject({ action: 'block', code: 'invalid_decision', inject: [] });
  const { records } = await runtime.records.query({ session: 'h' });
  expect(records[0]?.reason).toBe('Context injection exceeds 100 characters');
});

test('module state is shared within a session and never between two; a call without a session has its own', async () => {
  const fire = (sessionId?: string): Promise<Verdict> =>
    runtime.fire(
      'preSystemPrompt',
      { systemPrompt: 'p' },
      sessionId === undefined ? {} : { sessionId },
    );
  expect(texts(await fire('i'))).toEqual(['1']);
  expect(texts(await fire('i'))).toEqual(['2']);
  expect(texts(await fire('j'))).toEqual(['1']);
  expect(texts(await fire())).toEqual(['1']);
  expect(texts(await fire())).toEqual(['1']);
});
