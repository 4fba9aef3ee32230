import { fold } from './fold.ts';
import type { Span } from './spans.ts';

const SSN = /(?<![\w-])(?!000|666|9\d\d)\d{3}([- ])(?!00)\d\d\1(?!0000)\d{4}(?![\w-])/g;
const CARD = /(?<![\w.-])\d(?:[ .-]?\d){12,18}(?![\w-])/g;

/**
 * Finds social security numbers of the United States, written in three groups.
 *
 * @example
 * ```ts
 * findSocialSecurityNumbers('SSN 219-09-9999'); // [{ start: 4, end: 15 }]
 * ```
 */
export function findSocialSecurityNumbers(text: string): Span[] {
  if (!/\p{N}/u.test(text)) return [];
  const folded = fold(text);
  return Array.from(folded.text.matchAll(SSN), (match) =>
    folded.spanOf(match.index, match.index + match[0].length),
  );
}

/**
 * Finds payment card numbers: 13 to 19 digits, grouped or not, whose check digit is right.
 *
 * @example
 * ```ts
 * findCards('card 4111-1111-1111-1111'); // [{ start: 5, end: 24 }]
 * ```
 */
export function findCards(text: string): Span[] {
  if (!/\p{N}/u.test(text)) return [];
  const folded = fold(text);
  return Array.from(folded.text.matchAll(CARD))
    .filter((match) => isLuhn(match[0].replace(/\D/g, '')))
    .map((match) => folded.spanOf(match.index, match.index + match[0].length));
}

/** The check of ISO/IEC 7812-1: from the right, every second digit counts double. */
function isLuhn(digits: string): boolean {
  let sum = 0;
  for (let at = 0; at < digits.length; at += 1) {
    const digit = Number(digits.at(-1 - at));
    const doubled = at % 2 === 0 ? digit : digit * 2;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0 && /[1-9]/.test(digits);
}
