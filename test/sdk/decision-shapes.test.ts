import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CAPABILITIES } from '../../sdk/capabilities.ts';
import { ACTION_NAMES } from '../../sdk/decisions.ts';
import { parseDecision, type ParseContext, type ParsedDecision } from '../../sdk/parse-decision.ts';
import type { Point } from '../../sdk/points.ts';

const ALL = Object.keys(CAPABILITIES);
const CALL = {
  toolName: 'send',
  args: { to: 'a@b.co' },
  isDelegated: false,
  planModeActive: false,
  timestamp: '2026-01-01T00:00:00.000Z',
};

function parse(answer: unknown, rest: Partial<ParseContext> = {}): ParsedDecision {
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
  return parseDecision(text, { point: 'preToolUse', delivered: CALL, granted: ALL, ...rest });
}

test.each([
  { action: 'allow' },
  { action: 'block' },
  { action: 'block', reason: 'no' },
  { action: 'ask', reason: 'sure?' },
  { action: 'ask', reason: 'sure?', prompt: 'p', options: ['a'], timeoutMs: 5, default: 'allow' },
  { action: 'modify', payload: { args: {} } },
  { action: 'modify', payload: { args: {} }, note: 'n' },
  { action: 'result', result: null },
  { action: 'result', result: { a: [1] }, isError: true },
  { action: 'rework', feedback: 'again' },
  {
    action: 'allow',
    inject: [],
    suppressOutput: true,
    outputs: {},
    notice: { text: 't', level: 'error' },
  },
  {
    action: 'allow',
    inject: [{ content: 'c', role: 'user', ephemeral: true, appendToLastToolResult: true }],
  },
])('the exact shape %j is a decision', (answer) => {
  expect(parse(answer)).toEqual({ ok: true, decision: answer });
});

test.each([
  ['an unknown key instead of an action', { approve: false, reason: 'no TODOs' }],
  ['an unknown action', { action: 'deny', reason: 'x' }],
  ['an action of another case', { action: 'Block' }],
  ['an action with white space', { action: 'block ' }],
  ['an object for an action', { action: { type: 'block' } }],
  ['an array for an action', { action: ['block'] }],
  ['null for an action', { action: null }],
  ['an inherited name for an action', { action: 'constructor' }],
  ['an empty object', {}],
  ['an array', [{ action: 'block' }]],
  ['a string', '"block"'],
  ['a string of a decision', JSON.stringify('{"action":"allow"}')],
  ['null', 'null'],
  ['a number', '0'],
  ['true', 'true'],
  ['no text', ''],
  ['the word undefined', 'undefined'],
  ['broken JSON', '{"action":"allow"'],
  ['two values', '{"action":"allow"}{"action":"block"}'],
  ['JSON with a comment', '{"action":"allow"}//'],
  ['an extra key', { action: 'allow', because: 'fine' }],
  ['a reason of an allow that is no text', { action: 'allow', reason: 5 }],
  ['the key __proto__', '{"action":"allow","__proto__":{"a":1}}'],
  ['a key of another action', { action: 'block', reason: 'x', payload: {} }],
  ['a reason that is no text', { action: 'block', reason: 5 }],
  ['a reason that is null', { action: 'block', reason: null }],
  ['an ask without a reason', { action: 'ask' }],
  ['an ask with an empty reason', { action: 'ask', reason: '' }],
  ['an ask without options to choose from', { action: 'ask', reason: 'r', options: [] }],
  ['an ask with options that are no texts', { action: 'ask', reason: 'r', options: [1] }],
  ['an ask that waits for no time', { action: 'ask', reason: 'r', timeoutMs: 0 }],
  ['an ask that waits for ever', '{"action":"ask","reason":"r","timeoutMs":1e999}'],
  ['an ask with an unknown default', { action: 'ask', reason: 'r', default: 'block' }],
  ['a modify without a payload', { action: 'modify' }],
  ['a modify with a list', { action: 'modify', payload: [] }],
  ['a modify with a text', { action: 'modify', payload: 'x' }],
  ['a modify with null', { action: 'modify', payload: null }],
  ['a modify of a field that is not writable', { action: 'modify', payload: { toolCallId: 'x' } }],
  ['a modify of an unknown field', { action: 'modify', payload: { arguments: {} } }],
  ['an unknown field set to null', { action: 'modify', payload: { arguments: null } }],
  ['a changed timestamp', { action: 'modify', payload: { timestamp: 'now' } }],
  ['a required field set to null', { action: 'modify', payload: { args: null } }],
  ['__proto__ as a field', '{"action":"modify","payload":{"__proto__":{"args":{}}}}'],
  ['a note that is no text', { action: 'modify', payload: {}, note: {} }],
  ['a result without a result', { action: 'result' }],
  ['an isError that is no boolean', { action: 'result', result: 1, isError: 'true' }],
  ['a rework without feedback', { action: 'rework' }],
  ['a rework with empty feedback', { action: 'rework', feedback: '' }],
  ['an inject that is no list', { action: 'allow', inject: { content: 'c' } }],
  ['an inject without content', { action: 'allow', inject: [{ role: 'system' }] }],
  ['an inject of an unknown role', { action: 'allow', inject: [{ content: 'c', role: 'tool' }] }],
  ['an inject with an extra key', { action: 'allow', inject: [{ content: 'c', hook: 'other' }] }],
  ['more injections than may be', { action: 'allow', inject: Array(33).fill({ content: 'c' }) }],
  ['a notice of an unknown level', { action: 'allow', notice: { text: 't', level: 'fatal' } }],
  ['outputs that are a list', { action: 'allow', outputs: [] }],
  ['a suppressOutput that is no boolean', { action: 'allow', suppressOutput: 1 }],
  ['retry control away from preRetry', { action: 'allow', retry: { abort: true } }],
])('%s is a failure', (_, answer) => {
  const parsed = parse(answer);
  expect(parsed).toMatchObject({ ok: false, code: 'invalid_decision' });
});

