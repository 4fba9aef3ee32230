import type { Database } from './database.ts';
import { sql } from './kysely.ts';
import type { ModeChangeTable, OperatorActTable, ReloadTable } from './tables.ts';

/** The queries of what operators change while a runtime runs. */
export interface OperatorRows {
  insertMode(row: Omit<ModeChangeTable, 'seq'>): Promise<void>;
  /** Those after a place, oldest first; at most a page. */
  modesAfter(seq: number): Promise<readonly ModeChangeTable[]>;
  insertReload(row: Omit<ReloadTable, 'seq'>): Promise<void>;
  /** Newest first; at most a page. */
  reloads(): Promise<readonly ReloadTable[]>;
  insertAct(row: Omit<OperatorActTable, 'seq'>): Promise<void>;
  /** Of all tables, newest first; at most so many. */
  acts(limit: number): Promise<readonly OperatorActTable[]>;
}

const PAGE_ROWS = 500;

/** Binds the queries to a database. */
export function openOperatorRows({ builder }: Database): OperatorRows {
  return {
    async insertMode(row) {
      // The database gives the place.
      await builder
        .insertInto('mode_changes')
        .values(row as ModeChangeTable)
        .execute();
    },
    modesAfter: (seq) =>
      builder
        .selectFrom('mode_changes')
        .selectAll()
        .where('seq', '>', seq)
        .orderBy('seq')
        .limit(PAGE_ROWS)
        .execute(),
    async insertReload(row) {
      // The database gives the place.
      await builder
        .insertInto('reloads')
        .values(row as ReloadTable)
        .execute();
    },
    reloads: () =>
      builder.selectFrom('reloads').selectAll().orderBy('seq', 'desc').limit(PAGE_ROWS).execute(),
    async insertAct(row) {
      // The database gives the place.
      await builder
        .insertInto('operator_acts')
        .values(row as OperatorActTable)
        .execute();
    },
    acts: (limit) =>
      builder
        .selectFrom('operator_acts')
        .select(['seq', 'time', 'by', 'act', 'target', 'detail'])
        .unionAll(
          builder
            .selectFrom('grant_changes')
            .select(['seq', 'time', 'by', sql<string>`'grant ' || action`.as('act'), 'target'])
            .select(sql<string>`capabilities`.as('detail')),
        )
        .unionAll(
          builder
            .selectFrom('mode_changes')
            .select(['seq', 'time', 'by', sql<string>`'mode ' || mode`.as('act'), 'hook as target'])
            .select(sql<string>`coalesce(reason, '')`.as('detail')),
        )
        .unionAll(
          builder
            .selectFrom('reloads')
            .select(['seq', 'time', 'by', sql<string>`'reload ' || outcome`.as('act')])
            .select([sql<string>`''`.as('target'), sql<string>`''`.as('detail')]),
        )
        .orderBy('time', 'desc')
        .orderBy('seq', 'desc')
        .limit(Math.min(limit, PAGE_ROWS))
        .execute(),
  };
}
