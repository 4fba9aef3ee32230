import { expect, test } from 'vitest';
import { createToolCheck } from '../../src/fire/tool-schema.ts';

const SEND = {
  type: 'object',
  properties: { to: { type: 'string' }, n: { type: 'number' } },
  required: ['to', 'n'],
};
const BEFORE = { toolName: 'send', args: { to: 'a@b.co', n: 1 } };

function check(args: unknown, toolSchema: object): string | undefined {
  return createToolCheck()(BEFORE, { toolName: 'send', args }, { toolSchema });
}

test('arguments that fit the schema pass, others are named by place', () => {
  expect(check({ to: 'x', n: 2 }, SEND)).toBeUndefined();
  expect(check({ to: 42, n: 'NaN' }, SEND)).toBe(
    'its arguments do not fit the schema of the tool: /to must be string',
  );
});

test('without a schema there is nothing to hold arguments against', () => {
  expect(createToolCheck()(BEFORE, { toolName: 'send', args: {} }, {})).toBeUndefined();
  expect(createToolCheck()(BEFORE, { toolName: 'other', args: {} }, {})).toBeUndefined();
});

test('a changed tool is held against its own schema, and refused where that is not known', () => {
  const after = { toolName: 'log', args: { line: 'x' } };
  const log = { type: 'object', required: ['line'] };
  const checkTool = createToolCheck();
  expect(checkTool(BEFORE, after, { toolSchema: SEND })).toBe(
    'the schema of the new tool is not known',
  );
  expect(checkTool(BEFORE, after, { toolSchema: SEND, toolSchemas: { log } })).toBeUndefined();
  expect(
    checkTool(BEFORE, { ...after, args: {} }, { toolSchema: SEND, toolSchemas: { log } }),
  ).toContain('line');
  expect(checkTool(BEFORE, { ...after, toolName: 'toString' }, { toolSchemas: { log } })).toBe(
    'the schema of the new tool is not known',
  );
});

test.each([
  [
    'a pattern that never ends elsewhere',
    { properties: { to: { pattern: '^(a+)+$' } } },
    { to: `${'a'.repeat(50_000)}!` },
    '/to must match',
  ],
  [
    'a pattern that RE2 does not know',
    { properties: { to: { pattern: '(?=a)' } } },
    { to: 'a' },
    'cannot be used',
  ],
  ['a remote reference', { $ref: 'https://example.com/schema.json' }, {}, 'cannot be used'],
  [
    'a reference that goes in a circle',
    { $defs: { a: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' },
    {},
    'cannot be used',
  ],
  ['a type that is none', { type: 'mail' }, {}, 'cannot be used'],
  ['a schema that is too large', { description: 'x'.repeat(300_000) }, {}, 'cannot be used'],
])('%s stops the call and not the host', (...[, schema, args, expected]) => {
  expect(check(args, schema)).toContain(expected);
});

test('a schema that has no text is refused', () => {
  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  expect(check({}, circle)).toContain('cannot be used');
});

test.each([
  'http://json-schema.org/draft-07/schema#',
  'https://json-schema.org/draft/2020-12/schema',
  'https://example.com/none',
])('a schema that names the draft %s is read', ($schema) => {
  expect(check({ to: 1, n: 1 }, { ...SEND, $schema, $id: 'https://example.com/send' })).toContain(
    '/to must be string',
  );
  expect(check({ to: 'x', n: 1 }, { ...SEND, $schema })).toBeUndefined();
});

test('two schemas of one $id do not meet', () => {
  const checkTool = createToolCheck();
  const strict = { $id: 'urn:tool', type: 'object', required: ['a'] };
  const lax = { $id: 'urn:tool', type: 'object' };
  const after = { toolName: 'send', args: {} };
  expect(checkTool(BEFORE, after, { toolSchema: lax })).toBeUndefined();
  expect(checkTool(BEFORE, after, { toolSchema: strict })).toContain("'a'");
});

test('defaults of a tool schema are not written into the arguments', () => {
  const args = { to: 'x' };
  check(args, { properties: { n: { type: 'number', default: 1 } } });
  expect(args).toEqual({ to: 'x' });
});
