/** A part of a text: `start` is its first UTF-16 unit, `end` the one behind its last. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Sorts spans and joins those that overlap; a joined span keeps the other fields of the one that starts first.
 *
 * @example
 * ```ts
 * mergeSpans([{ start: 4, end: 9 }, { start: 0, end: 5 }]); // [{ start: 0, end: 9 }]
 * ```
 */
export function mergeSpans<S extends Span>(spans: readonly S[]): S[] {
  const sorted = spans
    .filter((span) => span.end > span.start)
    .sort((a, b) => a.start - b.start || b.end - a.end);
  const merged: S[] = [];
  for (const span of sorted) {
    const last = merged.at(-1);
    if (last === undefined || span.start >= last.end) merged.push(span);
    else if (span.end > last.end) merged[merged.length - 1] = { ...last, end: span.end };
  }
  return merged;
}

/**
 * Replaces spans of a text and leaves every other character as it is; overlapping spans are replaced as one.
 *
 * @example
 * ```ts
 * replaceSpans('mail ann@example.com', [{ start: 5, end: 20 }], '[EMAIL]'); // 'mail [EMAIL]'
 * ```
 */
export function replaceSpans<S extends Span>(
  text: string,
  spans: readonly S[],
  replacement: string | ((span: S) => string),
): string {
  let result = '';
  let from = 0;
  for (const span of mergeSpans(spans)) {
    const put = typeof replacement === 'string' ? replacement : replacement(span);
    result += text.slice(from, span.start) + put;
    from = span.end;
  }
  return from === 0 ? text : result + text.slice(from);
}
