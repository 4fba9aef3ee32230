import { CONFUSABLES } from './confusables.ts';
import type { Span } from './spans.ts';

/** A copy of a text to match on, and the way back to the original. */
export interface Folded {
  /** NFKC, without invisible characters, with look-alikes of ASCII as ASCII. */
  readonly text: string;
  /** The part of the original that a part of the copy stands for. */
  spanOf(start: number, end: number): Span;
}

/** Characters that show nothing: default-ignorable ones, control characters but white space, annotation marks. */
const INVISIBLE =
  /[\p{Default_Ignorable_Code_Point}\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ufff9-\ufffb]/u;
/** Characters that fold to themselves, when no combining mark follows: ASCII, and letters that long texts are made of. */
const PLAIN = String.raw`[\t\n\v\f\r\x20-\x7e\xc0-\xff\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3]`;
const ALL_ASCII = /^[\t\n\v\f\r\x20-\x7e]*$/;
const ALL_PLAIN = new RegExp(`^${PLAIN}+$`);
/** A run of plain characters, else one character with the marks that combine with it: NFKC cannot be done by halves. */
const PIECE = new RegExp(String.raw`${PLAIN}+(?!\p{M})|\P{M}\p{M}*|\p{M}+`, 'gsu');

/** A part of the copy and the part of the original that it stands for, unit by unit when `isRun`. */
interface Piece extends Span {
  readonly copyStart: number;
  readonly isRun: boolean;
}

/**
 * Folds a text for matching: `ｂob＠example.org`, `bo\u200bb@example.org` and a Cyrillic `о` all read `bob@example.org`.
 * Change the original through `spanOf`, never the copy: text without a match must stay as it was written.
 *
 * @example
 * ```ts
 * const folded = fold('to bob＠example.org');
 * folded.text; // 'to bob@example.org'
 * folded.spanOf(3, 18); // { start: 3, end: 18 }
 * ```
 */
export function fold(text: string): Folded {
  if (ALL_ASCII.test(text)) return { text, spanOf: (start, end) => ({ start, end }) };
  let copy = '';
  const pieces: Piece[] = [];
  for (const { 0: original, index: start } of text.matchAll(PIECE)) {
    const isRun = ALL_PLAIN.test(original);
    const folded = isRun ? original : foldCluster(original);
    if (folded === '') continue;
    pieces.push({ start, end: start + original.length, copyStart: copy.length, isRun });
    copy += folded;
  }
  return { text: copy, spanOf: (start, end) => spanIn(pieces, start, end) };
}

function spanIn(pieces: readonly Piece[], start: number, end: number): Span {
  const first = pieceAt(pieces, start);
  const last = pieceAt(pieces, Math.max(start, end - 1));
  if (first === undefined || last === undefined) return { start: 0, end: 0 };
  const from = first.isRun ? first.start + start - first.copyStart : first.start;
  if (end <= start) return { start: from, end: from };
  return { start: from, end: last.isRun ? last.start + end - last.copyStart : last.end };
}

/** The last piece that starts at or before a place of the copy. */
function pieceAt(pieces: readonly Piece[], at: number): Piece | undefined {
  let low = 0;
  let high = pieces.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((pieces[middle]?.copyStart ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  return pieces[low];
}

function foldCluster(cluster: string): string {
  const composed = cluster.normalize('NFKC');
  if (composed.length === 1) return foldChar(composed);
  let folded = '';
  for (const char of composed) folded += foldChar(char);
  return folded;
}

function foldChar(char: string): string {
  if (INVISIBLE.test(char)) return '';
  return CONFUSABLES.get(char) ?? char;
}
