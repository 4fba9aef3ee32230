import { closest, distance } from 'fastest-levenshtein';

/** The known name that a misspelt one most likely stands for; `undefined` when nothing is known. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined;
  return closest(name.slice(0, 256), known);
}

/** The end of a message that suggests a known name, or nothing. */
export function suggestion(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return near === undefined ? '' : `; did you mean "${near}"?`;
}

/** Whether a text is a slip of the pen for `known`: another case, or one letter off. */
export function isSlipOf(text: string, known: string): boolean {
  return text !== known && distance(text.slice(0, 256).toLowerCase(), known.toLowerCase()) <= 1;
}
