import type { Decision } from './decisions.ts';
import type { Payloads, Point } from './points.ts';

/** Values by field that a row must have. */
export type HookFilter = Readonly<Record<string, string | number | boolean | null>>;

/** Rows of the store, as far as the hook's `store:` capabilities reach. A refused call rejects with an Error that has `code`. */
export interface HookStore {
  /** The row of a key, or `null`. */
  get(collection: string, key: string): Promise<unknown>;
  /** The rows whose fields equal those of the filter, a flat object of scalars; a dot steps into an object. */
  query(collection: string, filter?: HookFilter): Promise<unknown[]>;
  put(collection: string, key: string, value: unknown): Promise<void>;
  /** Whether there was a row. */
  delete(collection: string, key: string): Promise<boolean>;
}

/** What a run is told besides its payload; frozen and fresh for every run. */
export interface HookContext {
  readonly hook: string;
  readonly point: Point;
  /** Keeps a line for the one who tests the hook; log no payload values. */
  log(...parts: unknown[]): void;
  /** There only with a `store:read` or `store:write` capability. */
  readonly store?: HookStore;
  /** Who is behind the call, as the host verified it. */
  readonly caller: {
    readonly userId?: string;
    readonly source: 'chat' | 'automation' | 'webhook' | 'intent' | 'skill';
    readonly orgId?: string;
  };
  readonly session: { readonly id: string; readonly turn?: string };
  readonly agent: {
    readonly id: string;
    readonly template?: string;
    readonly parent?: string;
    readonly depth: number;
    readonly tools: readonly string[];
  };
  /** What earlier hooks of the chain put into the bag, by the keys of the manifest's `inputs`. */
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly budget?: { readonly total: number; readonly spent: number; readonly remaining: number };
  readonly signal?: AbortSignal;
}

/** The arguments of `run` at the points of a hook: testing `point` narrows `payload`. */
export type RunArguments<P extends Point> = {
  [K in P]: [point: K, payload: Payloads[K], ctx: HookContext];
}[P];

type Answer = Decision | Promise<Decision>;

/** A hook: what `createHook` returns, or the default export of its module. */
export interface Hook<P extends Point> {
  /** The points that `run` is written for; those of hook.json bind. */
  readonly points: readonly P[];
  run(...call: RunArguments<P>): Answer;
}

/**
 * Types a hook by its points and returns it as it is. Fields that hook.json has no `reads_*` capability for are absent
 * at run time.
 *
 * @example
 * ```ts
 * const hook = defineHook({
 *   points: ['preToolUse'],
 *   run: (point, payload) => (payload.toolName === 'shell' ? block('No shell') : allow()),
 * });
 * hook.points; // ['preToolUse']
 * ```
 */
export function defineHook<const P extends Point>(
  hook: Written<P, (...call: RunArguments<P>) => Answer>,
): Hook<P>;
// A function with fewer parameters does not fit a union of argument lists, so that the shorter ones are named.
export function defineHook<const P extends Point>(
  hook: Written<P, (...call: { [K in P]: [point: K, payload: Payloads[K]] }[P]) => Answer>,
): Hook<P>;
export function defineHook<const P extends Point>(hook: Written<P, (point: P) => Answer>): Hook<P>;
export function defineHook(hook: Written<Point, unknown>): unknown {
  return hook;
}

interface Written<P extends Point, Run> {
  readonly points: readonly P[];
  readonly run: Run;
}
