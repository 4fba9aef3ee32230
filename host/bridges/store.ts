import { countProblem } from './refusal.ts';
import type { BridgeRow } from './row.ts';
import {
  collectionProblem,
  filterProblem,
  keyProblem,
  valueProblem,
  type Filter,
} from './store-arguments.ts';

/** The store as hooks reach it. Errors with code `result_too_large` tell the hook so; all others are hidden from it. */
export interface StorePort {
  /** The row's value, or `null`. */
  get(collection: string, key: string): Promise<unknown>;
  /** The values of the rows that fit, by key. */
  query(collection: string, filter: Filter): Promise<readonly unknown[]>;
  put(collection: string, key: string, value: unknown): Promise<void>;
  /** Whether there was a row. */
  delete(collection: string, key: string): Promise<boolean>;
}

/** The store's operations. */
export const STORE_BRIDGES = {
  'store.get': {
    capability: 'store:read',
    credit: 'storeCalls',
    effect: 'none',
    problem: (args) =>
      countProblem(args, 2, 2) ?? collectionProblem(args[0]) ?? keyProblem(args[1]),
    scope: (args) => args[0] as string,
    perform: ({ store }, args) => store?.get(args[0] as string, args[1] as string),
  },
  'store.query': {
    capability: 'store:read',
    credit: 'storeCalls',
    effect: 'none',
    // A filter that the hook left out arrives as nothing or as null: JSON has no undefined.
    problem: (args) =>
      countProblem(args, 1, 2) ?? collectionProblem(args[0]) ?? filterProblem(args[1] ?? {}),
    scope: (args) => args[0] as string,
    perform: ({ store }, args) => store?.query(args[0] as string, (args[1] ?? {}) as Filter),
  },
  'store.put': {
    capability: 'store:write',
    credit: 'storeCalls',
    effect: 'inside',
    problem: (args) =>
      countProblem(args, 3, 3) ??
      collectionProblem(args[0]) ??
      keyProblem(args[1]) ??
      valueProblem(args[2]),
    scope: (args) => args[0] as string,
    perform: ({ store }, args) => store?.put(args[0] as string, args[1] as string, args[2]),
  },
  'store.delete': {
    capability: 'store:write',
    credit: 'storeCalls',
    effect: 'inside',
    problem: (args) =>
      countProblem(args, 2, 2) ?? collectionProblem(args[0]) ?? keyProblem(args[1]),
    scope: (args) => args[0] as string,
    perform: ({ store }, args) => store?.delete(args[0] as string, args[1] as string),
  },
} as const satisfies Readonly<Record<string, BridgeRow>>;
