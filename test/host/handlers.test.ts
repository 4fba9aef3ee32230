import { expect, test } from 'vitest';
import { readHandlers } from '../../host/handlers.ts';
import { LIMITS } from '../../sdk/limits.ts';

const ONE = { name: 'lint', point: 'postToolUse', event: 'tool:post', priority: 10 };

test('a list of handlers is read as it is, and the empty text is none', () => {
  expect(readHandlers(JSON.stringify([ONE]))).toEqual({ ok: true, handlers: [ONE] });
  expect(readHandlers('[]')).toEqual({ ok: true, handlers: [] });
  expect(readHandlers('')).toEqual({ ok: true, handlers: undefined });
});

test('two handlers of one name are fine at two points', () => {
  expect(readHandlers(JSON.stringify([ONE, { ...ONE, point: 'preToolUse' }])).ok).toBe(true);
});

test.each([
  ['no JSON', '[{'],
  ['no list', '{"length":1}'],
  ['null in the list', '[null]'],
  ['a list in the list', '[[]]'],
  ['a name with a slash', JSON.stringify([{ ...ONE, name: '../other/hook' }])],
  ['a name of another type', JSON.stringify([{ ...ONE, name: 7 }])],
  ['a long name', JSON.stringify([{ ...ONE, name: 'x'.repeat(200) }])],
  ['a point that is none', JSON.stringify([{ ...ONE, point: 'constructor' }])],
  ['a point missing', JSON.stringify([{ name: 'a' }])],
  ['an event with a space', JSON.stringify([{ ...ONE, event: 'tool post' }])],
  ['a long event', JSON.stringify([{ ...ONE, event: `a:${'b'.repeat(200)}` }])],
  ['a priority of another type', JSON.stringify([{ ...ONE, priority: '1' }])],
  ['a priority without end', '[{"name":"a","point":"event","priority":1e999}]'],
  ['another key', JSON.stringify([{ ...ONE, granted: ['gates_tools'] }])],
  ['a prototype as key', '[{"name":"a","point":"event","__proto__":{"x":1}}]'],
  ['one name twice', JSON.stringify([ONE, ONE])],
  [
    'too many',
    JSON.stringify(
      Array.from({ length: LIMITS.handlers + 1 }, (_, i) => ({ ...ONE, name: `n${i}` })),
    ),
  ],
  ['too much', ' '.repeat(LIMITS.handlersChars + 1)],
])('what a sandbox reports is refused when it has %s', (_, text) => {
  expect(readHandlers(text)).toMatchObject({ ok: false, detail: expect.any(String) as string });
});
