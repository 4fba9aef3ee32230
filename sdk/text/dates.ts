import type { Span } from './spans.ts';

const MONTH =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\b\\.?';
const DAY = '(?:0?[1-9]|[12]\\d|3[01])(?:st|nd|rd|th)?';
const MONTH_NUMBER = '(?:0?[1-9]|1[0-2])';
const YEAR = '(?:1[89]|20)\\d\\d';
const TIME = '(?:[t ]\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d{1,9})?)?(?:z|[+-]\\d\\d:?\\d\\d)?)?';

/** How a full date (day, month and year) is written. */
const FORMATS = [
  `${YEAR}([-/.])${MONTH_NUMBER}\\1${DAY}${TIME}`,
  `${DAY}([-/.])${MONTH_NUMBER}\\2(?:${YEAR}|\\d\\d)`,
  `${MONTH_NUMBER}([-/.])${DAY}\\3(?:${YEAR}|\\d\\d)`,
  `${MONTH}[\\s-]{0,3}${DAY}[\\s,-]{1,3}${YEAR}`,
  `${DAY}[\\s-]{0,3}(?:(?:day )?of )?${MONTH}[\\s,-]{0,3}${YEAR}`,
  `${YEAR}[\\s,-]{1,3}${MONTH}[\\s-]{0,3}${DAY}`,
  `${YEAR}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\\d|3[01])`,
];

/**
 * Finds full dates, numeric or with English month names, in order; give it a folded text.
 *
 * @example
 * ```ts
 * findDates('from May 24, 2024 to 2024-05-27'); // [{ start: 5, end: 17 }, { start: 21, end: 31 }]
 * ```
 */
export function findDates(text: string): Span[] {
  const pattern = new RegExp(`(?<![\\w])(?:${FORMATS.join('|')})(?![\\w])`, 'gi');
  return Array.from(text.matchAll(pattern), (match) => ({
    start: match.index,
    end: match.index + match[0].length,
  }));
}