test('[A03] the message of an unknown action lists the legal words', () => {
  const parsed = parse({ action: 'deny', reason: 'x' });
  expect(parsed).toMatchObject({
    detail: expect.stringContaining('allow, block, ask, modify, result, rework') as string,
  });
});

test('[A01] the message of an answer without an action names the keys it has', () => {
  const parsed = parse({ approve: false, reason: 'no TODOs' });
  expect(parsed).toMatchObject({
    detail: expect.stringContaining('keys: approve, reason') as string,
  });
});

test('a message holds no value of the answer', () => {
  for (const answer of [
    { action: 'block', reason: { s: 'SECRET' } },
    { action: 'SECRET' },
    { action: 'modify', payload: { toolCallId: 'SECRET' } },
  ]) {
    expect(JSON.stringify(parse(answer))).not.toContain('SECRET');
  }
});

test('a field returned unchanged is fine, whatever the order of its keys', () => {
  const delivered = { ...CALL, args: { a: 1, b: [{ c: null, d: -0 }] } };
  const payload = {
    args: { b: [{ d: 0, c: null }], a: 1 },
    timestamp: CALL.timestamp,
    isDelegated: false,
  };
  expect(parse({ action: 'modify', payload }, { delivered })).toEqual({
    ok: true,
    decision: { action: 'modify', payload: {} },
  });
});

test('a modify comes back with the fields alone that change', () => {
  const payload = { ...CALL, toolName: 'other' };
  expect(parse({ action: 'modify', payload })).toEqual({
    ok: true,
    decision: { action: 'modify', payload: { toolName: 'other' } },
  });
});

test('an array and an object with the same keys are not the same', () => {
  const delivered = { ...CALL, args: { list: ['a'] } };
  const parsed = parse(
    { action: 'modify', payload: { args: { list: { 0: 'a' } } } },
    { delivered },
  );
  expect(parsed).toMatchObject({ decision: { payload: { args: { list: { 0: 'a' } } } } });
});

test('an answer nested too deep is a failure, and takes no time', () => {
  const nested = (levels: number): string =>
    `{"action":"result","result":${'['.repeat(levels)}${']'.repeat(levels)}}`;
  expect(parse(nested(200)).ok).toBe(true);
  expect(parse(nested(300))).toMatchObject({ code: 'invalid_decision' });
  expect(parse(nested(1_000_000))).toMatchObject({ code: 'invalid_decision' });
});

test('retry control is legal at preRetry and needs its gate', () => {
  const context = { point: 'preRetry' as Point, delivered: {} };
  const answer = { action: 'allow', retry: { abort: true, delayMs: 0, model: 'm' } };
  expect(parse(answer, context)).toEqual({ ok: true, decision: answer });
  expect(parse(answer, { ...context, granted: ['reads_context'] })).toMatchObject({
    code: 'capability',
  });
  expect(parse({ action: 'allow', retry: { delayMs: -1 } }, context)).toMatchObject({
    code: 'invalid_decision',
  });
  expect(parse({ action: 'allow', retry: { delayMs: 1, model: '' } }, context)).toMatchObject({
    code: 'invalid_decision',
  });
});

test.each([
  ['preToolUse', { action: 'block' }, 'gates_tools'],
  ['preToolUse', { action: 'modify', payload: { args: {} } }, 'gates_tools'],
  ['preInput', { action: 'ask', reason: 'r' }, 'gates_input'],
  ['preOutput', { action: 'suppress' }, 'gates_output'],
  ['preModelCall', { action: 'result', result: 1 }, 'gates_context'],
  ['preInput', { action: 'allow', inject: [{ content: 'c' }] }, 'injects_context'],
] as const)('at %s the answer %j needs %s', (point, answer, capability) => {
  const others = ALL.filter((name) => name !== capability);
  const parsed = parse(answer, { point, granted: others });
  expect(parsed).toMatchObject({
    ok: false,
    code: 'capability',
    detail: expect.stringContaining(capability) as string,
  });
  expect(parse(answer, { point, granted: [capability] }).ok).toBe(true);
});

test('a capability of another point does not help', () => {
  expect(
    parse({ action: 'block' }, { granted: ['gates_input', 'gates_output', 'gates_tools:x'] }),
  ).toMatchObject({ code: 'capability' });
});

test('an allow needs no capability at all', () => {
  expect(parse({ action: 'allow', inject: [], suppressOutput: false }, { granted: [] }).ok).toBe(
    true,
  );
});

test('no text at all gives anything but a decision with a legal action or a failure', () => {
  const almost = fc.record(
    {
      action: fc.oneof(fc.constantFrom(...ACTION_NAMES, 'deny'), fc.jsonValue()),
      reason: fc.jsonValue(),
      payload: fc.jsonValue(),
      inject: fc.jsonValue(),
      result: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.json(),
        fc.string(),
        almost.map((value) => JSON.stringify(value)),
      ),
      (text) => {
        const parsed = parse(text);
        if (parsed.ok) {
          const { action } = JSON.parse(text) as { action: string };
          expect(parsed.decision.action).toBe(action);
        } else expect(['invalid_decision', 'capability']).toContain(parsed.code);
      },
    ),
    { numRuns: 1000 },
  );
});
