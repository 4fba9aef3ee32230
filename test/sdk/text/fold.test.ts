import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fold } from '../../../sdk/text/fold.ts';

const unit = fc.string({ unit: 'grapheme', maxLength: 40 });

test.each([
  ['zero-width space', 'al\u200bice', 'alice'],
  ['soft hyphen', 'al\u00adice', 'alice'],
  ['word joiner and byte order mark', '\ufeffal\u2060ice', 'alice'],
  ['variation selector and tag characters', 'a\ufe0fl\u{e0061}ice', 'alice'],
  ['right-to-left override', '\u202ealice\u202c', 'alice'],
  ['control characters', 'al\u0000ice', 'alice'],
  ['fullwidth letters', 'ａｌｉｃｅ', 'alice'],
  ['mathematical letters', '𝐚𝐥𝐢𝐜𝐞', 'alice'],
  ['circled letters', 'ⓐⓛⓘⓒⓔ', 'alice'],
  ['Cyrillic look-alikes', 'аlісе', 'alice'],
  ['Greek look-alikes', 'αlιce', 'alice'],
  ['ligatures', 'ﬁnd', 'find'],
  ['digits of other scripts', '１２٣۴', '1234'],
  ['ideographic full stop', 'a。b', 'a.b'],
])('%s fold away', (_, disguised, plain) => {
  expect(fold(disguised).text).toBe(plain);
});

test('letters with marks are composed and kept', () => {
  expect(fold('cafe\u0301').text).toBe('café');
});

test('white space is kept', () => {
  expect(fold('a\tb\nc d').text).toBe('a\tb\nc d');
});

test('a span leads back to every original character of it, invisible ones between included', () => {
  const text = 'to ａ\u200bl\u00adice！';
  const folded = fold(text);
  const at = folded.text.indexOf('alice');
  const { start, end } = folded.spanOf(at, at + 5);
  expect(text.slice(start, end)).toBe('ａ\u200bl\u00adice');
});

test('a span of a part of a ligature is the whole ligature', () => {
  const { start, end } = fold('-ﬁ-').spanOf(2, 3);
  expect('-ﬁ-'.slice(start, end)).toBe('ﬁ');
});

test('spans in runs of plain letters between disguised ones are exact', () => {
  const text = '漢字 bob\u200b@example.org 漢字';
  const folded = fold(text);
  const at = folded.text.indexOf('example');
  const { start, end } = folded.spanOf(at, at + 7);
  expect(text.slice(start, end)).toBe('example');
});

test('spans of any text stay inside it and in order', () => {
  fc.assert(
    fc.property(unit, fc.nat(), fc.nat(), (text, a, b) => {
      const folded = fold(text);
      const length = folded.text.length;
      if (length === 0) return;
      const [from, to] = [a % length, b % length].sort((x, y) => x - y) as [number, number];
      const { start, end } = folded.spanOf(from, to + 1);
      expect(start).toBeGreaterThanOrEqual(0);
      expect(end).toBeLessThanOrEqual(text.length);
      expect(end).toBeGreaterThan(start);
    }),
  );
});

test('the whole copy stands for the whole text, but for invisible ends', () => {
  fc.assert(
    fc.property(unit, (text) => {
      const folded = fold(`<${text}>`);
      const { start, end } = folded.spanOf(0, folded.text.length);
      expect([start, end]).toEqual([0, text.length + 2]);
    }),
  );
});
