/** Characters that would move a terminal's cursor, hide text or reverse it. */
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/g;

/** A text that somebody else wrote, as it may be shown in an error: one line, bounded, without control characters. */
export function printable(text: string, maxChars = 300): string {
  const plain = text.replace(UNPRINTABLE, ' ').toWellFormed();
  return plain.length > maxChars ? `${plain.slice(0, maxChars).toWellFormed()}…` : plain;
}
