import { LIMITS } from '../../sdk/limits.ts';
import { DETECTORS, type Detector } from './detectors.ts';

/** What is kept of a text that a hook wrote: all, all but what the detectors find, or nothing. */
export type KeptText = 'full' | 'scrubbed' | 'none';

/**
 * Makes a hook's text fit to be kept: private data replaced, at most 2 KB, control characters escaped. `undefined`
 * when nothing is kept.
 */
export function scrubText(text: string, kept: KeptText): string | undefined {
  switch (kept) {
    case 'none':
      return undefined;
    case 'full':
      return escapeAndCut(text.slice(0, WINDOW));
    case 'scrubbed':
      return escapeAndCut(replaceDetected(text));
  }
}

/** Makes one text after the other fit to be kept. */
export type Scrub = (text: string) => string | undefined;

/** Texts that a scrubber knows: most reasons of a guard are the same few. */
const KNOWN_TEXTS = 64;

/** {@link scrubText} that remembers what it made of the last texts. */
export function createScrubber(kept: KeptText): Scrub {
  const known = new Map<string, string | undefined>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined || text.length > WINDOW) return before ?? scrubText(text, kept);
    const fit = scrubText(text, kept);
    if (known.size >= KNOWN_TEXTS) known.clear();
    known.set(text, fit);
    return fit;
  };
}

/** An identifier of a caller, as it may be kept: escaped and at most 256 bytes. */
export function plainId(text: string): string {
  if (PLAIN.test(text)) return text;
  return cut(escape(text.slice(0, ID_BYTES)), ID_BYTES);
}

/** What nearly every identifier is. */
const PLAIN = /^[\x20-\x7e]{0,256}$/;

const ID_BYTES = 256;

/** Characters that the detectors read: twice what is kept, so that what is replaced at the end is seen whole. */
const WINDOW = 2 * LIMITS.reasonBytes;

/** The longest thing that a detector must see whole, an e-mail address. */
const EDGE = 320;

function replaceDetected(text: string): string {
  // Invisible and look-alike characters would hide an address from the patterns.
  const plain = text
    .slice(0, WINDOW)
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '');
  // What the cut went through is not recognisable any more, so the edge goes as well.
  let result = text.length > WINDOW ? plain.slice(0, -EDGE) : plain;
  for (const [name, detector] of Object.entries(DETECTORS)) {
    const { pattern, replace = () => `[${name}]` }: Detector = detector;
    result = result.replace(pattern, replace);
  }
  return result;
}

function escapeAndCut(text: string): string {
  return cut(escape(text), LIMITS.reasonBytes);
}

/** One line, whatever it held: control characters and what reorders or ends lines as `\u{…}`. */
function escape(text: string): string {
  return text.toWellFormed().replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u{${code.toString(16)}}`;
  });
}

function cut(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  const bytes = Buffer.from(text).subarray(0, maxBytes - 3);
  // The cut may have split a character; its rest decodes to U+FFFD and goes.
  return `${bytes.toString().replace(/\ufffd{1,3}$/, '')}…`;
}
