import type { BatchResult, SqlValue } from './messages.ts';

/** What a statement came to. */
export interface Result {
  /** By the names of the columns. */
  readonly rows: readonly Readonly<Record<string, SqlValue>>[];
  /** Rows inserted, updated or deleted. */
  readonly changes: number;
}

/** The result with its rows as objects. */
export function resultOf(result: BatchResult): Result {
  if (typeof result === 'number') return { rows: [], changes: result };
  const { columns, rows, changes } = result;
  // The columns are the project's own; fromEntries is slower, and this is on the path of every read.
  const objectOf = (row: readonly SqlValue[]): Record<string, SqlValue> => {
    const object: Record<string, SqlValue> = {};
    for (const [index, column] of columns.entries()) object[column] = row[index] ?? null;
    return object;
  };
  return { rows: rows.map(objectOf), changes };
}
