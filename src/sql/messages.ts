/** A value that SQLite stores. */
export type SqlValue = string | number | null | Uint8Array;

/** One SQL statement and the values of its placeholders, in order. */
export interface Statement {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

/** What a request may return and until when it may run. */
export interface Bounds {
  /** Milliseconds since 1970. The worker drops a request that it takes up later, and stops reading rows then. */
  readonly deadline: number;
  readonly maxRows: number;
  /** Bytes of text over all rows. */
  readonly maxBytes: number;
}

/** What a statement came to. Rows are arrays: names of columns in every row double the cost of a large page. */
export interface StatementResult {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly SqlValue[])[];
  /** Rows inserted, updated or deleted. */
  readonly changes: number;
}

/** One statement, once for each list of parameters: many records in a message have one text. */
export interface StatementRun {
  readonly sql: string;
  readonly parameters: readonly (readonly SqlValue[])[];
}

/** From the runtime to the database worker. A batch is one transaction: all of it or nothing. */
export type WorkerRequest =
  | {
      readonly kind: 'run';
      readonly id: number;
      readonly statement: Statement;
      readonly bounds: Bounds;
    }
  | {
      readonly kind: 'batch';
      readonly id: number;
      readonly runs: readonly StatementRun[];
      readonly bounds: Bounds;
    }
  /** Reads the whole file; one row for each thing that is wrong with it. */
  | { readonly kind: 'check'; readonly id: number; readonly bounds: Bounds }
  | { readonly kind: 'close'; readonly id: number };

/** What came of one statement of a batch: its changes alone, if it returns no rows. */
export type BatchResult = StatementResult | number;

/** From the database worker. The first reply, to `OPEN_ID`, says whether the database is open. */
export type WorkerReply =
  | { readonly kind: 'done'; readonly id: number; readonly results: readonly BatchResult[] }
  | { readonly kind: 'failed'; readonly id: number; readonly failure: SqlFailure };

/** Why a request failed; `detail` completes "The database could not …" and never holds a value. */
export interface SqlFailure {
  readonly reason: 'too_large' | 'damaged' | 'failed';
  readonly detail: string;
}

/** The id of the worker's first reply. */
export const OPEN_ID = 0;

/** What the worker is told first. */
export interface WorkerStart {
  readonly file: string;
  readonly busyTimeoutMs: number;
  /** The file may grow to this; `null` for no bound. */
  readonly maxFileBytes: number | null;
  /** Nothing is written, and the file must be there. */
  readonly isReader: boolean;
  /** A file up to this size is checked whole before it is used. */
  readonly checkBytes: number;
}

/** What a statement came to, for those who asked. */
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
