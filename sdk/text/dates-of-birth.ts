import { findDates } from './dates.ts';
import { fold } from './fold.ts';
import type { Span } from './spans.ts';

const BIRTH = String.raw`(?<![a-z])(?:d\.?\s?o\.?\s?b(?:s|\.)?|(?:dates?|day|month) of birth|birth[\s_-]?dates?|birth[\s_-]?days?|b-?days?|born)(?![a-z])`;
/** Words between which a date is one of travel or of business, even in a sentence about a birth. */
const OTHER =
  /\b(?:flights?|fl(?:y|ies|ying|ew)|dep(?:art\w*)?|arriv\w*|return\w*|travel\w*|trips?|leav\w+|left|book\w*|reserv\w*|schedul\w*|creat\w*|issu\w*|expir\w*|valid|today|now|since|until|outbound|inbound|segment|leg|dates?|check-?in|celebrat\w*|itinerary|(?:mon|tues|wednes|thurs|fri|satur|sun)day|chang\w*|mov(?:e|ing)|switch\w*|and|but|or|then|to|so|want\w*)\b/i;
/** The start of a list item: a bullet or number, then up to four names. */
const ITEM = String.raw`\s{0,4}(?:[-*•|]|\d{1,2}[.)])?[\s*_"|]{0,4}(?:[\p{Lu}][\p{L}'-]{0,30}[\s,:(*–|"-]{1,4}){0,4}`;
/** What may stand between the word and its date: a few words of one sentence, no digit. */
const BEFORE = new RegExp(`(${BIRTH})([^\\d.!?;\\n]{0,60})$`, 'i');
const HEADING = new RegExp(`(?i:${BIRTH})[^\\w\\n]{0,6}\\n(${ITEM})$`, 'u');
const AFTER = new RegExp(
  `^(?:\\s{0,2}[([]\\s{0,2}|['"*_)\\s]{0,4}(?:is|was|as|being)\\s(?:[a-z']{1,20}\\s){0,3})${BIRTH}(?!['")\\]\\s:=*_-]{0,6}\\d)`,
  'i',
);
/** Between two dates of one list. Lines go on with it only where a heading or a plural spoke of several. */
const NEXT_ON_LINE = new RegExp(`^[)*_"]{0,3}(?:\\s{0,2}(?:,|;|/|&|and\\b)){1,2}${ITEM}$`, 'u');
const NEXT_LINE = new RegExp(`^[)*_"|,;]{0,3}\\s{0,3}\\n${ITEM}$`, 'u');
const CONTEXT_CHARS = 110;

/** Where a text stands, when it is a string of a JSON value. */
export interface DateOfBirthContext {
  /** The nearest object key: under `dob` or `birthDate`, every date counts. */
  readonly key?: string;
}

/**
 * Finds dates of birth: full dates whose key or whose words around them say so ("DOB: 2001-04-12", "born on April 12,
 * 2001"). A date without such words is none. Disguises by Unicode are seen through.
 *
 * @example
 * ```ts
 * findDatesOfBirth('Kevin, born on April 12, 2001, flies on May 24, 2024.'); // [{ start: 15, end: 29 }]
 * ```
 */
export function findDatesOfBirth(text: string, context: DateOfBirthContext = {}): Span[] {
  if (!/\p{N}/u.test(text)) return [];
  const folded = fold(text);
  const isUnderKey = context.key !== undefined && isBirthKey(context.key);
  const found: Span[] = [];
  let previous: Found | undefined;
  for (const date of findDates(folded.text)) {
    const how = isUnderKey
      ? 'told'
      : (tellOf(folded.text, date) ?? listOf(folded.text, previous, date));
    previous = how === undefined ? undefined : { ...date, how };
    if (previous !== undefined) found.push(folded.spanOf(date.start, date.end));
  }
  return found;
}

/** A date of birth, and whether the words before it spoke of one or of several. */
interface Found extends Span {
  readonly how: 'told' | 'series';
}

/**
 * Whether an object key names a date of birth, in any of the usual spellings.
 *
 * @example
 * ```ts
 * isBirthKey('passenger_dob'); // true
 * ```
 */
export function isBirthKey(key: string): boolean {
  const words = fold(key)
    .text.slice(0, 100)
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z]+/);
  return (
    words.some((word) =>
      /^(?:dobs?|bdays?|birth(?:s|days?|dates?)?|born|dateofbirth)$/.test(word),
    ) || words.join('').endsWith('dob')
  );
}

function tellOf(text: string, date: Span): Found['how'] | undefined {
  const ahead = text.slice(Math.max(0, date.start - CONTEXT_CHARS), date.start);
  const [, word = '', between = ''] = BEFORE.exec(ahead) ?? [];
  if (word !== '' && isNear(word, between)) return /s$|dates of/i.test(word) ? 'series' : 'told';
  const heading = HEADING.exec(ahead);
  if (heading !== null && !OTHER.test(heading[1] ?? '')) return 'series';
  return AFTER.test(text.slice(date.end, date.end + CONTEXT_CHARS)) ? 'told' : undefined;
}

/** Whether the words between speak of the birth alone; a birthday is also a day to travel on. */
function isNear(word: string, between: string): boolean {
  if (OTHER.test(between)) return false;
  return !/day/i.test(word) || /^\W*$|\b(?:is|was|of)\b|[:=]/i.test(between);
}

/** "DOBs: 1988-04-10, 1990-11-22": a date that continues a list of dates of birth. */
function listOf(text: string, previous: Found | undefined, date: Span): Found['how'] | undefined {
  if (previous === undefined || date.start - previous.end > CONTEXT_CHARS) return undefined;
  const gap = text.slice(previous.end, date.start);
  const isNext = NEXT_ON_LINE.test(gap) || (previous.how === 'series' && NEXT_LINE.test(gap));
  return isNext && !OTHER.test(gap.replace(/\band\b/g, '')) ? previous.how : undefined;
}
