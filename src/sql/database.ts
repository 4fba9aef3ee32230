import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { SignalboxError } from '../../sdk/errors.ts';
import { createQueryBuilder } from './dialect.ts';
import {
  resultOf,
  type Result,
  type SqlValue,
  type Statement,
  type StatementRun,
} from './messages.ts';
import type { QueryBuilder } from './tables.ts';
import { startThread, type DatabaseThreads } from './threads.ts';
import { WorkerCalls, type CallBounds } from './worker-calls.ts';

/** Settings of a database; each has a default. */
export interface DatabaseOptions {
  /** How long a call may take, waiting included; 5000. */
  readonly deadlineMs?: number;
  /** How long a write waits for another process; 4000, less than the deadline so that the caller learns the cause. */
  readonly busyTimeoutMs?: number;
  /** The file may grow to this size, then writes fail as on a full disk; `null`, no bound. */
  readonly maxFileBytes?: number | null;
  /** A file up to this size is checked whole before it is used; {@link CHECKED_AT_START}. */
  readonly checkBytes?: number;
  /** Where its thread comes from; started now, if absent. */
  readonly threads?: DatabaseThreads | undefined;
}

/** Checking a file takes about 2 ms for each of its megabytes, and a start waits for it. */
export const CHECKED_AT_START = 16 * 1024 * 1024;

/** Limits of one call; each has a default. */
export interface CallOptions {
  readonly deadlineMs?: number;
  /** More rows than this is an error of the call; {@link PAGE.rows}. */
  readonly maxRows?: number;
  /** More bytes of text than this is an error of the call; {@link PAGE.bytes}. */
  readonly maxBytes?: number;
}

/** The most that one call returns unless it says otherwise. No query is unbounded. */
export const PAGE = { rows: 1000, bytes: 4 * 1024 * 1024 } as const;

/** A SQLite database in a worker thread of its own. The maker closes it. Every method rejects with `database`, `database_damaged` or `result_too_large`. */
export interface Database {
  /** Builds queries; each is one message to the worker. */
  readonly builder: QueryBuilder;
  run(statement: Statement, options?: CallOptions): Promise<Result>;
  /** One transaction: all of the statements or none. */
  batch(statements: readonly Statement[], options?: CallOptions): Promise<readonly Result[]>;
  /** Reads the whole file, whatever its size, and says what is wrong with it; nothing else runs on it meanwhile. */
  check(): Promise<readonly string[]>;
  /** Lets the calls before it finish. */
  close(): Promise<void>;
}

/**
 * Opens a database file, or `:memory:`; creates it, its folder and its tables where they are missing. Rejects with
 * `database` when it cannot be opened, with `database_damaged` when a check finds something wrong. Several processes may
 * have one file open.
 */
export async function openDatabase(file: string, options: DatabaseOptions = {}): Promise<Database> {
  if (file !== ':memory:') createPrivately(file);
  const calls = await startWorker(file, { ...options, isReader: false });
  return overCalls(() => Promise.resolve(calls), options);
}

/**
 * A second connection to an open database that reads alone, beside the work on the first. Its thread starts with the
 * first call.
 */
export function openReader(file: string, options: DatabaseOptions = {}): Database {
  let starting: Promise<WorkerCalls> | undefined;
  const started = (): Promise<WorkerCalls> =>
    (starting ??= startWorker(file, { ...options, isReader: true }));
  return {
    ...overCalls(started, options),
    async close() {
      await (await starting?.catch(() => undefined))?.close();
    },
  };
}

async function startWorker(
  file: string,
  options: DatabaseOptions & { readonly isReader: boolean },
): Promise<WorkerCalls> {
  const { busyTimeoutMs = 4000, maxFileBytes = null, isReader } = options;
  const { checkBytes = CHECKED_AT_START, threads } = options;
  const calls = new WorkerCalls(
    { file, busyTimeoutMs, maxFileBytes, checkBytes, isReader },
    threads?.take() ?? startThread(),
  );
  // Opening waits for another process's migration, which writes indexes of all rows, and for the start of the thread.
  await calls.opened(busyTimeoutMs + OPENING_MS);
  return calls;
}

function overCalls(
  started: () => Promise<WorkerCalls>,
  { deadlineMs = 5000 }: DatabaseOptions,
): Database {
  const bounds = (call: CallOptions): CallBounds => ({
    deadlineMs: call.deadlineMs ?? deadlineMs,
    maxRows: call.maxRows ?? PAGE.rows,
    maxBytes: call.maxBytes ?? PAGE.bytes,
  });
  const run = async (statement: Statement, call: CallOptions = {}): Promise<Result> => {
    const calls = await started();
    const [result] = await calls.send({ kind: 'run', statement }, bounds(call));
    return result === undefined ? { rows: [], changes: 0 } : resultOf(result);
  };
  return {
    builder: createQueryBuilder(run),
    run,
    async batch(statements, call = {}) {
      const calls = await started();
      const results = await calls.send({ kind: 'batch', runs: runsOf(statements) }, bounds(call));
      return results.map(resultOf);
    },
    async check() {
      const calls = await started();
      const [result = 0] = await calls.send({ kind: 'check' }, bounds({ deadlineMs: CHECK_MS }));
      return resultOf(result).rows.map(({ detail }) => String(detail));
    },
    close: async () => (await started()).close(),
  };
}

/** Statements of one text that follow each other go together. */
function runsOf(statements: readonly Statement[]): StatementRun[] {
  const runs: { readonly sql: string; readonly parameters: (readonly SqlValue[])[] }[] = [];
  for (const { sql, parameters } of statements) {
    const last = runs.at(-1);
    if (last?.sql === sql) last.parameters.push(parameters);
    else runs.push({ sql, parameters: [parameters] });
  }
  return runs;
}

const OPENING_MS = 60_000;
const CHECK_MS = 600_000;

function createPrivately(file: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o711 });
    // SQLite gives its -wal and -shm files the rights of the main file.
    closeSync(openSync(file, 'a', 0o600));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw new SignalboxError('database', { detail: `be opened at "${file}": ${code}` });
  }
}
