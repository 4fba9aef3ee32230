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

/** The frame of a run that also says why the hook runs. */
export function withSource({ head, tail }: InputFrame, source: object): InputFrame {
  return { head, tail: `${tail.slice(0, -2)},"source":${JSON.stringify(source)}}}` };
}

/** The frame of a run that is also told the stored messages, as JSON text. */
export function withHistory({ head, tail }: InputFrame, history: string): InputFrame {
  return { head, tail: `${tail.slice(0, -2)},"messageHistory":${history}}}` };
}

/** Writes the stored messages of a fire once, when the first hook is told; `null` where they are more than may cross. */
export function historyWriter(
  { execution }: Context,
  maxBytes: number | null,
): () => string | undefined {
  let text: string | undefined;
  return () => {
    const { messageHistory } = execution ?? {};
    if (messageHistory === undefined) return undefined;
    text ??= JSON.stringify(messageHistory);
    return maxBytes !== null && Buffer.byteLength(text) > maxBytes ? 'null' : text;
  };
}

/** JSON text of the part of `ctx` that all hooks of a fire share, without the closing brace. */
export function writeContext(context: Context, sessionId: string): string {
  const { caller, agent, budget, turnId, execution } = context;
  const turn = turnId === undefined ? '' : `,"turn":${JSON.stringify(turnId)}`;
  const session = `{"id":${JSON.stringify(sessionId)}${turn}}`;
  const spent = budget ? `,"budget":${writeBudget(budget)}` : '';
  const rest = `${spent}${execution ? `,"execution":${writeExecution(execution)}` : ''}`;
  return `{"caller":${writeCaller(caller)},"session":${session},"agent":${writeAgent(agent)}${rest}`;
}

// Field by field: what else the caller's objects hold is not for hooks. What most calls leave out is written already.
function writeCaller(caller: Context['caller']): string {
  if (!caller) return '{"source":"chat"}';
  const { source, userId, orgId } = caller;
  return JSON.stringify({ source: source ?? 'chat', userId, orgId });
}

function writeAgent(agent: Context['agent']): string {
  if (!agent) return '{"id":"main","depth":0,"tools":[]}';
  const { id, template, parent, depth, tools } = agent;
  return JSON.stringify({
    id: id ?? 'main',
    template,
    parent,
    depth: depth ?? 0,
    tools: tools ?? [],
  });
}

function writeBudget({ total, spent, remaining }: NonNullable<Context['budget']>): string {
  return JSON.stringify({ total, spent, remaining });
}

function writeExecution({ side, step }: NonNullable<Context['execution']>): string {
  return JSON.stringify({ side, step });
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
