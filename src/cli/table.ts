import Table from 'cli-table3';

import { printable } from '../config/printable.ts';

/** One cell: a value, or several in a list. */
export type Cell = string | number | readonly string[];

/** How a table is drawn. */
export interface TableStyle {
  /** With lines around the cells, for people. */
  readonly isBordered: boolean;
  readonly emphasise: (text: string) => string;
}

/** The most that one cell shows: reasons are texts of others. */
const MAX_CELL_CHARS = 160;

/** The width that a cell with several values takes of a line. */
const FULL_LINE_CHARS = 44;

const BORDERLESS = Object.fromEntries(
  ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left']
    .concat(['bottom-right', 'left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid'])
    .map((name) => [name, '']),
);

/** Draws a table. Cells may hold what others wrote: control characters are taken out. */
export function drawTable(
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
  { isBordered, emphasise }: TableStyle,
): string {
  const table = new Table({
    head: head.map(emphasise),
    style: {
      head: [],
      border: [],
      compact: true,
      ...(!isBordered && { 'padding-left': 0, 'padding-right': 0 }),
    },
    ...(!isBordered && { chars: { ...BORDERLESS, middle: '  ' } }),
  });
  for (const row of rows) table.push(row.map((cell) => cellText(cell, isBordered)));
  const lines = table.toString().split('\n');
  return lines.map((line) => line.trimEnd()).join('\n');
}

function cellText(cell: Cell, isBordered: boolean): string {
  if (typeof cell === 'number') return String(cell);
  if (typeof cell === 'string') return printable(cell, MAX_CELL_CHARS);
  const parts = cell.map((part) => printable(part, MAX_CELL_CHARS));
  return isBordered ? fillLines(parts).join('\n') : parts.join(', ');
}

/** Puts as many parts on a line as it takes. */
function fillLines(parts: readonly string[]): string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + part.length + 2 <= FULL_LINE_CHARS) {
      lines[lines.length - 1] = `${last}, ${part}`;
    } else lines.push(part);
  }
  return lines;
}
