import type { ToolCallRequest } from '../history/message.ts';
import type { Run } from '../run-state.ts';
import type { Outcome } from '../scene.ts';
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

/** Looks at a call. The first promise settles when the hooks have, the second when a person has who they ask. */
export async function openGate(
  run: Run,
  call: ToolCallRequest,
  parent: CallParent,
): Promise<() => Promise<Gate>> {
  const { name } = call.function;
  const args = parseArguments(call.function.arguments);
  if (args === undefined) {
    const text = 'Error: the arguments are not a JSON object';
    return async () => ({ kind: 'failed', name, args: {}, text });
  }
  const tool = run.tools.get(name);
  if (tool === undefined) {
    return async () => ({ kind: 'failed', name, args, text: `Unknown tool: ${name}` });
  }
  const { parentToolCallId } = parent;
  const settle = await run.scene.begin(
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
  return async () => gateOf(run, await settle());
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
