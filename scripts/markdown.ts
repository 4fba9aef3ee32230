/** A heading of the level given. */
export function heading(level: number, text: string): string {
  return `${'#'.repeat(level)} ${text}`;
}

/** A text as code. */
export function code(text: string): string {
  return `\`${text}\``;
}

/** Texts as code, one after the other. */
export function codes(texts: readonly string[]): string {
  return texts.map((text) => code(text)).join(', ');
}

/** A table; bars and angle brackets in cells are kept from being read as markup. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.map((cell) => escape(cell)).join(' | ')} |`).join('\n');
}

function escape(cell: string): string {
  const plain = cell.replaceAll('|', '\\|');
  // Inside backquotes an angle bracket is plain text, and an entity would be shown as written.
  return plain.includes('`') ? plain : plain.replaceAll('<', '&lt;');
}
