import { fold } from './fold.ts';
import type { Span } from './spans.ts';

/** Letters of a country and the length of its numbers. Source: the registry of ISO 13616. */
const LENGTHS =
  'AD24AE23AL28AT20AZ28BA20BE16BG22BH22BR29BY28CH21CR22CY28CZ24DE22DK18DO28EE20EG29ES24FI18FO18FR27GB22GE22GI23GL18GR27GT28HR21HU28IE22IL23IQ23IS26IT27JO30KW30KZ20LB28LC32LI21LT20LU20LV21LY25MC27MD24ME22MK19MR27MT31MU30NL18NO15PK24PL28PS29PT25QA29RO24RS22SA24SC31SE24SI19SK24SM27ST25SV28TL23TN24TR26UA29VA22VG24XK20';
const START = /(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}/g;

/**
 * Finds international bank account numbers (IBAN), in groups or not, whose length and check digits are right.
 *
 * @example
 * ```ts
 * findIbans('to DE89 3704 0044 0532 0130 00'); // [{ start: 3, end: 30 }]
 * ```
 */
export function findIbans(text: string): Span[] {
  if (!/\p{N}/u.test(text)) return [];
  const folded = fold(text);
  return Array.from(folded.text.matchAll(START)).flatMap(({ 0: head, index }) => {
    const end = endOf(folded.text, index, lengthOf(head.slice(0, 2).toUpperCase()));
    return end === undefined ? [] : [folded.spanOf(index, end)];
  });
}

function lengthOf(country: string): number {
  const at = LENGTHS.indexOf(country);
  return at < 0 ? 0 : Number(LENGTHS.slice(at + 2, at + 4));
}

/** Where a number that begins here ends, when it is one: letters and digits with single marks between them. */
function endOf(text: string, start: number, length: number): number | undefined {
  let account = '';
  let at = start;
  for (; account.length < length; at += 1) {
    const char = text[at] ?? '';
    if (isPart(char)) account += char;
    else if ((char !== ' ' && char !== '-') || !isPart(text[at + 1] ?? '')) return undefined;
  }
  const isWhole = length > 0 && !isPart(text[at] ?? '');
  return isWhole && isChecked(account) ? at : undefined;
}

function isPart(char: string): boolean {
  return (
    (char >= '0' && char <= '9') || (char >= 'A' && char <= 'Z') || (char >= 'a' && char <= 'z')
  );
}

/** The check of ISO 7064: with its first four characters behind, and letters as 10 to 35, it leaves 1 by 97. */
function isChecked(account: string): boolean {
  let rest = 0;
  for (const char of account.slice(4) + account.slice(0, 4)) {
    const value = Number.parseInt(char, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}
