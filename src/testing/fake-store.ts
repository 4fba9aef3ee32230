import { isDeepStrictEqual } from 'node:util';
import type { StorePort } from '../../host/bridges.ts';

/** Rows by collection and key. */
export type StoreRows = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** A call of `ctx.store`, as the hook made it. */
export interface StoreCall {
  readonly op: 'get' | 'query' | 'put' | 'delete';
  readonly collection: string;
  readonly key?: string;
  readonly filter?: Readonly<Record<string, unknown>>;
  readonly value?: unknown;
}

/** A store in memory that keeps what it was asked. */
export interface FakeStore {
  readonly port: StorePort;
  /** Every call so far, in order. */
  readonly calls: readonly StoreCall[];
  /** The rows of a collection as they are now. */
  rows(collection: string): Readonly<Record<string, unknown>>;
  /** Puts the rows back to those of the start and forgets the calls. */
  reset(): void;
}

/** Opens a store with these rows. It finds rows as the real one does: equal fields, dots step into objects. */
export function createFakeStore(start: StoreRows = {}): FakeStore {
  const collections = new Map<string, Map<string, string>>();
  const calls: StoreCall[] = [];
  const rowsOf = (collection: string): Map<string, string> => {
    const rows = collections.get(collection) ?? new Map<string, string>();
    collections.set(collection, rows);
    return rows;
  };
  const fill = (): void => {
    collections.clear();
    for (const [collection, rows] of Object.entries(start)) {
      for (const [key, value] of Object.entries(rows)) {
        // As text, so that no test and no hook changes another's row.
        rowsOf(collection).set(key, JSON.stringify(value));
      }
    }
  };
  fill();
  return {
    calls,
    rows: (collection) =>
      Object.fromEntries(
        [...rowsOf(collection)].map(([key, text]) => [key, JSON.parse(text) as unknown]),
      ),
    reset() {
      fill();
      calls.length = 0;
    },
    port: {
      async get(collection, key) {
        calls.push({ op: 'get', collection, key });
        const text = rowsOf(collection).get(key);
        return text === undefined ? null : JSON.parse(text);
      },
      async query(collection, filter) {
        calls.push({ op: 'query', collection, filter });
        return [...rowsOf(collection)]
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([, text]): unknown => JSON.parse(text))
          .filter((row) => fits(row, filter));
      },
      async put(collection, key, value) {
        calls.push({ op: 'put', collection, key, value });
        rowsOf(collection).set(key, JSON.stringify(value));
      },
      async delete(collection, key) {
        calls.push({ op: 'delete', collection, key });
        return rowsOf(collection).delete(key);
      },
    },
  };
}

function fits(row: unknown, filter: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(filter).every(([path, wanted]) =>
    isDeepStrictEqual(valueAt(row, path) ?? null, wanted),
  );
}

function valueAt(row: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, part) => {
    const isObject = typeof value === 'object' && value !== null;
    return isObject && Object.hasOwn(value, part)
      ? (value as Readonly<Record<string, unknown>>)[part]
      : undefined;
  }, row);
}
