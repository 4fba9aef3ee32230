import { SignalboxError } from '../../sdk/errors.ts';
import type { Database } from '../sql/database.ts';
import { openDecisionPayloads } from '../sql/decision-payloads.ts';
import { openDecisions, type DecisionCursor } from '../sql/decisions.ts';
import type { UseFilter } from '../sql/uses.ts';
import type { UseTable } from '../sql/tables.ts';
import type { Exchange } from './exchange.ts';
import { createGroupCommit } from './group-commit.ts';
import type { PayloadSeal } from './payload-seal.ts';
import { conditionsOf, type RecordFilter } from './record-filter.ts';
import { newRecordId } from './record-id.ts';
import { recordOf, rowOf, type DecisionRecord, type RecordInput } from './record.ts';
import { createScrubber, type KeptText } from './scrub.ts';
import { openUseCounts, type UseInput } from './use-counts.ts';

export type { DecisionRecord, RecordInput } from './record.ts';
export type { RecordFilter } from './record-filter.ts';

/** Settings of the records. */
export interface RecordsOptions {
  /** What is kept of reasons; `scrubbed`. */
  readonly reasons?: KeptText | undefined;
  /** Keeps what hooks were given, encrypted; without it, nothing of that is kept. */
  readonly seal?: PayloadSeal | undefined;
  /** Another connection to the database, so that a query holds up no record; the database itself, if absent. */
  readonly reader?: Database | undefined;
  /** Milliseconds since 1970; the clock, if absent. */
  readonly now?: (() => number) | undefined;
}

/** A page of records. */
export interface RecordQuery extends RecordFilter {
  /** 100, if absent; at most 1000. */
  readonly limit?: number | undefined;
  /** The `next` of the page before. */
  readonly before?: string | undefined;
  /** `newest` first, if absent. */
  readonly order?: 'newest' | 'oldest' | undefined;
}

/** Records in their order; `next` is there when more may follow. */
export interface RecordPage {
  readonly records: readonly DecisionRecord[];
  readonly next?: string;
}

/** What is to be deleted; times in milliseconds since 1970. */
export interface PruneLimits {
  /** Records older than this. */
  readonly before?: number | undefined;
  /** The oldest beyond so many. */
  readonly maxRows?: number | undefined;
  /** Payloads older than this. */
  readonly payloadsBefore?: number | undefined;
  /** Rows of one transaction; 100. */
  readonly batchRows?: number;
  /** Ends it between two transactions. */
  readonly signal?: AbortSignal;
}

/** How much was deleted. */
export interface Pruned {
  readonly records: number;
  /** Those of deleted records not counted. */
  readonly payloads: number;
}

/** What hooks did and what they used. The maker closes it, before the database. */
export interface Records {
  /** Whether `append` keeps what hooks were given. */
  readonly keepsPayloads: boolean;
  /**
   * Resolves when the record is committed: a verdict returned after it is not forgotten. Rejects with `database`. What
   * the hook was given is dropped unless payloads are kept.
   */
  append(record: RecordInput, exchange?: Exchange): Promise<void>;
  /** Counts a use of a capability; kept within a second, and at `flush` and `close`. */
  countUse(use: UseInput): void;
  /** Rejects with `request_invalid` for a page that cannot be asked for. */
  query(query?: RecordQuery): Promise<RecordPage>;
  /** Rejects with `record_unknown`. */
  find(id: string): Promise<DecisionRecord>;
  /** What the hooks of some records were given, where it was kept, by id. Rejects with `payload_key`. */
  exchanges(ids: readonly string[], seal: PayloadSeal): Promise<ReadonlyMap<string, Exchange>>;
  uses(filter?: UseFilter): Promise<readonly Omit<UseTable, 'day'>[]>;
  prune(limits: PruneLimits): Promise<Pruned>;
  /** Settles when all that was appended and counted before is kept; rejects when counts could not be. */
  flush(): Promise<void>;
  /** Flushes; then `append` rejects. The database stays the caller's to close. */
  close(): Promise<void>;
}

/** Opens the records of a database. */
export function openRecords(database: Database, options: RecordsOptions = {}): Records {
  const { reasons: kept = 'scrubbed', seal, reader = database, now = Date.now } = options;
  const decisions = openDecisions(database, reader);
  const payloads = openDecisionPayloads(database);
  const commits = createGroupCommit(database);
  const uses = openUseCounts(database, now);
  const scrub = createScrubber(kept);
  let isClosed = false;
  const flush = async (): Promise<void> => {
    await commits.flush();
    await uses.flush();
  };
  return {
    keepsPayloads: seal !== undefined,
    async append(record, exchange) {
      if (isClosed) throw new SignalboxError('database', { detail: 'take a record: it is closed' });
      const time = now();
      const row = rowOf(record, { id: newRecordId(record.time ?? time), now: time, scrub });
      const sealed = exchange === undefined ? undefined : seal?.seal(row.id, exchange);
      if (sealed === undefined) return commits.add(decisions.insert(row));
      const payload = payloads.insert({ decision_id: row.id, time: row.time, sealed });
      return commits.add(decisions.insert(row), payload);
    },
    countUse: (use) => {
      if (!isClosed) uses.count(use);
    },
    async query({ limit = 100, before, order = 'newest', ...filter } = {}) {
      if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE)
        throw invalid(`limit must be 1 to ${MAX_PAGE}`);
      const from = before === undefined ? undefined : parseCursor(before);
      const rows = await decisions.page({ ...conditionsOf(filter), order, from, limit });
      const last = rows.length === limit ? rows.at(-1) : undefined;
      const records = rows.map(recordOf);
      return last === undefined ? { records } : { records, next: `${last.time}-${last.seq}` };
    },
    async find(id) {
      const row = await decisions.find(id);
      if (row === undefined) throw new SignalboxError('record_unknown', { id: id.slice(0, 100) });
      return recordOf(row);
    },
    async exchanges(ids, { open }) {
      const sealed = await payloads.of(ids);
      return new Map([...sealed].map(([id, bytes]) => [id, open(id, bytes)]));
    },
    uses: (filter = {}) => uses.sums(filter),
    async prune({ before, maxRows, payloadsBefore, batchRows = PRUNE_ROWS, signal }) {
      const all = async (remove: (limit: number) => Promise<number>): Promise<number> => {
        let count = 0;
        // In small transactions, so that records of running calls get in between.
        while (signal?.aborted !== true) {
          const deleted = await remove(batchRows);
          count += deleted;
          if (deleted < batchRows) break;
        }
        return count;
      };
      const byAge =
        before === undefined ? 0 : await all((limit) => decisions.deleteBefore(before, limit));
      const byNumber =
        maxRows === undefined ? 0 : await all((limit) => decisions.deleteBeyond(maxRows, limit));
      const ofPayloads =
        payloadsBefore === undefined
          ? 0
          : await all((limit) => payloads.deleteBefore(payloadsBefore, limit));
      return { records: byAge + byNumber, payloads: ofPayloads };
    },
    flush,
    async close() {
      isClosed = true;
      await flush();
    },
  };
}

const MAX_PAGE = 1000;

const PRUNE_ROWS = 100;

function parseCursor(text: string): DecisionCursor {
  const [, time, seq] = /^(\d{1,16})-(\d{1,16})$/.exec(text) ?? [];
  if (time === undefined || seq === undefined)
    throw invalid('"before" is not the "next" of a page');
  return { time: Number(time), seq: Number(seq) };
}

function invalid(detail: string): SignalboxError {
  return new SignalboxError('request_invalid', { detail });
}
