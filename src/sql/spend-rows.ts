import { sql } from './kysely.ts';
import type { Database } from './database.ts';
import { statementOf } from './dialect.ts';

/** What was spent of one budget. */
export interface Spent {
  readonly spent: number;
  /** The highest threshold that was told. */
  readonly told: number;
}

/** The queries of what was spent. */
export interface SpendRows {
  get(layer: string, name: string): Promise<Spent>;
  /** Adds to it and gives back the sum. */
  add(layer: string, name: string, amount: number): Promise<Spent>;
  /** Forgets what was spent in the periods before that of a layer `level:unit:period`. */
  forgetBefore(layer: string, name: string): Promise<void>;
  /** Notes that a threshold is told; whether nobody had told it before. */
  tell(layer: string, name: string, threshold: number): Promise<boolean>;
}

/** Binds the queries to a database. */
export function openSpendRows(database: Database): SpendRows {
  const { builder } = database;
  return {
    async get(layer, name) {
      const query = builder
        .selectFrom('spend')
        .select(['spent', 'told'])
        .where('layer', '=', layer)
        .where('name', '=', name);
      return (await query.executeTakeFirst()) ?? { spent: 0, told: 0 };
    },
    add: (layer, name, amount) =>
      builder
        .insertInto('spend')
        .values({ layer, name, spent: amount, told: 0 })
        .onConflict((row) =>
          row
            .columns(['layer', 'name'])
            .doUpdateSet({ spent: sql`"spend"."spent" + excluded.spent` }),
        )
        .returning(['spent', 'told'])
        .executeTakeFirstOrThrow(),
    async forgetBefore(layer, name) {
      const query = builder
        .deleteFrom('spend')
        .where('name', '=', name)
        .where('layer', '>', layer.slice(0, layer.lastIndexOf(':') + 1))
        .where('layer', '<', layer);
      await database.run(statementOf(query.compile()));
    },
    async tell(layer, name, threshold) {
      const query = builder
        .updateTable('spend')
        .set({ told: threshold })
        .where('layer', '=', layer)
        .where('name', '=', name)
        .where('told', '<', threshold);
      return (await database.run(statementOf(query.compile()))).changes === 1;
    },
  };
}
