import { sql } from './kysely.ts';
import type { Database } from './database.ts';
import { statementOf } from './dialect.ts';
import type { SqlValue, Statement } from './messages.ts';
import type { DecisionTable } from './tables.ts';

/** A row of the decisions table before it has its place. */
export type NewDecision = Omit<DecisionTable, 'seq'>;

/** A row's time and place: where a page ended. */
export interface DecisionCursor {
  readonly time: number;
  readonly seq: number;
}

/** Columns that a filter compares, those first of which a value stands in the fewest rows. */
const EQUAL = [
  'fire_id',
  'tool_call_id',
  'turn_id',
  'session_id',
  'role',
  'code',
  'hook',
  'version',
  'package',
  'point',
  'action',
] as const satisfies readonly (keyof DecisionTable)[];

/** From this on a filter by would-block finds fewer rows than one by the column. */
const AFTER_WOULD_BLOCK = EQUAL.indexOf('hook');

/** What a page of decisions holds; times in milliseconds since 1970, `until` excluded. */
export interface DecisionFilter extends Partial<
  Readonly<Record<(typeof EQUAL)[number], string | undefined>>
> {
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly would_block?: boolean | undefined;
  /** Whether there is a code, whichever. */
  readonly has_code?: boolean | undefined;
}

/** A page of decisions. */
export interface DecisionPage extends DecisionFilter {
  readonly order: 'newest' | 'oldest';
  /** The last row of the page before. */
  readonly from?: DecisionCursor | undefined;
  readonly limit: number;
}

/** The queries of the decisions table. */
export interface Decisions {
  /** The statement that inserts a row, to go into a batch. */
  insert(row: NewDecision): Statement;
  /** The statement that reads a page. */
  read(page: DecisionPage): Statement;
  page(page: DecisionPage): Promise<DecisionTable[]>;
  find(id: string): Promise<DecisionTable | undefined>;
  /** Deletes at most `limit` rows older than a time, with their payloads; how many. */
  deleteBefore(time: number, limit: number): Promise<number>;
  /** Deletes at most `limit` of the oldest rows, with their payloads, where more than `rows` are kept; how many. */
  deleteBeyond(rows: number, limit: number): Promise<number>;
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

/** Binds the queries to a database; pages are read from `reader`, where that is another connection to it. */
export function openDecisions(database: Database, reader = database): Decisions {
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
  const select = (page: DecisionPage) => pageQuery(reader.builder, page);

  /** Both in one transaction, so that no payload outlives its record. */
  async function deleteRows(oldest: ReturnType<typeof oldestBefore>): Promise<number> {
    const ids = builder.selectFrom('decisions').select('id').where('seq', 'in', oldest);
    const [, deleted] = await database.batch([
      statementOf(
        builder.deleteFrom('decision_payloads').where('decision_id', 'in', ids).compile(),
      ),
      statementOf(builder.deleteFrom('decisions').where('seq', 'in', oldest).compile()),
    ]);
    return deleted?.changes ?? 0;
  }

  const oldestBefore = (time: number, limit: number) =>
    builder
      .selectFrom('decisions')
      .select('seq')
      .where('time', '<', time)
      .orderBy('time')
      .orderBy('seq')
      .limit(limit);

  return {
    insert: (row) => ({ sql: insert, parameters: COLUMNS.map((column) => row[column]) }),
    read: (page) => statementOf(select(page).compile()),
    page: (page) => select(page).execute(),
    find: (id) =>
      reader.builder.selectFrom('decisions').selectAll().where('id', '=', id).executeTakeFirst(),
    deleteBefore: (time, limit) => deleteRows(oldestBefore(time, limit)),
    deleteBeyond(rows, limit) {
      // Places are given in order and rows go oldest first, so that counting, which reads all, is not needed.
      const oldest = builder
        .selectFrom('decisions')
        .select('seq')
        .where('seq', '<=', ({ selectFrom }) =>
          selectFrom('decisions').select(({ eb, fn }) => eb(fn.max('seq'), '-', rows).as('last')),
        )
        .orderBy('seq')
        .limit(limit);
      return deleteRows(oldest);
    },
  };
}

function pageQuery(builder: Database['builder'], page: DecisionPage) {
  const { since, until, from, order, limit, would_block: wouldBlock } = page;
  const isNewest = order === 'newest';
  let query = builder.selectFrom('decisions').selectAll();
  if (since !== undefined) query = query.where('time', '>=', since);
  if (until !== undefined) query = query.where('time', '<', until);
  if (from !== undefined) {
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('time', 'seq'), isNewest ? '<' : '>', tuple(from.time, from.seq)),
    );
  }
  // The planner has no figures: the first column leads, and a plus keeps it from the indexes of the others.
  // https://www.sqlite.org/optoverview.html#disqualifying_where_clause_terms_using_unary_
  const present = EQUAL.filter((column) => page[column] !== undefined);
  const first = present.length === 0 ? EQUAL.length : EQUAL.indexOf(present[0] ?? 'action');
  const isLedByShadow = wouldBlock === true && first >= AFTER_WOULD_BLOCK;
  for (const column of present) {
    const isLeader = column === EQUAL[first] && !isLedByShadow;
    const left = isLeader ? sql.ref(column) : sql`+${sql.ref(column)}`;
    query = query.where(left, '=', page[column]);
  }
  if (wouldBlock !== undefined) {
    // As text of the query: the planner takes an index of some rows only where it sees which are meant.
    const left = isLedByShadow ? sql.ref('would_block') : sql`+${sql.ref('would_block')}`;
    query = query.where(left, '=', wouldBlock ? sql.lit(1) : sql.lit(0));
  }
  if (page.has_code !== undefined) {
    // The index of rows with a code is one by hook.
    const isOfHook = EQUAL[first] === 'hook' && !isLedByShadow;
    const left = isOfHook ? sql.ref('code') : sql`+${sql.ref('code')}`;
    query = query.where(left, page.has_code ? 'is not' : 'is', null);
  }
  const direction = isNewest ? 'desc' : 'asc';
  return query.orderBy('time', direction).orderBy('seq', direction).limit(limit);
}
