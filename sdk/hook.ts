import type { HookContext, Listed } from './hook-context.ts';
import type { DecisionAt, Delivered } from './legal-decisions.ts';
import type { Point } from './points.ts';

/** The arguments of `run` at the points of a hook: testing `point` narrows `payload`. */
export type RunArguments<P extends Point, C extends Listed = undefined> = {
  [K in P]: [point: K, payload: Delivered<K, C>, ctx: HookContext<C>];
}[P];

type Answer<P extends Point, C extends Listed> = DecisionAt<P, C> | Promise<DecisionAt<P, C>>;

/** A hook: what `createHook` returns, or the default export of its module. */
export interface Hook<P extends Point, C extends Listed = undefined> {
  /** The points that `run` is written for; those of hook.json bind. */
  readonly points: readonly P[];
  /** The capabilities that `run` is written for; those of hook.json bind. */
  readonly capabilities?: C;
  run(...call: RunArguments<P, C>): Answer<P, C>;
}

/**
 * Types a hook by its points and capabilities, and returns it as it is. A decision that is illegal at its points, a field
 * that it may not read and a bridge that it does not declare do not compile. Without `capabilities`, fields that hook.json
 * has no `reads_*` capability for are absent at run time all the same.
 *
 * @example
 * ```ts
 * const hook = defineHook({
 *   points: ['preToolUse'],
 *   capabilities: ['reads_tool_io', 'gates_tools'],
 *   run: (point, payload) => (payload.toolName === 'shell' ? block('No shell') : allow()),
 * });
 * hook.points; // ['preToolUse']
 * ```
 */
export function defineHook<const P extends Point, const C extends Listed = undefined>(
  hook: Written<P, C, (...call: RunArguments<P, C>) => Answer<P, C>>,
): Hook<P, C>;
// A function with fewer parameters does not fit a union of argument lists, so that the shorter ones are named.
export function defineHook<const P extends Point, const C extends Listed = undefined>(
  hook: Written<
    P,
    C,
    (...call: { [K in P]: [point: K, payload: Delivered<K, C>] }[P]) => Answer<P, C>
  >,
): Hook<P, C>;
export function defineHook<const P extends Point, const C extends Listed = undefined>(
  hook: Written<P, C, (point: P) => Answer<P, C>>,
): Hook<P, C>;
export function defineHook(hook: Written<Point, Listed, unknown>): unknown {
  return hook;
}

interface Written<P extends Point, C extends Listed, Run> {
  readonly points: readonly P[];
  readonly capabilities?: C;
  readonly run: Run;
}
