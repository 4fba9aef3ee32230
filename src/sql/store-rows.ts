import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { sql } from './kysely.ts';
import type { Database } from './database.ts';
import { statementOf } from './dialect.ts';
import type { Statement } from './messages.ts';
import {
  extractField,
  fieldType,
  keepIndexes,
  type FieldPath,
  type FieldValue,
} from './store-fields.ts';
import type { Tables } from './tables.ts';

/** How many rows a load touched. */
export interface LoadCounts {
  /** Rows that hold the loaded values now. */
  readonly rows: number;
  /** Those of them that replaced a row of the same key. */
  readonly replaced: number;
}

/** The queries of the store's tables. Names and values are always parameters. */
export interface StoreRows {
  getText(collection: string, key: string): Promise<string | null>;
  put(collection: string, key: string, text: string): Promise<void>;
  /** Whether there was a row. */
  delete(collection: string, key: string): Promise<boolean>;
  queryText(collection: string, filter: readonly FieldFilter[]): Promise<string[]>;
  collections(): Promise<{ readonly name: string; readonly rows: number }[]>;
  stage(load: string, rows: readonly StagedRow[]): Promise<void>;
  /** Moves staged rows into the collection, all in one transaction. */
  commit(load: string, collection: string): Promise<LoadCounts>;
  discard(load: string): Promise<void>;
  /** Makes the indexes exactly these; others that it once made are dropped. */
  keepIndexes(fields: readonly FieldPath[]): Promise<void>;
}

/** One comparison of a query. */
export interface FieldFilter {
  readonly path: FieldPath;
  readonly value: FieldValue;
}

/** A row on its way in. */
export interface StagedRow {
  readonly key: string;
  readonly text: string;
}

/** Binds the queries to a database; those of every call are compiled once. */
export function openStoreRows(database: Database): StoreRows {
  const { builder } = database;
  const get = builder
    .selectFrom('store_rows')
    .select('text')
    .where('collection', '=', '')
    .where('key', '=', '')
    .compile().sql;
  const put = builder
    .insertInto('store_rows')
    .values({ collection: '', key: '', text: '' })
    .onConflict((row) =>
      row.columns(['collection', 'key']).doUpdateSet({ text: sql`excluded.text` }),
    )
    .compile().sql;
  return {
    async getText(collection, key) {
      const { rows } = await database.run({ sql: get, parameters: [collection, key] });
      return (rows[0]?.['text'] as string | undefined) ?? null;
    },
    async put(collection, key, text) {
      await database.run({ sql: put, parameters: [collection, key, text] });
    },
    async delete(collection, key) {
      const query = builder
        .deleteFrom('store_rows')
        .where('collection', '=', collection)
        .where('key', '=', key);
      const result = await query.executeTakeFirst();
      return result.numDeletedRows > 0n;
    },
    async queryText(collection, filter) {
      const { rows } = await database.run(rowsStatement(database, collection, filter));
      return rows.map((row) => row['text'] as string);
    },
    async collections() {
      const query = builder
        .selectFrom('store_rows')
        .select(({ fn }) => ['collection as name', fn.countAll<number>().as('rows')])
        .groupBy('collection')
        .orderBy('collection');
      return query.execute();
    },
    ...loadQueries(database),
    keepIndexes: (fields) => keepIndexes(database, fields),
  };
}

/** The rows of a collection that fit a filter, by key. Reads through an index of one of its fields where there is one. */
export function rowsStatement(
  database: Database,
  collection: string,
  filter: readonly FieldFilter[],
): Statement {
  let query = database.builder
    .selectFrom('store_rows')
    .select('text')
    .where('collection', '=', collection);
  for (const each of filter) query = query.where((field) => comparison(field, each));
  return statementOf(query.orderBy('key').compile());
}

// json_extract gives 1 for true and JSON text for objects, so the type is compared too. Absent counts as null: whoever
// asks for rows without a mark means both, and a guard must not see fewer.
function comparison(
  field: ExpressionBuilder<Tables, 'store_rows'>,
  { path, value }: FieldFilter,
): Expression<SqlBool> {
  const extracted = extractField(path);
  if (value === null) return field(extracted, 'is', null);
  const type = fieldType(path);
  if (typeof value === 'boolean') {
    return field.and([field(extracted, '=', value ? 1 : 0), field(type, '=', String(value))]);
  }
  if (typeof value === 'number') {
    return field.and([field(extracted, '=', value), field(type, 'in', ['integer', 'real'])]);
  }
  return field.and([field(extracted, '=', value), field(type, '=', 'text')]);
}

function loadQueries(database: Database): Pick<StoreRows, 'stage' | 'commit' | 'discard'> {
  const { builder } = database;
  const stage = builder
    .insertInto('store_staging')
    .values({ load: '', key: '', text: '' })
    .onConflict((row) => row.columns(['load', 'key']).doUpdateSet({ text: sql`excluded.text` }))
    .compile().sql;
  const discard = (load: string): Statement =>
    statementOf(builder.deleteFrom('store_staging').where('load', '=', load).compile());
  return {
    async stage(load, rows) {
      await database.batch(
        rows.map(({ key, text }) => ({ sql: stage, parameters: [load, key, text] })),
      );
    },
    async commit(load, collection) {
      const staged = builder.selectFrom('store_staging').where('load', '=', load);
      const replaced = builder
        .selectFrom('store_rows')
        .select(({ fn }) => fn.countAll().as('count'))
        .where('collection', '=', collection)
        .where('key', 'in', staged.select('key'));
      const move = builder
        .insertInto('store_rows')
        .columns(['collection', 'key', 'text'])
        .expression(staged.select(({ val }) => [val(collection).as('collection'), 'key', 'text']))
        .onConflict((row) =>
          row.columns(['collection', 'key']).doUpdateSet({ text: sql`excluded.text` }),
        );
      const results = await database.batch(
        [statementOf(replaced.compile()), statementOf(move.compile()), discard(load)],
        { deadlineMs: LONG_MS },
      );
      return { replaced: Number(results[0]?.rows[0]?.['count']), rows: results[1]?.changes ?? 0 };
    },
    async discard(load) {
      await database.run(discard(load), { deadlineMs: LONG_MS });
    },
  };
}

/** Moving a load takes as long as it is large. */
const LONG_MS = 120_000;
