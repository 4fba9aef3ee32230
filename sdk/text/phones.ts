import { fold } from './fold.ts';
import type { Span } from './spans.ts';
import type { StringPlace } from './json-text.ts';

/** With the code of a country, behind `+` or `00`. */
const INTERNATIONAL = String.raw`(?<![\w+.-])(?:\+|00)[1-9](?:[ ()./-]{0,2}\d){6,14}(?![\w-])`;
/** With the zero of a trunk call, in groups. */
const NATIONAL = String.raw`(?<![\w+./-])\(?0[1-9]\d{1,4}\)?[ /-]{1,3}\d{2,4}(?:[ -]?\d{2,4}){1,3}(?![\w-])`;
/** North America: an area code, then three and four digits. */
const AMERICAN = String.raw`(?<![\w+.-])(?:1[ .-])?(?:\([2-9]\d\d\) ?|[2-9]\d\d[ .-])[2-9]\d\d[ .-]\d{4}(?![\w-])`;
const WRITTEN = new RegExp(`${INTERNATIONAL}|${NATIONAL}|${AMERICAN}`, 'g');
/** Digits alone are a number to call where a word says so. */
const TOLD =
  /(?<![a-z])(?:phones?|telephone|tel|mobile|cell|fax|whatsapp|call me|text me|reach me)(?![a-z])[^\d+\n]{0,24}(\+?\d[\d ()./-]{5,22}\d)(?![\w-])/gi;
const KEY = /phone|mobile|(?:^|[^a-z])(?:tel|cell|fax)(?![a-z])/i;
const DATE = /^\d{4}[-/.]\d\d?[-/.]\d\d?$|^\d\d?[-/.]\d\d?[-/.]\d{4}$/;

/**
 * Finds telephone numbers: with a country's code, with a trunk zero in groups, as North America writes them, and plain digits
 * where the words or the key before them speak of a telephone.
 *
 * @example
 * ```ts
 * findPhones('Call +49 30 901820 or (415) 555-2671.'); // [{ start: 5, end: 18 }, { start: 22, end: 36 }]
 * ```
 */
export function findPhones(text: string, { key = '' }: Partial<StringPlace> = {}): Span[] {
  if (!/\p{N}/u.test(text)) return [];
  const folded = fold(text);
  const told = Array.from(folded.text.matchAll(TOLD), ({ 0: whole, 1: number = '', index }) => ({
    start: index + whole.length - number.length,
    number,
  }));
  const written = Array.from(folded.text.matchAll(WRITTEN), ({ 0: number, index }) => ({
    start: index,
    number,
  }));
  const named = KEY.test(key)
    ? Array.from(folded.text.matchAll(/\+?\d[\d ()./-]{5,22}\d/g), ({ 0: number, index }) => ({
        start: index,
        number,
      }))
    : [];
  return [...written, ...told, ...named]
    .filter(({ number }) => isCallable(number))
    .map(({ start, number }) => folded.spanOf(start, start + number.length));
}

/** Numbers of the world have at most 15 digits (ITU-T E.164) behind `00`; shorter ones than these are rarely written out. */
function isCallable(number: string): boolean {
  const { length } = number.replace(/\D/g, '');
  const least = /^\(?0[1-9]/.test(number) ? 9 : 7;
  return length >= least && length <= 17 && !DATE.test(number);
}
