import { randomUUID } from 'node:crypto';
import { SignalboxError } from '../../sdk/errors.ts';
import type { Database } from '../sql/database.ts';
import { openDecisions, type DecisionCursor } from '../sql/decisions.ts';
import type { UseFilter } from '../sql/uses.ts';
import type { UseTable } from '../sql/tables.ts';
import { createGroupCommit } from './group-commit.ts';
import { recordOf, rowOf, type DecisionRecord, type RecordInput } from './record.ts';
import type { KeptText } from './scrub.ts';
import { openUseCounts, type UseInput } from './use-counts.ts';

export type { DecisionRecord, RecordInput } from './record.ts';

/** Settings of the records. */
export interface RecordsOptions {
  /** What is kept of reasons; `scrubbed`. */
  readonly reasons?: KeptText | undefined;
  /** Milliseconds since 1970; the clock, if absent. */
  readonly now?: (() => number) | undefined;
}

/** Which records a page holds. */
export interface RecordFilter {
  /** Milliseconds since 1970, included. */
  readonly since?: number | undefined;
  /** Milliseconds since 1970, excluded. */
  readonly until?: number | undefined;
  readonly hook?: string | undefined;
  readonly point?: string | undefined;
  readonly action?: string | undefined;
  readonly code?: string | undefined;
  readonly session?: string | undefined;
  /** 100, if absent; at most 1000. */
  readonly limit?: number | undefined;
  /** The `next` of the page before. */
  readonly before?: string | undefined;
}

/** Records, newest first; `next` is there when more may follow. */
export interface RecordPage {
  readonly records: readonly DecisionRecord[];
  readonly next?: string;
}

/** What hooks did and what they used. The maker closes it, before the database. */
export interface Records {
  /** Resolves when the record is committed: a verdict returned after it is not forgotten. Rejects with `database`. */
  append(record: RecordInput): Promise<void>;
  /** Counts a use of a capability; kept within a second, and at `flush` and `close`. */
  countUse(use: UseInput): void;
  /** Rejects with `request_invalid` for a page that cannot be asked for. */
  query(filter?: RecordFilter): Promise<RecordPage>;
  uses(filter?: UseFilter): Promise<readonly Omit<UseTable, 'day'>[]>;
  /** Deletes records older than a time in milliseconds since 1970; how many. */
  prune(before: number): Promise<number>;
  /** Settles when all that was appended and counted before is kept; rejects when counts could not be. */
  flush(): Promise<void>;
  /** Flushes; then `append` rejects. The database stays the caller's to close. */
  close(): Promise<void>;
}

/** Opens the records of a database. */
export function openRecords(database: Database, options: RecordsOptions = {}): Records {
  const { reasons: kept = 'scrubbed', now = Date.now } = options;
  const decisions = openDecisions(database);
  const commits = createGroupCommit(database);
  const uses = openUseCounts(database, now);
  let isClosed = false;
  const flush = async (): Promise<void> => {
    await commits.flush();
    await uses.flush();
  };
  return {
    async append(record) {
      if (isClosed) throw new SignalboxError('database', { detail: 'take a record: it is closed' });
      await commits.add(decisions.insert(rowOf(record, { id: randomUUID(), now: now(), kept })));
    },
    countUse: (use) => {
      if (!isClosed) uses.count(use);
    },
    async query({ limit = 100, before, session, ...filter } = {}) {
      if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE)
        throw invalid(`limit must be 1 to ${MAX_PAGE}`);
      const cursor = before === undefined ? undefined : parseCursor(before);
      const rows = await decisions.page({ ...filter, session_id: session, before: cursor, limit });
      const last = rows.length === limit ? rows.at(-1) : undefined;
      const records = rows.map(recordOf);
      return last === undefined ? { records } : { records, next: `${last.time}-${last.seq}` };
    },
    uses: (filter = {}) => uses.sums(filter),
    async prune(before) {
      let count = 0;
      for (;;) {
        // In small transactions, so that records of running calls get in between.
        const deleted = await decisions.deleteBefore(before, PRUNE_ROWS);
        count += deleted;
        if (deleted < PRUNE_ROWS) return count;
      }
    },
    flush,
    async close() {
      isClosed = true;
      await flush();
    },
  };
}

const MAX_PAGE = 1000;

const PRUNE_ROWS = 2000;

function parseCursor(text: string): DecisionCursor {
  const [, time, seq] = /^(\d{1,16})-(\d{1,16})$/.exec(text) ?? [];
  if (time === undefined || seq === undefined)
    throw invalid('"before" is not the "next" of a page');
  return { time: Number(time), seq: Number(seq) };
}

function invalid(detail: string): SignalboxError {
  return new SignalboxError('request_invalid', { detail });
}
