import { randomUUID } from 'node:crypto';
import { tellStarted } from '../model/answer-stream.ts';
import type { ToolCallRequest } from '../history/message.ts';
import type { Run } from '../run-state.ts';
import { ToolOutcome, type ToolReply, type ToolRun } from './tool.ts';
import { openGate, withNote, type CallParent, type Gate } from './tool-gate.ts';

/** A tool call that ran, or did not, before hooks look at what came of it. */
export interface Ran {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly reply: ToolReply;
  readonly isRefused: boolean;
  /** Set where the tool itself failed. */
  readonly error?: string;
  readonly durationMs: number;
  /** What a person wrote to their approval. */
  readonly note?: string;
}

/** Carries out what a gate came to. Never rejects: what a tool throws is its result. */
export async function carryOut(run: Run, call: ToolCallRequest, gate: Gate): Promise<Ran> {
  switch (gate.kind) {
    case 'run':
      return runTool(run, call, gate);
    case 'canned': {
      const { name, args, result: content, isError } = gate;
      return { name, args, reply: { content, isError }, isRefused: false, durationMs: 0 };
    }
    case 'failed':
      return { ...refusal(gate, gate.text), isRefused: false, error: gate.text };
    case 'refused':
      return refusal(gate, gate.text);
    case 'steered':
      return refusal(gate, gate.feedback);
  }
}

/** A call that did not run, with the text that the model reads for it. */
export function refusal({ name, args }: Pick<Ran, 'name' | 'args'>, content: string): Ran {
  return { name, args, reply: { content, isError: true }, isRefused: true, durationMs: 0 };
}

async function runTool(
  run: Run,
  call: ToolCallRequest,
  { tool, args, note }: Gate & { readonly kind: 'run' },
): Promise<Ran> {
  const { signal } = run;
  const started = performance.now();
  const common = { name: tool.name, args, isRefused: false, ...(note !== undefined && { note }) };
  const took = (): number => performance.now() - started;
  try {
    signal.throwIfAborted();
    const value = await untilAborted(signal, tool.run(args, toolRun(run, call.id)));
    const reply: ToolReply = value instanceof ToolOutcome ? value : { content: value };
    if (reply.isError !== true) return { ...common, reply, durationMs: took() };
    return { ...common, reply, error: textOf(reply.content), durationMs: took() };
  } catch (error) {
    if (signal.aborted) return { ...refusal(common, CANCELLED), durationMs: took() };
    const text = error instanceof Error ? error.message : String(error);
    const reply = { content: `Error: ${text}`, isError: true };
    return { ...common, reply, error: reply.content, durationMs: took() };
  }
}

/** What the model reads for a call that the end of its run overtook. */
export const CANCELLED = 'Cancelled: the run was ended';

/** A tool that does not heed the signal holds up nothing. */
async function untilAborted(signal: AbortSignal, value: unknown): Promise<unknown> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    // The tool itself may have ended the run before anyone listened.
    signal.throwIfAborted();
    return await Promise.race([value, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    aborted.promise.catch(() => undefined);
  }
}

function toolRun(run: Run, toolCallId: string): ToolRun {
  const { scene, signal } = run;
  return {
    toolCallId,
    sessionId: scene.sessionId,
    caller: scene.caller,
    signal,
    callTool: (name, args) => callNested(run, toolCallId, { name, args }),
  };
}

/** A call that a tool makes: the same hooks, and nothing of it in the history. */
async function callNested(
  run: Run,
  parentToolCallId: string,
  { name, args }: { readonly name: string; readonly args: Readonly<Record<string, unknown>> },
): Promise<ToolReply> {
  const text = JSON.stringify(args);
  const id = `nested-${randomUUID()}`;
  const call: ToolCallRequest = { id, type: 'function', function: { name, arguments: text } };
  const parent = { parentToolCallId };
  await tellStarted({ scene: run.scene, parentToolCallId }, call, undefined);
  const gate = await (await openGate(run, call, parent)).settle();
  const seen = await review(run, call, { ran: await carryOut(run, call, gate), parent });
  await tellDone(run, call, { name: seen.name, reply: seen.reply, parent });
  return seen.reply;
}

/** Shows hooks what came of a call: the failure first, then the text that the model is about to read. */
export async function review(
  { scene, signal }: Run,
  { id: toolCallId }: ToolCallRequest,
  { ran, parent }: { readonly ran: Ran; readonly parent: CallParent },
): Promise<{ readonly name: string; readonly reply: ToolReply }> {
  const { name: toolName, args, durationMs, isRefused, note } = ran;
  const { parentToolCallId } = parent;
  const common = {
    toolName,
    args: { ...args },
    toolCallId,
    ...(parentToolCallId !== undefined && { parentToolCallId }),
  };
  // What is over must still be told, also when the run is at its end.
  const extras = signal.aborted ? {} : { signal };
  let { reply } = ran;
  if (ran.error !== undefined) {
    const failed = await scene.fire('postToolFailure', { ...common, error: ran.error }, extras);
    // Unless a hook changes it, the model reads what the tool returned.
    if (failed.isModified) reply = { ...reply, content: failed.payload.error };
  }
  const { content, isError = false, attachments } = reply;
  const seen = await scene.fire(
    'postToolUse',
    {
      ...common,
      result: content === undefined ? '' : content,
      isError,
      durationMs,
      ...(isRefused && { refused: true }),
      ...(attachments !== undefined && { attachments: [...attachments] }),
    },
    extras,
  );
  if (seen.action === 'block') {
    const text = withNote(seen.reason ?? '', seen.note);
    return { name: toolName, reply: { content: text, isError: true } };
  }
  const { result, isError: isStillError, attachments: kept } = seen.payload;
  const shown = note === undefined ? result : withNote(textOf(result), note);
  return {
    name: toolName,
    reply: {
      content: shown,
      isError: isStillError,
      ...(kept !== undefined && { attachments: kept }),
    },
  };
}

/** Tells that a call is over: once per call, whatever happened. */
export async function tellDone(
  { scene }: Run,
  { id: toolCallId }: ToolCallRequest,
  {
    name: toolName,
    reply: { content, isError = false },
    parent: { parentToolCallId },
  }: { readonly name: string; readonly reply: ToolReply; readonly parent: CallParent },
): Promise<void> {
  const status = isError ? 'error' : 'success';
  scene.emit({ type: 'toolCallDone', id: toolCallId, name: toolName, status });
  await scene.fire('toolCallDone', {
    toolCallId,
    toolName,
    result: content ?? null,
    status,
    ...(parentToolCallId !== undefined && { parentToolCallId }),
  });
}

/** A result as a model reads it. */
export function textOf(content: unknown): string {
  return typeof content === 'string' ? content : (JSON.stringify(content) ?? '');
}
