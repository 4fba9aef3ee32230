import type { AdaptedHook, Adapter } from './adapter.ts';
import { BadAnswer } from './harness/answers.ts';
import { decideHarness } from './harness/decisions.ts';
import { readHookObject, type HookObject } from './harness/hook-object.ts';
import { mergeSessionHooks } from './harness/merge.ts';
import { InvalidAnswer } from './invalid-answer.ts';

/**
 * The shape of the harness patterns and of astorlm: the default export, or `hooks`, is an object with any of
 * `beforeTurn`, `beforeProviderCall`, `beforeToolExecution`, `afterToolExecution` and `afterTurn`, an array of such
 * objects, or a function of the config that gives one. The names may be in snake_case, as in Python.
 */
export const adaptHarness: Adapter = async (namespace, { config }) => {
  const { default: standard, hooks } = namespace as { default?: unknown; hooks?: unknown };
  const exported = standard ?? hooks;
  const made = typeof exported === 'function' ? await call(exported, config) : exported;
  const objects: HookObject[] = [];
  for (const part of Array.isArray(made) ? (made as unknown[]) : [made]) {
    const read = readHookObject(part);
    if (typeof read === 'string') return read;
    objects.push(read);
  }
  const merged = mergeSessionHooks(...objects) ?? {};
  const run: AdaptedHook['run'] = (point, payload) => {
    try {
      const decision = decideHarness(merged, point, payload);
      return decision instanceof Promise ? decision.catch(invalidOr) : decision;
    } catch (error) {
      return invalidOr(error);
    }
  };
  return { self: undefined, run };
};

/** An answer that is none of its hook is told as such; what a hook throws stays its own. */
function invalidOr(error: unknown): InvalidAnswer {
  if (error instanceof BadAnswer) return new InvalidAnswer(error.message);
  throw error;
}

function call(make: unknown, config: unknown): unknown {
  return (make as (config: unknown) => unknown)(config);
}
