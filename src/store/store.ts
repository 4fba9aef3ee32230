import { SignalboxError } from '../../sdk/errors.ts';
import {
  collectionProblem,
  fieldProblem,
  filterProblem,
  keyProblem,
  valueProblem,
  type Filter,
} from '../../host/bridges/store-arguments.ts';
import type { StorePort } from '../../host/bridges.ts';
import type { Database } from '../sql/database.ts';
import { openStoreRows, type FieldFilter, type LoadCounts } from '../sql/store-rows.ts';
import { loadRows, type LoadOptions } from './load.ts';

/** Settings of a store. */
export interface StoreOptions {
  /** Fields that `query` finds fast, by collection. Without it, the indexes stay as they are. */
  readonly indexes?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** JSON rows by collection and key. Arguments that cannot be right are `request_invalid`; a failed write rejects. */
export interface Store extends StorePort {
  get(collection: string, key: string): Promise<unknown>;
  /** The row as JSON text, or `null`: for whoever passes it on without looking into it. */
  getText(collection: string, key: string): Promise<string | null>;
  /**
   * The values of the rows whose fields equal the filter's, by key. `null` fits `null` and an absent field. More than
   * 1000 rows or 4 MB are `result_too_large`.
   */
  query(collection: string, filter?: Filter): Promise<unknown[]>;
  put(collection: string, key: string, value: unknown): Promise<void>;
  delete(collection: string, key: string): Promise<boolean>;
  /** Loads `{"key", "value"}` lines: all, or none with `row_invalid`. Rows of the same key are replaced. */
  load(collection: string, file: string, options?: LoadOptions): Promise<LoadCounts>;
  /** At most 1000 collections, by name. */
  collections(): Promise<readonly { readonly name: string; readonly rows: number }[]>;
}

/** Opens the store in a database and makes its indexes. The database stays the caller's to close. */
export async function openStore(
  database: Database,
  { indexes }: StoreOptions = {},
): Promise<Store> {
  const rows = openStoreRows(database);
  if (indexes !== undefined) await rows.keepIndexes(indexedPaths(indexes));
  const getText = async (collection: string, key: string): Promise<string | null> => {
    check(collectionProblem(collection) ?? keyProblem(key));
    return rows.getText(collection, key);
  };
  return {
    getText,
    async get(collection, key) {
      const text = await getText(collection, key);
      return text === null ? null : JSON.parse(text);
    },
    async query(collection, filter = {}) {
      check(collectionProblem(collection) ?? filterProblem(filter));
      const texts = await rows.queryText(collection, comparisons(filter));
      return texts.map((text): unknown => JSON.parse(text));
    },
    async put(collection, key, value) {
      check(collectionProblem(collection) ?? keyProblem(key) ?? valueProblem(value));
      await rows.put(collection, key, JSON.stringify(value));
    },
    async delete(collection, key) {
      check(collectionProblem(collection) ?? keyProblem(key));
      return rows.delete(collection, key);
    },
    async load(collection, file, options) {
      check(collectionProblem(collection));
      return loadRows(rows, { collection, file }, options);
    },
    collections: () => rows.collections(),
  };
}

function indexedPaths(indexes: NonNullable<StoreOptions['indexes']>): string[][] {
  const fields = new Set<string>();
  for (const [collection, names] of Object.entries(indexes)) {
    check(collectionProblem(collection));
    for (const name of names) {
      check(fieldProblem(name));
      fields.add(name);
    }
  }
  return [...fields].map((field) => field.split('.'));
}

function comparisons(filter: Filter): FieldFilter[] {
  return Object.entries(filter).map(([field, value]) => ({ path: field.split('.'), value }));
}

function check(problem: string | undefined): void {
  if (problem !== undefined) throw new SignalboxError('request_invalid', { detail: problem });
}
