import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mergeSpans, replaceSpans } from '../../../sdk/text/spans.ts';

test('overlapping spans are replaced as one', () => {
  const spans = [
    { start: 2, end: 6 },
    { start: 4, end: 8 },
    { start: 2, end: 3 },
  ];
  expect(replaceSpans('abcdefghij', spans, '#')).toBe('ab#ij');
});

test('spans that only touch stay apart', () => {
  expect(
    replaceSpans(
      'abcd',
      [
        { start: 0, end: 2 },
        { start: 2, end: 4 },
      ],
      '#',
    ),
  ).toBe('##');
});

test('a joined span keeps what is known of the one that starts first, and of the longer one of two that start together', () => {
  const merged = mergeSpans([
    { start: 3, end: 9, type: 'b' },
    { start: 0, end: 2, type: 'short' },
    { start: 0, end: 4, type: 'long' },
  ]);
  expect(merged).toEqual([{ start: 0, end: 9, type: 'long' }]);
});

test('empty spans replace nothing', () => {
  expect(replaceSpans('abc', [{ start: 1, end: 1 }], '#')).toBe('abc');
});

test('a replacement is text, not a pattern', () => {
  expect(replaceSpans('abc', [{ start: 0, end: 1 }], '$&')).toBe('$&bc');
});

test('text outside of spans is never touched', () => {
  const span = fc
    .tuple(fc.nat(30), fc.nat(5))
    .map(([start, length]) => ({ start, end: start + length }));
  fc.assert(
    fc.property(fc.string({ minLength: 36, maxLength: 36 }), fc.array(span), (text, spans) => {
      const isKept = (_: string, at: number): boolean =>
        !spans.some((each) => each.start <= at && at < each.end);
      expect(replaceSpans(text, spans, '')).toBe(text.split('').filter(isKept).join(''));
    }),
  );
});
