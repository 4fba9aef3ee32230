import type { HookObject, ProviderRequest, ToolGate } from './hook-object.ts';
import { gateOf, requestOf, textOf } from './answers.ts';

/**
 * Several objects of hooks as one. Hooks at a point run in order; what goes to the model and what it reads is handed
 * from one to the next; a tool runs only if all authorize it, and one that steers is enough.
 */
export function mergeSessionHooks(
  ...given: readonly (HookObject | undefined)[]
): HookObject | undefined {
  const objects = given.filter((each) => each !== undefined);
  if (objects.length < 2) return objects[0];
  const merged: { -readonly [P in keyof HookObject]: HookObject[P] } = {};
  const at = <P extends keyof HookObject>(point: P): NonNullable<HookObject[P]>[] =>
    objects.flatMap((object) => object[point] ?? []);
  const inOrder = <C>(hooks: readonly ((context: C) => unknown)[]) =>
    hooks.length === 0
      ? undefined
      : async (context: C): Promise<void> => {
          for (const hook of hooks) await hook(context);
        };
  const [starts, ends] = [inOrder(at('beforeTurn')), inOrder(at('afterTurn'))];
  if (starts !== undefined) merged.beforeTurn = starts;
  if (ends !== undefined) merged.afterTurn = ends;
  const calls = at('beforeProviderCall');
  if (calls.length > 0) {
    merged.beforeProviderCall = async (context) => {
      let request: ProviderRequest | undefined;
      for (const hook of calls) {
        const answer = requestOf(await hook({ ...context, ...request }));
        if (answer !== undefined) request = { ...request, ...answer };
      }
      return request;
    };
  }
  const gates = at('beforeToolExecution');
  if (gates.length > 0) {
    merged.beforeToolExecution = async (context) => {
      const answers: ToolGate[] = [];
      for (const hook of gates) {
        const answer = gateOf(await hook(context));
        if (answer !== undefined) answers.push(answer);
      }
      return mergeGates(answers);
    };
  }
  const results = at('afterToolExecution');
  if (results.length > 0) {
    merged.afterToolExecution = async (context) => {
      let { output } = context;
      for (const hook of results) output = textOf(await hook({ ...context, output })) ?? output;
      return output;
    };
  }
  return merged;
}

function mergeGates(gates: readonly ToolGate[]): ToolGate {
  const mockResult = gates.find((gate) => gate.mockResult !== undefined)?.mockResult;
  const result = gates.find((gate) => gate.result !== undefined)?.result;
  const feedback = gates.find((gate) => gate.feedback !== undefined)?.feedback;
  return {
    authorize: gates.every(({ authorize }) => authorize),
    ...(mockResult !== undefined && { mockResult }),
    ...(result !== undefined && { result }),
    ...(feedback !== undefined && { feedback }),
    ...(gates.some(({ steer }) => steer === true) && { steer: true }),
  };
}
