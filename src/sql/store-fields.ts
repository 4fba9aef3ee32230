import { createHash } from 'node:crypto';
import type { RawBuilder } from 'kysely';
import { sql } from './kysely.ts';
import type { Database } from './database.ts';
import { statementOf } from './dialect.ts';
import type { Statement } from './messages.ts';

/** A value that a field of a row is compared with. */
export type FieldValue = string | number | boolean | null;

/** A field inside a row, from the outside in; each name already checked to be plain. */
export type FieldPath = readonly string[];

/** The value of a field. SQLite uses an index only where the query holds its very text, so the path is no parameter. */
export function extractField(path: FieldPath): RawBuilder<FieldValue> {
  return sql<FieldValue>`json_extract("text", ${sql.lit(jsonPath(path))})`;
}

/** The JSON type of a field, in SQLite's words. */
export function fieldType(path: FieldPath): RawBuilder<string> {
  return sql<string>`json_type("text", ${sql.lit(jsonPath(path))})`;
}

function jsonPath(path: FieldPath): string {
  for (const name of path) {
    // The store has checked it; this is the line that a name must not pass unchecked.
    if (!/^[A-Za-z0-9_-]+$/.test(name)) throw new TypeError('A field name is not plain');
  }
  return `$${path.map((name) => `."${name}"`).join('')}`;
}

/** Making an index takes as long as its table is large. */
const INDEXING_MS = 120_000;

const INDEX_PREFIX = 'store_field_';

/** Makes the indexes of the store exactly these; others that it once made are dropped. */
export async function keepIndexes(database: Database, fields: readonly FieldPath[]): Promise<void> {
  const { builder } = database;
  const wanted = new Map(fields.map((path) => [indexName(path), path]));
  const found = await database.run(
    statementOf(
      sql<{
        name: string;
      }>`select name from sqlite_schema where type = 'index' and name glob ${`${INDEX_PREFIX}*`}`.compile(
        builder,
      ),
    ),
  );
  const present = new Set(found.rows.map((row) => String(row['name'])));
  const changes: Statement[] = [];
  for (const name of present) {
    if (!wanted.has(name))
      changes.push(statementOf(builder.schema.dropIndex(name).ifExists().compile()));
  }
  for (const [name, path] of wanted) {
    if (present.has(name)) continue;
    const index = builder.schema
      .createIndex(name)
      .ifNotExists()
      .on('store_rows')
      .columns(['collection'])
      .expression(extractField(path))
      .column('key');
    changes.push(statementOf(index.compile()));
  }
  if (changes.length > 0) await database.batch(changes, { deadlineMs: INDEXING_MS });
}

function indexName(path: FieldPath): string {
  return `${INDEX_PREFIX}${createHash('sha256').update(path.join('.')).digest('hex').slice(0, 16)}`;
}
