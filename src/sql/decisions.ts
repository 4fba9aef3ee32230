import type { Database } from './database.ts';
import { statementOf } from './dialect.ts';
import type { SqlValue, Statement } from './messages.ts';
import type { DecisionTable } from './tables.ts';

/** A row of the decisions table before it has its place. */
export type NewDecision = Omit<DecisionTable, 'seq'>;

/** Where a page ended: the last row's time and place. */
export interface DecisionCursor {
  readonly time: number;
  readonly seq: number;
}

/** What a page of decisions holds; times in milliseconds since 1970, `until` excluded. */
export interface DecisionFilter {
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly hook?: string | undefined;
  readonly point?: string | undefined;
  readonly action?: string | undefined;
  readonly code?: string | undefined;
  readonly session_id?: string | undefined;
  /** Rows older than this one. */
  readonly before?: DecisionCursor | undefined;
  readonly limit: number;
}

/** The queries of the decisions table. */
export interface Decisions {
  /** The statement that inserts a row, to go into a batch. */
  insert(row: NewDecision): Statement;
  /** Newest first. */
  page(filter: DecisionFilter): Promise<DecisionTable[]>;
  /** Deletes at most `limit` rows older than `time`; how many. */
  deleteBefore(time: number, limit: number): Promise<number>;
}

const COLUMNS = [
  'id',
  'time',
  'fire_id',
  'point',
  'hook',
  'package',
  'version',
  'action',
  'code',
  'reason',
  'duration_ms',
  'session_id',
  'turn_id',
  'tool_call_id',
  'would_block',
  'role',
] as const satisfies readonly (keyof NewDecision)[];

/** Binds the queries to a database. */
export function openDecisions(database: Database): Decisions {
  const { builder } = database;
  // Compiled once: the builder takes longer than the insert, and every non-neutral call makes one.
  const template: Record<string, SqlValue> = Object.fromEntries(
    COLUMNS.map((column) => [column, '']),
  );
  const insert = builder
    .insertInto('decisions')
    // The template has every column; its values are replaced by each row's.
    .values(template as unknown as DecisionTable)
    .compile().sql;
  return {
    insert: (row) => ({ sql: insert, parameters: COLUMNS.map((column) => row[column]) }),
    async page({ since, until, before, limit, ...equal }) {
      let query = builder.selectFrom('decisions').selectAll();
      if (since !== undefined) query = query.where('time', '>=', since);
      if (until !== undefined) query = query.where('time', '<', until);
      if (before !== undefined) {
        query = query.where(({ eb, refTuple, tuple }) =>
          eb(refTuple('time', 'seq'), '<', tuple(before.time, before.seq)),
        );
      }
      for (const column of ['hook', 'point', 'action', 'code', 'session_id'] as const) {
        const value = equal[column];
        if (value !== undefined) query = query.where(column, '=', value);
      }
      return query.orderBy('time', 'desc').orderBy('seq', 'desc').limit(limit).execute();
    },
    async deleteBefore(time, limit) {
      const oldest = builder
        .selectFrom('decisions')
        .select('seq')
        .where('time', '<', time)
        .orderBy('time')
        .limit(limit);
      const { changes } = await database.run(
        statementOf(builder.deleteFrom('decisions').where('seq', 'in', oldest).compile()),
      );
      return changes;
    },
  };
}
