import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mapStrings, type StringPlace } from '@signalbox/sdk';

const upper = (text: string, { isKey }: StringPlace): string => (isKey ? text : text.toUpperCase());

test('[D04] every string at any depth is visited, and nothing else changes', () => {
  const value = { a: 'x', b: [1, null, true, 'y', { c: ['z'] }], d: 42.5 };
  expect(mapStrings(value, upper)).toEqual({
    a: 'X',
    b: [1, null, true, 'Y', { c: ['Z'] }],
    d: 42.5,
  });
});

test('a value without a change comes back as itself', () => {
  const value = { a: [{ b: 'X' }], n: Number.NaN };
  expect(mapStrings(value, upper)).toBe(value);
});

test('parts without a change are kept as they are', () => {
  const value = { a: { b: 'X' }, c: 'y' };
  expect(mapStrings(value, upper).a).toBe(value.a);
});

test('the place names the nearest key, through arrays', () => {
  const seen: [string, StringPlace][] = [];
  mapStrings({ dob: [['1990-04-05']], who: { name: 'Ann' } }, (text, place) => {
    seen.push([text, place]);
    return text;
  });
  expect(seen).toContainEqual(['1990-04-05', { key: 'dob', isKey: false }]);
  expect(seen).toContainEqual(['Ann', { key: 'name', isKey: false }]);
  expect(seen).toContainEqual(['name', { key: 'who', isKey: true }]);
  expect(seen).toContainEqual(['who', { isKey: true }]);
});

test('[D04] keys are visited too, and two that become equal are told apart', () => {
  const value = { 'a@b.co': 1, 'c@d.co': 2, e: 3 };
  const hide = (text: string): string => (text.includes('@') ? '[EMAIL]' : text);
  expect(mapStrings(value, hide)).toEqual({ '[EMAIL]': 1, '[EMAIL] (2)': 2, e: 3 });
  expect(mapStrings(value, hide, { keys: false })).toBe(value);
});

test('a key "__proto__" stays a plain key', () => {
  const value = JSON.parse('{"__proto__": {"a": "x"}, "b": "y"}') as object;
  const mapped = mapStrings(value, upper);
  expect(JSON.stringify(mapped)).toBe('{"__proto__":{"a":"X"},"b":"Y"}');
  expect(Object.getPrototypeOf(mapped)).toBe(Object.prototype);
});

test('[D05] strings inside a JSON text are visited, and its spelling is kept', () => {
  const text = '{ "a" : "x",\n "n": 42.0, "big": 1e3, "list": ["y"], "dup": "p", "dup": "q" }';
  expect(mapStrings({ text }, upper).text).toBe(
    '{ "a" : "X",\n "n": 42.0, "big": 1e3, "list": ["Y"], "dup": "P", "dup": "Q" }',
  );
});

test('escapes in a JSON text hide nothing', () => {
  const hide = (text: string): string => text.replace('a@b.co', '[EMAIL]');
  expect(mapStrings('{"to":"a\\u0040b.co"}', hide)).toBe('{"to":"[EMAIL]"}');
});

test('JSON in JSON in JSON is visited, and stays readable', () => {
  const inner = { to: 'x' };
  const text = JSON.stringify({ a: JSON.stringify({ b: JSON.stringify(inner) }) });
  const outer = JSON.parse(mapStrings(text, upper)) as { a: string };
  const middle = JSON.parse(outer.a) as { b: string };
  expect(JSON.parse(middle.b)).toEqual({ to: 'X' });
});

test('keys of a JSON text give the place, and are visited', () => {
  const seen: [string, StringPlace][] = [];
  mapStrings('{"dob": ["1990-04-05"], "in": {"k": "v"}, "after": "w"}', (text, place) => {
    seen.push([text, place]);
    return text;
  });
  expect(seen).toEqual([
    ['dob', { isKey: true }],
    ['1990-04-05', { key: 'dob', isKey: false }],
    ['in', { isKey: true }],
    ['k', { key: 'in', isKey: true }],
    ['v', { key: 'k', isKey: false }],
    ['after', { isKey: true }],
    ['w', { key: 'after', isKey: false }],
  ]);
});

test('text that only looks like JSON is text', () => {
  expect(mapStrings('{"a": "x", …', upper)).toBe('{"A": "X", …');
});

test('a long or deep JSON text is no burden', () => {
  const deep = `${'['.repeat(50_000)}"x"${']'.repeat(50_000)}`;
  expect(mapStrings(deep, upper)).toBe(deep.replace('x', 'X'));
  const long = JSON.stringify(['y'.repeat(1_000_000)]);
  expect(mapStrings(long, upper)).toBe(long.toUpperCase());
});

test('a JSON text reads as the value with its strings mapped, whatever it holds', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify({ value });
      const viaText = JSON.parse(mapStrings(text, upper)) as unknown;
      expect(viaText).toEqual(mapStrings(JSON.parse(text) as unknown, upper));
    }),
  );
});
