import type { Payload } from '../../chain/call.ts';
import type { ToolCallRequest } from '../history/message.ts';
import type { Run } from '../run-state.ts';
import type { Begun, Outcome } from '../scene.ts';
import type { AgentTool } from './tool.ts';

type Args = Readonly<Record<string, unknown>>;

/** What becomes of a tool call before anything ran. */
export type Gate =
  | { readonly kind: 'run'; readonly tool: AgentTool; readonly args: Args; readonly note?: string }
  | {
      readonly kind: 'canned';
      readonly name: string;
      readonly args: Args;
      readonly result: unknown;
      readonly isError: boolean;
    }
  /** A hook, a rule or a person is against it. */
  | { readonly kind: 'refused'; readonly name: string; readonly args: Args; readonly text: string }
  /** It cannot run: no such tool, or no such arguments. */
  | { readonly kind: 'failed'; readonly name: string; readonly args: Args; readonly text: string }
  /** The model is to do something else than this and the calls beside it. */
  | {
      readonly kind: 'steered';
      readonly name: string;
      readonly args: Args;
      readonly feedback: string;
    };

/** The call that another one is made by. */
export interface CallParent {
  readonly parentToolCallId?: string | undefined;
}

/** A call that hooks have looked at. */
export interface OpenGate {
  /** Set when a person has to answer first. */
  readonly asking?: Begun<'preToolUse'>['asking'];
  settle(): Promise<Gate>;
}

/** Lets hooks look at a call. */
export async function openGate(
  run: Run,
  call: ToolCallRequest,
  parent: CallParent,
): Promise<OpenGate> {
  const { name } = call.function;
  const args = parseArguments(call.function.arguments);
  if (args === undefined) {
    const text = 'Error: the arguments are not a JSON object';
    return { settle: async () => ({ kind: 'failed', name, args: {}, text }) };
  }
  const tool = run.tools.get(name);
  if (tool === undefined) {
    return { settle: async () => ({ kind: 'failed', name, args, text: `Unknown tool: ${name}` }) };
  }
  const { parentToolCallId } = parent;
  const begun = await run.scene.begin(
    'preToolUse',
    {
      toolName: name,
      args,
      toolCallId: call.id,
      isDelegated: run.isDelegated,
      planModeActive: run.options.planModeActive ?? false,
      ...(parentToolCallId !== undefined && { parentToolCallId }),
    },
    { signal: run.signal, toolSchema: tool.parameters, toolSchemas: run.tools.schemas },
  );
  return gateWhen(run, begun);
}

/** Takes up a call that a person was asked about before the process ended: hooks have looked at it. */
export async function reopenGate(
  run: Run,
  call: ToolCallRequest,
  approvalId: string,
): Promise<OpenGate> {
  const { scene, signal } = run;
  const { name } = call.function;
  const of = { sessionId: scene.sessionId, toolCallId: call.id };
  const known = await scene.runtime.approvals.recall(approvalId, of);
  // What was asked is gone once it is denied or over; then nothing of it runs.
  const asked = isCall(known?.payload) ? known.payload : { toolName: name, args: {} };
  const { hook } = known ?? {};
  const begun = scene.takeUp(
    {
      point: 'preToolUse',
      payload: asked,
      approval: { id: approvalId },
      ...(hook !== undefined && { hook }),
      isTakenUp: true,
    },
    { signal },
  );
  return gateWhen(run, begun);
}

function isCall(payload: Payload | undefined): payload is Payload {
  const { toolName, args } = payload ?? {};
  return typeof toolName === 'string' && typeof args === 'object' && args !== null;
}

function gateWhen(run: Run, begun: Begun<'preToolUse'>): OpenGate {
  const { asking } = begun;
  return {
    ...(asking !== undefined && { asking }),
    settle: async () => gateOf(run, await begun.settle()),
  };
}

function gateOf(run: Run, outcome: Outcome<'preToolUse'>): Gate {
  const { toolName: name, args } = outcome.payload;
  const { note } = outcome;
  switch (outcome.action) {
    case 'block':
      return { kind: 'refused', name, args, text: withNote(outcome.reason ?? '', note) };
    case 'result': {
      const { result, isError = false } = outcome;
      return { kind: 'canned', name, args, result, isError };
    }
    case 'rework':
      return { kind: 'steered', name, args, feedback: outcome.feedback ?? DEFAULT_FEEDBACK };
    case 'allow':
    case 'modify':
    case 'suppress':
      return runnable(run, { name, args, note });
  }
}

/** Whatever hooks made of it, what runs is a tool of this agent with arguments that fit it. */
function runnable(
  { tools }: Run,
  {
    name,
    args,
    note,
  }: { readonly name: string; readonly args: Args; readonly note: string | undefined },
): Gate {
  const tool = tools.get(name);
  if (tool === undefined) return { kind: 'failed', name, args, text: `Unknown tool: ${name}` };
  const misfit = tools.misfit(tool, args);
  if (misfit !== undefined) {
    return { kind: 'failed', name, args, text: `Error: the arguments do not fit: ${misfit}` };
  }
  return { kind: 'run', tool, args, ...(note !== undefined && { note }) };
}

/** Source: the harness contract. */
const DEFAULT_FEEDBACK = 'Execution cancelled by user feedback.';

/** A text for the model with what a person added. */
export function withNote(text: string, note: string | undefined): string {
  return note === undefined || note === '' ? text : `${text}\n\nNote: ${note}`;
}

/** The arguments as an object; none at all count as none. */
function parseArguments(text: string): Args | undefined {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Args)
      : undefined;
  } catch {
    return undefined;
  }
}
