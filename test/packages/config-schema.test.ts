import { expect, test } from 'vitest';
import { openConfigSchemas } from '../../src/packages/config-schema/config-schema.ts';

function check(schema: object, config: unknown): string | undefined {
  const compiled = openConfigSchemas()(schema);
  return compiled.ok ? compiled.check(config) : `refused: ${compiled.detail}`;
}

test('patterns of one schema are told apart', () => {
  const schema = {
    type: 'object',
    properties: { a: { type: 'string', pattern: '^a+$' }, b: { type: 'string', pattern: '^b+$' } },
  };
  expect(check(schema, { a: 'aa', b: 'bb' })).toBeUndefined();
  expect(check(schema, { a: 'aa', b: 'aa' })).toContain('config.b');
});

test('schemas of one start do not see each other', () => {
  const compile = openConfigSchemas();
  const first = compile({ $id: 'https://x/y', type: 'object', required: ['a'] });
  const second = compile({ $id: 'https://x/y', type: 'object', required: ['b'] });
  expect(first.ok && first.check({ a: 1 })).toBeUndefined();
  expect(second.ok && second.check({ b: 1 })).toBeUndefined();
});

test('a pattern that would never end in a backtracking engine is checked at once', () => {
  const schema = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
  expect(check(schema, { a: `${'a'.repeat(10_000)}!` })).toContain('config.a');
});

test('draft-07 and 2020-12 schemas with local definitions are taken', () => {
  const definitions = { level: { type: 'number' } };
  const properties = { a: { $ref: '#/definitions/level' } };
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    definitions,
    properties,
  };
  expect(check(schema, { a: 1 })).toBeUndefined();
  expect(check(schema, { a: 'x' })).toBe('config.a must be number');
});

test('a property may have the name of a refused keyword', () => {
  const schema = {
    type: 'object',
    properties: { $async: { type: 'string' }, $id: { type: 'string' } },
  };
  expect(check(schema, { $async: 'x' })).toBeUndefined();
});

const doubling = Object.fromEntries(
  Array.from({ length: 40 }, (_, index) => {
    const next = { $ref: `#/$defs/d${index + 1}` };
    return [`d${index}`, index === 39 ? { type: 'object' } : { allOf: [next, next] }];
  }),
);

function nested(depth: number): object {
  return depth === 0 ? {} : { properties: { a: nested(depth - 1) } };
}

test.each([
  ['a type that is none', { type: 'objekt' }, 'schema is invalid'],
  ['a property that is no schema', { properties: { a: 5 } }, 'schema is invalid'],
  ['a part that is no schema', { allOf: [{}, 'x'] }, 'schema is invalid'],
  ['a length below zero', { items: { minLength: -1 } }, 'schema is invalid'],
  ['a dependency that is none', { dependentRequired: { a: [1] } }, 'schema is invalid'],
  ['an unknown keyword', { typ: 'object' }, 'unknown keyword'],
  ['a reference to the web', { $ref: 'https://example.org/schema' }, 'its own "$defs"'],
  ['a reference to a file', { $ref: 'file:///etc/passwd' }, 'its own "$defs"'],
  ['a reference that is no text', { $ref: ['#/$defs/a'], $defs: { a: {} } }, 'its own "$defs"'],
  ['a reference to itself', { $ref: '#' }, 'its own "$defs"'],
  ['a reference into data', { default: { x: {} }, $ref: '#/default/x' }, 'its own "$defs"'],
  ['a reference to nothing', { $ref: '#/$defs/a', $defs: {} }, 'not there'],
  ['a reference to what every object has', { $ref: '#/$defs/constructor', $defs: {} }, 'not there'],
  [
    'references in a circle',
    { $ref: '#/$defs/a', $defs: { a: { not: { $ref: '#/$defs/a' } } } },
    'circle',
  ],
  ['references that double the work', { $ref: '#/$defs/d0', $defs: doubling }, 'unfolds'],
  ['a dynamic reference', { $dynamicRef: '#a' }, '$dynamicRef'],
  ['an asynchronous check', { $async: true }, '$async'],
  ['an asynchronous check by an object', { $async: {} }, '$async'],
  ['an identifier below the root', { properties: { a: { $id: 'x' } } }, '$id'],
  ['quadratic uniqueness', { type: 'array', uniqueItems: true }, 'uniqueItems'],
  ['deep nesting', nested(40), 'nested'],
  ['too many parts', { enum: Array.from({ length: 3000 }, () => ({})) }, 'parts'],
  ['a lookahead', { pattern: '(?=x)' }, 'parsing regexp'],
  ['a long pattern', { pattern: 'x'.repeat(2000) }, 'longer than'],
  ['a pattern that grows', { pattern: '((a{100}){100}){100}' }, 'parsing regexp'],
  [
    'large patterns',
    {
      properties: Object.fromEntries(
        Array.from({ length: 9 }, (_, i) => [i, { pattern: `${i}a{1000}` }]),
      ),
    },
    'too large',
  ],
])('a schema with %s is refused', (_, schema, detail) => {
  expect(check(schema, {})).toMatch(/^refused: /);
  expect(check(schema, {})).toContain(detail);
});

test('schemas are held against the keywords of each, whichever came before', () => {
  const compile = openConfigSchemas();
  expect(compile({ type: 'object' }).ok).toBe(true);
  expect(compile({ required: 'a' })).toMatchObject({ ok: false });
  expect(compile({ required: ['a'], type: 'objekt' })).toMatchObject({ ok: false });
});

test('text that is too much for the patterns is refused, not read', () => {
  const schema = {
    type: 'object',
    properties: { a: { type: 'string', pattern: '[ab]*a[ab]{900}c' } },
  };
  expect(check(schema, { a: 'ab'.repeat(100_000) })).toContain('within its budget');
});
