import { expect, expectTypeOf, test } from 'vitest';
import { allow, ask, block, defineHook, modify, result, rework, suppress } from '@signalbox/sdk';
import type { Decision } from '@signalbox/sdk';
import { parseDecision } from '../../sdk/parse-decision.ts';

test('a hook is handed back as it was given', () => {
  const hook = { points: ['preInput'] as const, run: () => allow() };
  expect(defineHook(hook)).toBe(hook);
});

test('asking for the point tells the type of the payload, with and without ctx', () => {
  const short = defineHook({
    points: ['preInput', 'preToolUse'],
    run(point, payload) {
      if (point === 'preInput') expectTypeOf(payload.text).toEqualTypeOf<string>();
      else expectTypeOf(payload.args).toEqualTypeOf<Record<string, unknown>>();
      return allow();
    },
  });
  const long = defineHook({
    points: ['preInput', 'preToolUse'],
    run(point, payload, ctx) {
      ctx.log(point === 'preInput' ? payload.source : payload.toolName);
      return allow();
    },
  });
  expectTypeOf(short).toEqualTypeOf(long);
  expect(short.points).toEqual(long.points);
});

test('points and answers that do not exist are type errors', () => {
  // @ts-expect-error there is no such point
  const wrongPoint = defineHook({ points: ['beforeLunch'], run: () => allow() });
  // @ts-expect-error "deny" is no action
  const wrongAnswer = defineHook({ points: ['preInput'], run: () => ({ action: 'deny' }) });
  expect([wrongPoint.points, wrongAnswer.points]).toEqual([['beforeLunch'], ['preInput']]);
});

const BUILT: Record<
  string,
  { point: 'preInput' | 'preToolUse' | 'preOutput'; decision: Decision }
> = {
  allow: { point: 'preInput', decision: allow() },
  block: { point: 'preInput', decision: block('no') },
  ask: {
    point: 'preToolUse',
    decision: ask('sure?', { options: ['Yes', 'No'], timeoutMs: 1000, default: 'deny' }),
  },
  modify: { point: 'preInput', decision: modify({ text: 'b' }, 'note') },
  result: { point: 'preToolUse', decision: result({ a: 1 }, { isError: true }) },
  rework: { point: 'preOutput', decision: rework('again') },
  suppress: { point: 'preOutput', decision: suppress('…') },
};

test.each(Object.entries(BUILT))(
  'what %s() builds is a legal decision',
  (_, { point, decision }) => {
    const granted = ['gates_input', 'gates_tools', 'gates_output'];
    const parsed = parseDecision(JSON.stringify(decision), {
      point,
      delivered: { text: 'a' },
      granted,
    });
    expect(parsed).toEqual({ ok: true, decision });
  },
);

test('builders leave out what was not given', () => {
  expect(Object.keys(modify({}))).toEqual(['action', 'payload']);
  expect(Object.keys(suppress())).toEqual(['action']);
});
