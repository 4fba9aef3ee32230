import { fold } from './fold.ts';
import type { Span } from './spans.ts';

// Scripts written without spaces are left out: there, the words before an address would run into it.
const LETTERS = String.raw`[[\p{L}\p{N}\p{M}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]]`;
const LOCAL_CHAR = new RegExp(`${LETTERS}|[._%+'&~#$!^*\\-]`, 'v');
const LOCAL_START = new RegExp(`${LETTERS}|_`, 'v');
const DOMAIN = new RegExp(
  `(?:${LETTERS}(?:[${LETTERS}\\-]{0,61}${LETTERS})?\\.){1,8}(?:xn--[a-z0-9\\-]{1,59}|[${LETTERS}--\\p{N}]{2,63})`,
  'vy',
);
/** Every character that NFKC makes an at sign of; most texts have none and need no folding. */
const AT = /[@＠﹫]/;
/** Longest local part that is looked at; RFC 5321 allows 64, mail servers take more. */
const MAX_LOCAL = 128;

/**
 * Finds e-mail addresses, those too that are disguised by fullwidth, look-alike or invisible characters. Time grows
 * with the length of the text, however it is made. Quoted local parts and address literals are not found.
 *
 * @example
 * ```ts
 * findEmails('Write to ann.lee@example.com.'); // [{ start: 9, end: 28 }]
 * ```
 */
export function findEmails(text: string): Span[] {
  if (!AT.test(text)) return [];
  const folded = fold(text);
  const spans: Span[] = [];
  for (let at = folded.text.indexOf('@'); at !== -1; at = folded.text.indexOf('@', at + 1)) {
    const start = localStart(folded.text, at);
    const end = domainEnd(folded.text, at + 1);
    if (start < at && end !== undefined) spans.push(folded.spanOf(start, end));
  }
  return spans;
}

function localStart(text: string, at: number): number {
  let start = at;
  while (start > 0 && at - start < MAX_LOCAL && LOCAL_CHAR.test(text[start - 1] ?? '')) start -= 1;
  // Marks around an address, such as quotes and bold type, are not of it.
  while (start < at && !LOCAL_START.test(text[start] ?? '')) start += 1;
  return start;
}

function domainEnd(text: string, from: number): number | undefined {
  DOMAIN.lastIndex = from;
  const match = DOMAIN.exec(text);
  return match === null ? undefined : from + match[0].length;
}
