import { numberToString, stringCharCodeAt, stringPadStart, stringSlice } from '../intrinsics.ts';

/** Text that grows up to a limit. */
export interface Line {
  text: string;
  /** Characters that still fit. */
  left: number;
}

/** Starts an empty line. */
export function startLine(maxChars: number): Line {
  return { text: '', left: maxChars };
}

/** Adds text as it is; what does not fit is replaced by an ellipsis, and nothing comes after it. */
export function put(line: Line, text: string): void {
  if (line.left <= 0) return;
  const isWhole = text.length <= line.left;
  line.text += isWhole ? text : `${stringSlice(text, 0, line.left)}…`;
  line.left = isWhole ? line.left - text.length : 0;
}

const NEWLINE = 10;
const RETURN = 13;
const TAB = 9;
const QUOTE = 39;
const BACKSLASH = 92;

/** Adds foreign text with its control characters made visible, so that it can neither end the line nor steer a terminal. */
export function putVisible(line: Line, text: string): void {
  putEscaped(line, text, false);
}

/** Adds foreign text between quotes. */
export function putQuoted(line: Line, text: string): void {
  put(line, "'");
  putEscaped(line, text, true);
  put(line, "'");
}

function putEscaped(line: Line, text: string, isQuoted: boolean): void {
  let from = 0;
  // One more than fits, so that `put` sees that something was left out.
  const end = text.length > line.left ? line.left + 1 : text.length;
  for (let index = 0; index < end; index += 1) {
    const escape = escapeOf(stringCharCodeAt(text, index), isQuoted);
    if (escape === '') continue;
    put(line, stringSlice(text, from, index));
    put(line, escape);
    from = index + 1;
  }
  put(line, stringSlice(text, from, end));
}

function escapeOf(code: number, isQuoted: boolean): string {
  if (code >= 32 && code < 127 && code !== QUOTE && code !== BACKSLASH) return '';
  if (code === QUOTE) return isQuoted ? "\\'" : '';
  if (code === BACKSLASH) return isQuoted ? '\\\\' : '';
  if (code === NEWLINE) return '\\n';
  if (code === RETURN) return '\\r';
  if (code === TAB) return '\\t';
  const isControl = code < 32 || (code >= 127 && code < 160);
  // Line separators, and marks that turn the direction of what follows.
  const isMark =
    code === 0x2028 ||
    code === 0x2029 ||
    (code >= 0x202a && code <= 0x202e) ||
    (code >= 0x2066 && code <= 0x2069);
  return isControl || isMark ? `\\u${stringPadStart(numberToString(code, 16), 4, '0')}` : '';
}

/** The longest start of a text that fits into so many bytes of UTF-8 and splits no character. */
export function cutToBytes(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes) return text;
  let bytes = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = stringCharCodeAt(text, index);
    const isPair =
      code >= 0xd800 && code < 0xdc00 && (stringCharCodeAt(text, index + 1) & 0xfc00) === 0xdc00;
    bytes += isPair ? 4 : code < 0x80 ? 1 : code < 0x800 ? 2 : 3;
    if (bytes > maxBytes) return stringSlice(text, 0, index);
    if (isPair) index += 1;
  }
  return text;
}
