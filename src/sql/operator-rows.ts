import type { Database } from './database.ts';
import type { ModeChangeTable, ReloadTable } from './tables.ts';

/** The queries of what operators change while a runtime runs. */
export interface OperatorRows {
  insertMode(row: Omit<ModeChangeTable, 'seq'>): Promise<void>;
  /** Those after a place, oldest first; at most a page. */
  modesAfter(seq: number): Promise<readonly ModeChangeTable[]>;
  insertReload(row: Omit<ReloadTable, 'seq'>): Promise<void>;
  /** Newest first; at most a page. */
  reloads(): Promise<readonly ReloadTable[]>;
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
  };
}
