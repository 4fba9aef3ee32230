import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findEmails, replaceSpans } from '@signalbox/sdk';

const redact = (text: string): string => replaceSpans(text, findEmails(text), '#');

test.each([
  ['alice@\u200bexample.com'],
  ['bob\uff20test.org'],
  ['\u0430lice@example.com'],
  ['ali\u00adce@example.com'],
  ['ａｌｉｃｅ＠ｅｘａｍｐｌｅ．ｃｏｍ'],
  ['alice@example。com'],
  ['alice@exаmple.com'],
  ['al\u202eice@example.com'],
])('[D01] %s is found, and every original character of it replaced', (text) => {
  expect(redact(text)).toBe('#');
  expect(redact(`Write to ${text}, please.`)).toBe('Write to #, please.');
});

test.each([
  ['plain', 'ann.lee+news@mail.example.co.uk', '#'],
  ['underscores and digits', 'is yara_garcia_1905@gmail.com.', 'is #.'],
  ['quotes', `'a@b.co' "c@d.co" <e@f.co>`, `'#' "#" <#>`],
  ['bold type', '**ann@example.com**', '**#**'],
  ['mailto', 'mailto:ann@example.com?subject=x', 'mailto:#?subject=x'],
  ['a list', 'a@b.co,c@d.co;e@f.co', '#,#;#'],
  ['an apostrophe', "o'brien@example.ie", '#'],
  ['an international domain', 'jürgen@müller.de and x@xn--mller-kva.de', '# and #'],
  ['other alphabets', 'почта@пример.рф', '#'],
  ['text without spaces', '请写信到alice@example.com谢谢', '请写信到#谢谢'],
  ['the end of a sentence', 'Mail a@b.co... now', 'Mail #... now'],
])('%s', (_, text, redacted) => {
  expect(redact(text)).toBe(redacted);
});

test.each([
  ['@alice'],
  ['a@b'],
  ['a @ b.co'],
  ['5@7.30'],
  ['user@localhost'],
  ['x@.com'],
  ['a@-b.co'],
  ['@@@@'],
])('%s is no address', (text) => {
  expect(redact(text)).toBe(text);
});

test('text without an address is left byte for byte, disguised characters included', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const plain = text.replace(/[@＠﹫]/g, '');
      expect(redact(plain)).toBe(plain);
    }),
  );
});

test('an address is found in whatever stands around it', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: 'grapheme' }),
      (before, after) => {
        expect(redact(`${before} ann@example.com ${after}`)).not.toContain('ann@example.com');
      },
    ),
  );
});

test('time grows with the length alone', () => {
  const started = performance.now();
  for (const text of [
    'a'.repeat(1e6),
    'a@'.repeat(5e5),
    `a@${'b.'.repeat(5e5)}`,
    `${'a.'.repeat(5e5)}@b.co`,
  ]) {
    findEmails(text);
  }
  expect(performance.now() - started).toBeLessThan(5000);
});
