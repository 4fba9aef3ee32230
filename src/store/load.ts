import { randomUUID } from 'node:crypto';
import { SignalboxError } from '../../sdk/errors.ts';
import { LIMITS } from '../../sdk/limits.ts';
import { keyProblem, valueProblem } from '../../host/bridges/store-arguments.ts';
import type { LoadCounts, StagedRow, StoreRows } from '../sql/store-rows.ts';
import { readLines, type Line } from './lines.ts';

/** How far a load has come. */
export interface LoadProgress {
  readonly rows: number;
  readonly bytes: number;
}

/** Settings of a load. */
export interface LoadOptions {
  /** Called after every group of rows. */
  readonly onProgress?: (progress: LoadProgress) => void;
}

/** Rows that go to the database at a time: they bound what is held, not what is committed. */
const GROUP = { rows: 500, bytes: 4 * 1024 * 1024 } as const;

/** A line holds a key and a value, each with room for escapes. */
const MAX_LINE_BYTES = 2 * LIMITS.storeValueBytes;

/** Loads the rows of a JSONL file into a collection: all of them, or none and `row_invalid` names the line. */
export async function loadRows(
  rows: StoreRows,
  { collection, file }: { readonly collection: string; readonly file: string },
  { onProgress }: LoadOptions = {},
): Promise<LoadCounts> {
  // Rows wait in a table that no reader sees: a file is read for longer than a write lock may be held.
  const load = randomUUID();
  let count = 0;
  try {
    for await (const group of groups(file)) {
      await rows.stage(load, group.rows);
      count += group.rows.length;
      onProgress?.({ rows: count, bytes: group.bytesRead });
    }
    return await rows.commit(load, collection);
  } catch (error) {
    // What stopped the load is what the caller must learn; the table is temporary in any case.
    await rows.discard(load).catch(() => undefined);
    throw error;
  }
}

interface Group {
  readonly rows: readonly StagedRow[];
  readonly bytesRead: number;
}

async function* groups(file: string): AsyncGenerator<Group> {
  let rows: StagedRow[] = [];
  let bytes = 0;
  let bytesRead = 0;
  for await (const line of readLines(file, MAX_LINE_BYTES)) {
    const row = parseRow(file, line);
    rows.push(row);
    bytes += row.text.length;
    bytesRead = line.bytesRead;
    if (rows.length < GROUP.rows && bytes < GROUP.bytes) continue;
    yield { rows, bytesRead };
    rows = [];
    bytes = 0;
  }
  if (rows.length > 0) yield { rows, bytesRead };
}

function parseRow(file: string, { number, text }: Line): StagedRow {
  const invalid = (detail: string): SignalboxError =>
    new SignalboxError('row_invalid', { file, line: number, detail });
  let row: unknown;
  try {
    row = JSON.parse(text);
  } catch {
    // The parser's own message quotes the line, and rows may be private.
    throw invalid('not valid JSON');
  }
  if (typeof row !== 'object' || row === null || Array.isArray(row))
    throw invalid('not a JSON object');
  for (const name of Object.keys(row)) {
    if (name !== 'key' && name !== 'value')
      throw invalid('a row has no other keys than "key" and "value"');
  }
  const { key, value } = row as { readonly key?: unknown; readonly value?: unknown };
  const problem = keyProblem(key) ?? valueProblem(value);
  if (problem !== undefined) throw invalid(problem);
  return { key: key as string, text: JSON.stringify(value) };
}
