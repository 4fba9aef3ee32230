import type { AdaptedHook, AdapterInput } from './adapter.ts';
import { POINT_NAMES, POINTS, type Point } from '../points.ts';
import type { Decision } from '../decisions.ts';
import { isSameJson } from '../parse-decision.ts';
import { InvalidAnswer } from './invalid-answer.ts';
import { whenSettled } from './settled.ts';
import { STANDARD_AGENTS_HOOKS } from './standard-agents-hooks.ts';
import { makeThread, type ThreadContext } from './standard-agents-thread.ts';

type AnyFunction = (...args: unknown[]) => unknown;

const POINT_OF: ReadonlyMap<string, Point> = new Map(
  POINT_NAMES.flatMap((point) =>
    (POINTS[point].names.standardAgents ?? []).map((name) => [name, point] as const),
  ),
);

/**
 * The contract of Standard Agents: the default export is what `defineHook({hook, id, execute})` returns. `execute` is called
 * with the ThreadState, the hook's own arguments and the execution context.
 */
export function adaptStandardAgents(namespace: object, input: AdapterInput): AdaptedHook | string {
  const definition = (namespace as { readonly default?: unknown }).default;
  if (typeof definition !== 'object' || definition === null) {
    return 'the default export is not what defineHook({ hook, id, execute }) returns';
  }
  const { hook, id, execute, scope } = definition as Readonly<Record<string, unknown>>;
  const point = typeof hook === 'string' ? POINT_OF.get(hook) : undefined;
  if (typeof hook !== 'string' || point === undefined) {
    return `"hook" names none of the hooks of Standard Agents: ${[...POINT_OF.keys()].join(', ')}`;
  }
  if (typeof id !== 'string' || !/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(id)) {
    return '"id" must be snake_case, such as limit_to_20_messages';
  }
  if (id !== input.name) return `the id "${id}" differs from the name "${input.name}" in hook.json`;
  if (typeof execute !== 'function') return `"execute" of hook "${id}" is not a function`;
  if (scope === 'user') return `hook "${id}" is user-scoped, and no thread can run it`;
  const other = input.points.find((name) => name !== point);
  if (other !== undefined) return `a ${hook} hook is bound to ${point} alone, not to ${other}`;
  const run = (_point: string, payload: object, ctx: object): unknown =>
    runHook(hook, execute as AnyFunction, { payload, ctx });
  return { self: undefined, run, handlers: [{ name: '', point, event: hook }] };
}

const ALLOW: Decision = { action: 'allow' };

/** Whether a decision changes anything: a hook that gives back what it was given is neutral. */
function changes(decision: Decision, given: Given['payload']): boolean {
  if (decision.action !== 'modify') return true;
  const before = given as Readonly<Record<string, unknown>>;
  return Object.entries(decision.payload).some(([key, value]) => !isSameJson(value, before[key]));
}

interface Given {
  readonly payload: object;
  readonly ctx: object;
}

function runHook(hook: string, execute: AnyFunction, { payload, ctx }: Given): unknown {
  const row = STANDARD_AGENTS_HOOKS[hook];
  const given = payload as Readonly<Record<string, unknown>>;
  const args = row?.args(given);
  // The contract knows no such case, e.g. a refused call that counts as neither success nor failure.
  if (row === undefined || args === undefined) return { action: 'allow' };
  const thread = makeThread(ctx as ThreadContext);
  const { state, context } = thread;
  const children = row.child === undefined ? [] : [thread.childOf(row.child(given))];
  return whenSettled(execute(state, ...children, ...args, context), (returned) => {
    const decision = row.decide(returned, given);
    if (typeof decision === 'string') return new InvalidAnswer(`${hook} ${decision}`);
    const answer = changes(decision, given) ? decision : ALLOW;
    const inject = thread.injected();
    return inject.length === 0 ? answer : { ...answer, inject };
  });
}
