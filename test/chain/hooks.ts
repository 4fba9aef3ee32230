import type { ChainHook, RunHook, RunOutcome } from '../../src/chain/call.ts';
import { runChain, type ChainResult, type ChainVerdict } from '../../src/chain/chain.ts';
import type { Decision } from '../../sdk/decisions.ts';
import type { FailureCode } from '../../sdk/errors.ts';
import { CAPABILITIES } from '../../sdk/capabilities.ts';
import { POINTS, type Point } from '../../sdk/points.ts';

/** What a hook of a test does with a payload: a decision, raw text, or a failure. */
export type Behaviour = (
  payload: Readonly<Record<string, unknown>>,
  outputs: Readonly<Record<string, unknown>>,
) => Decision | string | { readonly fails: FailureCode };

/** A hook whose behaviour is given. */
export interface ScriptedHook extends ChainHook {
  readonly behave: Behaviour;
}

/** A hook with every capability and the point's own policy. */
export function scripted(
  name: string,
  behave: Behaviour,
  rest: Partial<ChainHook> = {},
): ScriptedHook {
  return {
    name,
    failPolicy: 'closed',
    granted: Object.keys(CAPABILITIES),
    outputs: [],
    ...rest,
    behave,
  };
}

/** A hook that always gives the same decision. */
export function answering(name: string, decision: Decision | string): ScriptedHook {
  return scripted(name, () => decision);
}

/** A hook that always fails. */
export function failing(
  name: string,
  rest: Partial<ChainHook> & { code?: FailureCode } = {},
): ScriptedHook {
  const { code = 'thrown', ...hook } = rest;
  return scripted(name, () => ({ fails: code }), hook);
}

/** Runs scripted hooks at a point. */
export async function runHooks(
  point: Point,
  payload: Readonly<Record<string, unknown>>,
  hooks: readonly ScriptedHook[],
): Promise<ChainVerdict & ChainResult<ScriptedHook>> {
  const result = await runChain({ point, hooks, payload, limits: { injectionChars: 100 }, run });
  return { ...result.verdict, ...result };
}

const run: RunHook<ScriptedHook> = (hook, { payload, outputs }) => {
  const answer = hook.behave(payload, outputs);
  return Promise.resolve(outcomeOf(answer, payload));
};

function outcomeOf(
  answer: ReturnType<Behaviour>,
  payload: Readonly<Record<string, unknown>>,
): RunOutcome {
  if (typeof answer === 'string') return { ok: true, answer, ms: 1, delivered: () => payload };
  if ('fails' in answer) return { ok: false, code: answer.fails, detail: 'for the test', ms: 1 };
  return { ok: true, answer: JSON.stringify(answer), ms: 1, delivered: () => payload };
}

/** A valid payload of each point, small. */
export function samplePayload(point: Point): Record<string, unknown> {
  const { properties, required = [] } = POINTS[point].payload;
  return Object.fromEntries(
    required.map((key) => {
      const schema = properties[key];
      if (schema?.default !== undefined) return [key, schema.default];
      if (schema?.enum !== undefined) return [key, schema.enum[0]];
      switch (schema?.type) {
        case 'array':
          return [key, []];
        case 'boolean':
          return [key, false];
        case 'integer':
        case 'number':
          return [key, 1];
        case 'object':
          return [key, key === 'response' ? { role: 'assistant', content: 'text' } : {}];
        default:
          return [key, key === 'name' && point === 'event' ? 'plan:start' : 'text'];
      }
    }),
  );
}
