import { sql } from 'kysely';
import type { Database } from './database.ts';
import type { Statement } from './messages.ts';
import type { UseTable } from './tables.ts';

/** Which uses a page holds; days are `YYYY-MM-DD` and included. */
export interface UseFilter {
  readonly package?: string | undefined;
  readonly hook?: string | undefined;
  readonly sinceDay?: string | undefined;
  readonly untilDay?: string | undefined;
}

/** The queries of the use counts. */
export interface Uses {
  /** The statement that adds to a count, to go into a batch. */
  add(use: UseTable): Statement;
  /** Counts summed over the days asked for, by package, hook, capability and scope; at most a page. */
  sums(filter: UseFilter): Promise<Omit<UseTable, 'day'>[]>;
}

/** Binds the queries to a database. */
export function openUses(database: Database): Uses {
  const { builder } = database;
  const add = builder
    .insertInto('uses')
    .values({ package: '', hook: '', capability: '', scope: '', day: '', count: 0 })
    .onConflict((row) =>
      row
        .columns(['package', 'hook', 'capability', 'scope', 'day'])
        .doUpdateSet({ count: sql`"uses"."count" + excluded."count"` }),
    )
    .compile().sql;
  return {
    add: (use) => ({
      sql: add,
      parameters: [use.package, use.hook, use.capability, use.scope, use.day, use.count],
    }),
    async sums({ package: owner, hook, sinceDay, untilDay }) {
      let query = builder
        .selectFrom('uses')
        .select(({ fn }) => [
          'package',
          'hook',
          'capability',
          'scope',
          fn.sum<number>('count').as('count'),
        ])
        .groupBy(['package', 'hook', 'capability', 'scope'])
        .orderBy('package')
        .orderBy('hook')
        .orderBy('capability')
        .orderBy('scope');
      if (owner !== undefined) query = query.where('package', '=', owner);
      if (hook !== undefined) query = query.where('hook', '=', hook);
      if (sinceDay !== undefined) query = query.where('day', '>=', sinceDay);
      if (untilDay !== undefined) query = query.where('day', '<=', untilDay);
      return query.execute();
    },
  };
}
