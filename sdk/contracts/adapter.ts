import type { Ports } from './agent-os-ports.ts';
import type { Point } from '../points.ts';

/** A function that a module registered by itself: an entry of the chain of its own. */
export interface HandlerEntry {
  /** Unique among the handlers of one point; empty where the hook itself is the entry of that point. */
  readonly name: string;
  readonly point: Point;
  /** The event in the contract's words. */
  readonly event?: string;
  /** Lower runs earlier; that of hook.json, if absent. */
  readonly priority?: number;
}

/** A hook made ready to run: `run` is called with `self` as `this`. */
export interface AdaptedHook {
  readonly self: unknown;
  /** `handler` is the name of the one to run, where the module registered handlers. */
  readonly run: (
    ...run: [point: string, payload: object, ctx: object, handler?: string]
  ) => unknown;
  /** What the module registered; absent where the hook is one entry at each point of its manifest. */
  readonly handlers?: readonly HandlerEntry[];
}

/** Timers of the sandbox; they fire within the run that sets them. */
export interface Timers {
  readonly set: (ms: number, fire: () => void) => number;
  readonly clear: (id: number) => void;
}

/** What a module is made a hook with. */
export interface AdapterInput {
  readonly timers: Timers;
  readonly config: Readonly<Record<string, unknown>>;
  /** As hook.json says it, before renames. */
  readonly name: string;
  readonly points: readonly string[];
  /** The values that the hook reads from the bag, by its own names for them. */
  readonly ports?: Ports;
  /** The keys of the bag that it may write. */
  readonly outputs?: readonly string[];
}

/** Turns the namespace of an evaluated module into a hook, or says in words why it is none; may be a promise of that. */
export type Adapter = (
  namespace: object,
  input: AdapterInput,
) => AdaptedHook | string | Promise<AdaptedHook | string>;
