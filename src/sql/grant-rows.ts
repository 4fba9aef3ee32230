import type { Database } from './database.ts';
import type { GrantChangeTable } from './tables.ts';

/** The queries of changes of grants. */
export interface GrantRows {
  insert(row: Omit<GrantChangeTable, 'seq'>): Promise<void>;
  /** Those after a place, oldest first; at most a page. */
  after(seq: number): Promise<readonly GrantChangeTable[]>;
}

const PAGE_ROWS = 500;

/** Binds the queries to a database. */
export function openGrantRows({ builder }: Database): GrantRows {
  return {
    async insert(row) {
      await builder
        .insertInto('grant_changes')
        .values(row as GrantChangeTable)
        .execute();
    },
    after: (seq) =>
      builder
        .selectFrom('grant_changes')
        .selectAll()
        .where('seq', '>', seq)
        .orderBy('seq')
        .limit(PAGE_ROWS)
        .execute(),
  };
}
