import { existsSync, statSync } from 'node:fs';
import { backup, constants, DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { StatementCache } from './statement-cache.ts';
import { MIGRATIONS, TEMPORARY_TABLES } from './migrations.ts';
import type {
  Bounds,
  SqlFailure,
  BatchResult,
  SqlValue,
  Statement,
  StatementResult,
  StatementRun,
  WorkerStart,
} from './messages.ts';

/** One connection to a SQLite file. Blocks its thread; the maker closes it. */
export interface Engine {
  run(statement: Statement, bounds: Bounds): StatementResult;
  /** Runs the statements as one transaction that takes the write lock at its start. */
  batch(runs: readonly StatementRun[], bounds: Bounds): BatchResult[];
  /** What is wrong with the file, at most so many rows. */
  check(bounds: Bounds): StatementResult;
  close(): void;
}

/** An error whose text is safe to show: it names what failed and holds no value. */
export class EngineError extends Error {
  readonly failure: SqlFailure;

  constructor(reason: SqlFailure['reason'], detail: string) {
    super(detail);
    this.failure = { reason, detail };
  }
}

/** Opens a file, creates or updates its tables, and closes the doors that no query here needs. */
export function openEngine(start: WorkerStart): Engine {
  const { file, busyTimeoutMs, maxFileBytes, isReader } = start;
  const database = new DatabaseSync(file, {
    allowExtension: false,
    readOnly: isReader,
    timeout: busyTimeoutMs,
    limits: { attach: 0, sqlLength: 65_536, exprDepth: 100, compoundSelect: 10, triggerDepth: 0 },
  });
  try {
    if (isReader) database.exec('pragma trusted_schema = off');
    else {
      prepareConnection(database, busyTimeoutMs);
      checkFile(database, start);
      migrate(database);
      database.exec(TEMPORARY_TABLES);
      if (maxFileBytes !== null) limitSize(database, maxFileBytes);
    }
  } catch (error) {
    database.close();
    throw error;
  }
  forbid(database);
  const statements = new StatementCache(database);
  return {
    run: (statement, bounds) => execute(statements, statement, bounds),
    batch: (runs, bounds) =>
      transact(database, () => runs.flatMap((run) => executeAll(statements, run, bounds))),
    check(bounds) {
      database.setAuthorizer(null);
      const problems = damages(database);
      forbid(database);
      return {
        columns: ['detail'],
        rows: problems.slice(0, bounds.maxRows).map((detail) => [detail]),
        changes: 0,
      };
    },
    close: () => database.close(),
  };
}

/** Copies a database while others may write to it. Nothing, where there is none. */
export async function copyDatabase(from: string, to: string): Promise<void> {
  if (!existsSync(from)) return;
  const source = new DatabaseSync(from, { readOnly: true });
  try {
    await backup(source, to);
  } finally {
    source.close();
  }
}

/** Makes a database of this version with the rows of some tables of another, and none of the rest; the other is only read. */
export function copyTables(from: string, to: string, tables: readonly string[]): void {
  const isThere = existsSync(from);
  const target = new DatabaseSync(to, { timeout: COPY_TIMEOUT_MS });
  try {
    if (isThere) target.prepare('attach ? as source').run(`${pathToFileURL(from).href}?mode=ro`);
    // Rows of an earlier version need the tables that they were in; those of this one are made of them in the copy.
    const done = isThere ? migrationsIn(target, 'source') : 0;
    migrate(target, done);
    if (done > 0)
      for (const table of tables.filter((name) => isTableOf(target, 'source', name))) {
        target.exec(`insert into main.${table} select * from source.${table}`);
      }
    if (isThere) target.exec('detach source');
    migrate(target);
  } finally {
    target.close();
  }
}

const COPY_TIMEOUT_MS = 4000;

function isTableOf(database: DatabaseSync, schema: 'main' | 'source', name: string): boolean {
  const query = `select 1 from ${schema}.sqlite_schema where type = 'table' and name = ?`;
  return database.prepare(query).get(name) !== undefined;
}

function migrationsIn(database: DatabaseSync, schema: 'main' | 'source'): number {
  if (!isTableOf(database, schema, 'migrations')) return 0;
  const row = database.prepare(`select count(*) as done from ${schema}.migrations`).get();
  const done = Number(row?.['done']);
  if (done <= MIGRATIONS.length) return done;
  throw new EngineError('failed', 'be opened: a later version of Signalbox wrote it');
}

function forbid(database: DatabaseSync): void {
  database.setAuthorizer((action) =>
    FORBIDDEN.has(action) ? constants.SQLITE_DENY : constants.SQLITE_OK,
  );
}

/** Actions that no query of this project takes: a statement that tries one is a mistake or an attack. */
const FORBIDDEN: ReadonlySet<number> = new Set([
  constants.SQLITE_ATTACH,
  constants.SQLITE_DETACH,
  constants.SQLITE_PRAGMA,
  constants.SQLITE_CREATE_TRIGGER,
  constants.SQLITE_CREATE_TEMP_TRIGGER,
  constants.SQLITE_CREATE_VIEW,
  constants.SQLITE_CREATE_TEMP_VIEW,
  constants.SQLITE_CREATE_VTABLE,
]);

function prepareConnection(database: DatabaseSync, busyTimeoutMs: number): void {
  database.exec('pragma trusted_schema = off');
  // The switch to WAL does not wait for other connections by itself, so that two processes that start at once collide.
  retryWhileBusy(() => database.exec('pragma journal_mode = wal'), busyTimeoutMs);
  // In WAL mode NORMAL writes a commit to the file system before it is acknowledged and syncs at checkpoints alone: a
  // process that dies (kill -9) loses no acknowledged commit, a power cut may lose the last ones but never corrupts.
  // https://www.sqlite.org/pragma.html#pragma_synchronous
  database.exec('pragma synchronous = normal');
  // A page that many commits change is copied into the file once for all of them; the log beside it grows to 16 MB.
  database.exec('pragma wal_autocheckpoint = 4000');
}

/** A damaged file is found before anything relies on it. One that is too large for that is checked beside the work. */
function checkFile(database: DatabaseSync, { file, checkBytes }: WorkerStart): void {
  if (file === ':memory:' || statSync(file).size > checkBytes) return;
  const [first] = damages(database);
  if (first !== undefined) throw new EngineError('damaged', first);
}

/** https://www.sqlite.org/pragma.html#pragma_quick_check; its texts name tables, indexes and pages, never values. */
function damages(database: DatabaseSync): string[] {
  const rows = database.prepare('pragma quick_check(20)').all();
  const texts = rows.map((row) => String(row['quick_check']));
  return texts.length === 1 && texts[0] === 'ok' ? [] : texts;
}

function limitSize(database: DatabaseSync, maxFileBytes: number): void {
  const pageBytes = Number(database.prepare('pragma page_size').get()?.['page_size']);
  database.exec(`pragma max_page_count = ${Math.max(1, Math.floor(maxFileBytes / pageBytes))}`);
}

function retryWhileBusy(action: () => void, forMs: number): void {
  const end = Date.now() + forMs;
  for (;;) {
    try {
      return action();
    } catch (error) {
      if (resultCode(error) !== SQLITE_BUSY || Date.now() > end) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}

/** Up to a migration, or to the last. */
function migrate(database: DatabaseSync, end = MIGRATIONS.length): void {
  transact(database, () => {
    database.exec(
      'create table if not exists migrations (number integer primary key, name text not null) strict',
    );
    const done = migrationsIn(database, 'main');
    const remember = database.prepare('insert into migrations (number, name) values (?, ?)');
    for (const [index, { name, sql }] of MIGRATIONS.slice(0, end).entries()) {
      if (index < done) continue;
      database.exec(sql);
      remember.run(index + 1, name);
    }
  });
}

function transact<T>(database: DatabaseSync, action: () => T): T {
  database.exec('begin immediate');
  try {
    const result = action();
    database.exec('commit');
    return result;
  } catch (error) {
    // A full disk may have ended the transaction already; then there is nothing to roll back.
    if (database.isTransaction) database.exec('rollback');
    throw error;
  }
}

function execute(
  cache: StatementCache,
  { sql, parameters }: Statement,
  bounds: Bounds,
): StatementResult {
  const { statement, columns } = cache.get(sql);
  if (columns.length === 0) {
    return { columns, rows: [], changes: Number(statement.run(...parameters).changes) };
  }
  const rows: (readonly SqlValue[])[] = [];
  let bytes = 0;
  for (const item of statement.iterate(...parameters)) {
    // The cache makes rows arrays, which the types do not show; integers come as numbers, or the read throws.
    const row = item as unknown as readonly SqlValue[];
    if (rows.length === bounds.maxRows) throw tooLarge(`${bounds.maxRows} rows`);
    for (const value of row) bytes += sizeOf(value);
    if (bytes > bounds.maxBytes) throw tooLarge(`${bounds.maxBytes} bytes`);
    if (Date.now() > bounds.deadline) throw new EngineError('failed', 'read all rows in time');
    rows.push(row);
  }
  return { columns, rows, changes: 0 };
}

function executeAll(
  cache: StatementCache,
  { sql, parameters }: StatementRun,
  bounds: Bounds,
): BatchResult[] {
  const { statement, columns } = cache.get(sql);
  if (columns.length > 0)
    return parameters.map((each) => execute(cache, { sql, parameters: each }, bounds));
  return parameters.map((each) => Number(statement.run(...each).changes));
}

function sizeOf(value: SqlValue): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  return value instanceof Uint8Array ? value.byteLength : 0;
}

function tooLarge(than: string): EngineError {
  return new EngineError('too_large', `return more than ${than}`);
}

const SQLITE_BUSY = 5;

/** SQLite's primary result code of an error, if it is one of SQLite's. */
function resultCode(error: unknown): number | undefined {
  const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined;
  return typeof code === 'number' ? code & 0xff : undefined;
}
