import type { Point } from '../../sdk/points.ts';
import type { Payload } from '../chain/call.ts';
import type { Context } from '../verdict.ts';

/** Parts of a run's input that are the same for every run of a hook at a point. */
export interface InputFrame {
  readonly head: string;
  readonly tail: string;
}

/** The constant text around a hook's runs at a point. */
export function frameInput(hook: string, point: Point, handler?: string): InputFrame {
  const [at, name] = [JSON.stringify(point), JSON.stringify(hook)];
  const which = handler === undefined ? '' : `"handler":${JSON.stringify(handler)},`;
  return { head: `{"point":${at},${which}"payload":`, tail: `,"point":${at},"hook":${name}}}` };
}

/** JSON text of the part of `ctx` that all hooks of a fire share, without the closing brace. */
export function writeContext(context: Context, sessionId: string): string {
  const { caller, agent, budget, turnId } = context;
  // Field by field: what else the caller's objects hold is not for hooks.
  return JSON.stringify({
    caller: { source: caller?.source ?? 'chat', userId: caller?.userId, orgId: caller?.orgId },
    session: { id: sessionId, turn: turnId },
    agent: {
      id: agent?.id ?? 'main',
      template: agent?.template,
      parent: agent?.parent,
      depth: agent?.depth ?? 0,
      tools: agent?.tools ?? [],
    },
    budget: budget && { total: budget.total, spent: budget.spent, remaining: budget.remaining },
  }).slice(0, -1);
}

/** JSON text of a RunInput. Concatenated, so that the payload is written once for the whole chain. */
export function writeInput(
  frame: InputFrame,
  payload: string,
  ctx: { readonly shared: string; readonly inputs: string },
): string {
  return `${frame.head}${payload},"ctx":${ctx.shared},"inputs":${ctx.inputs}${frame.tail}`;
}

/** JSON text of the bag values that a hook reads. */
export function writeInputs(keys: readonly string[], bag: Payload): string {
  if (keys.length === 0) return '{}';
  const values = keys.flatMap((key) => (Object.hasOwn(bag, key) ? [[key, bag[key]] as const] : []));
  return JSON.stringify(Object.fromEntries(values));
}
