import { sql } from './kysely.ts';
import type { CallOptions, Database } from './database.ts';
import { statementOf } from './dialect.ts';
import type { Statement } from './messages.ts';
import type { UseTable } from './tables.ts';

/** Which uses a page holds; days are `YYYY-MM-DD` and included. */
export interface UseFilter {
  readonly package?: string | undefined;
  readonly hook?: string | undefined;
  readonly sinceDay?: string | undefined;
  readonly untilDay?: string | undefined;
}

/** How often one scope of a capability was used by a hook, with what all of its scopes came to. */
export interface UseTotal {
  readonly package: string;
  readonly hook: string;
  readonly capability: string;
  /** Empty for a use without one. */
  readonly scope: string;
  readonly count: number;
  /** `YYYY-MM-DD` in UTC. */
  readonly lastDay: string;
  /** Scopes of the capability that the hook used; the most used alone are listed. */
  readonly scopes: number;
  readonly totalCount: number;
  readonly totalLastDay: string;
}

/** Scopes listed of one capability of one hook: a hook may name any number of collections. */
const LISTED_SCOPES = 50;

/** An audit reads what a query of a running call never does. */
const AUDIT_CALL: CallOptions = {
  deadlineMs: 60_000,
  maxRows: 200_000,
  maxBytes: 128 * 1024 * 1024,
};

/** The queries of the use counts. */
export interface Uses {
  /** The statement that adds to a count, to go into a batch. */
  add(use: UseTable): Statement;
  /** Counts summed over the days asked for, by package, hook, capability and scope; at most a page. */
  sums(filter: UseFilter): Promise<Omit<UseTable, 'day'>[]>;
  /** All uses of all days, summed, in the order of their names; of many scopes of one capability the most used. */
  totals(): Promise<readonly UseTotal[]>;
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
    async totals() {
      const summed = builder
        .selectFrom('uses')
        .select(({ fn }) => [
          'package',
          'hook',
          'capability',
          'scope',
          fn.sum<number>('count').as('count'),
          fn.max('day').as('lastDay'),
        ])
        .groupBy(['package', 'hook', 'capability', 'scope']);
      const ranked = builder
        .selectFrom(summed.as('summed'))
        .selectAll()
        .select(({ fn }) => [
          fn
            .agg<number>('row_number')
            .over((over) =>
              over
                .partitionBy(['package', 'hook', 'capability'])
                .orderBy('count', 'desc')
                .orderBy('scope'),
            )
            .as('place'),
          fn.countAll<number>().over(ofCapability).as('scopes'),
          fn.sum<number>('count').over(ofCapability).as('totalCount'),
          fn.max('lastDay').over(ofCapability).as('totalLastDay'),
        ]);
      const query = builder
        .selectFrom(ranked.as('ranked'))
        .select(['package', 'hook', 'capability', 'scope', 'count', 'lastDay'])
        .select(['scopes', 'totalCount', 'totalLastDay'])
        .where('place', '<=', LISTED_SCOPES)
        .orderBy('package')
        .orderBy('hook')
        .orderBy('capability')
        .orderBy('scope');
      const { rows } = await database.run(statementOf(query.compile()), AUDIT_CALL);
      // The columns are those selected above.
      return rows as unknown as readonly UseTotal[];
    },
  };
}

type Columns = 'package' | 'hook' | 'capability';

function ofCapability<T extends { partitionBy(columns: Columns[]): T }>(over: T): T {
  return over.partitionBy(['package', 'hook', 'capability']);
}
