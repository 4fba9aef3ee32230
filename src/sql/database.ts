import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { SignalboxError } from '../../sdk/errors.ts';
import { createQueryBuilder } from './dialect.ts';
import type { Statement } from './messages.ts';
import { resultOf, type Result } from './result.ts';
import type { QueryBuilder } from './tables.ts';
import { WorkerCalls, type CallBounds } from './worker-calls.ts';

/** Settings of a database; each has a default. */
export interface DatabaseOptions {
  /** How long a call may take, waiting included; 5000. */
  readonly deadlineMs?: number;
  /** How long a write waits for another process; 4000, less than the deadline so that the caller learns the cause. */
  readonly busyTimeoutMs?: number;
  /** The file may grow to this size, then writes fail as on a full disk; `null`, no bound. */
  readonly maxFileBytes?: number | null;
}

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

/** A SQLite database in a worker thread of its own. The maker closes it. Every method rejects with `database` alone, or with `result_too_large`. */
export interface Database {
  /** Builds queries; each is one message to the worker. */
  readonly builder: QueryBuilder;
  run(statement: Statement, options?: CallOptions): Promise<Result>;
  /** One transaction: all of the statements or none. */
  batch(statements: readonly Statement[], options?: CallOptions): Promise<readonly Result[]>;
  /** Lets the calls before it finish. */
  close(): Promise<void>;
}

/**
 * Opens a database file, or `:memory:`; creates it, its folder and its tables where they are missing. Rejects with
 * `database` when it cannot be opened. Several processes may have one file open.
 */
export async function openDatabase(file: string, options: DatabaseOptions = {}): Promise<Database> {
  const { deadlineMs = 5000, busyTimeoutMs = 4000, maxFileBytes = null } = options;
  if (file !== ':memory:') createPrivately(file);
  const calls = new WorkerCalls({ file, busyTimeoutMs, maxFileBytes });
  // Opening waits for another process's migration, and for the start of the thread.
  await calls.opened(busyTimeoutMs + 10_000);
  const bounds = (call: CallOptions): CallBounds => ({
    deadlineMs: call.deadlineMs ?? deadlineMs,
    maxRows: call.maxRows ?? PAGE.rows,
    maxBytes: call.maxBytes ?? PAGE.bytes,
  });
  const run = async (statement: Statement, call: CallOptions = {}): Promise<Result> => {
    const [result] = await calls.send({ kind: 'run', statement }, bounds(call));
    return result === undefined ? { rows: [], changes: 0 } : resultOf(result);
  };
  return {
    builder: createQueryBuilder(run),
    run,
    async batch(statements, call = {}) {
      const results = await calls.send({ kind: 'batch', statements }, bounds(call));
      return results.map(resultOf);
    },
    close: () => calls.close(),
  };
}

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
