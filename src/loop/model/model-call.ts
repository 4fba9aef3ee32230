import { setTimeout as delay } from 'node:timers/promises';
import { SignalboxError } from '../../../sdk/errors.ts';
import { assemble, type Assembly } from './assembly.ts';
import { createAnswerStream, type AnswerStream } from './answer-stream.ts';
import { chargeRequest, overBudget } from './budget-points.ts';
import type { Message, ToolCallRequest } from '../history/message.ts';
import { ModelFailure, type ModelAnswer, type ModelRequest } from './model.ts';
import { closeModelCall, currentRequestId, inModelCall } from './request-id.ts';
import { windowOf } from '../output.ts';
import { Refusal, type Run } from '../run-state.ts';
import type { Outcome } from '../scene.ts';

/** An error that the hooks at the point `error` were told of. */
export class ToldError extends Error {
  readonly known: SignalboxError;

  constructor(known: SignalboxError) {
    super(known.message);
    this.known = known;
  }
}

const MAX_ATTEMPTS = 3;
const RETRY_DELAY_MS = 500;
const MAX_DELAY_MS = 3_600_000;

/** An answer, and the beginning of its text that the client has. */
export interface ShownAnswer extends ModelAnswer {
  readonly shown: string;
}

/** Asks the model, as often as it takes. Gives a refusal when hooks or a budget are against it; throws {@link ToldError}. */
export async function callModel(run: Run): Promise<ShownAnswer | Refusal> {
  const assembly = await assemble(run);
  if (assembly instanceof Refusal) return assembly;
  return inModelCall(() => attempt(run, assembly, { number: 1, model: run.options.model.name }));
}

interface Attempt {
  readonly number: number;
  readonly model: string;
}

async function attempt(run: Run, assembly: Assembly, now: Attempt): Promise<ShownAnswer | Refusal> {
  const spent = await overBudget(run, now.model);
  if (spent !== undefined) return new Refusal(spent);
  const request = await prepare(run, assembly, now);
  if (request.action === 'block') return new Refusal(request.reason ?? '');
  const stream = createAnswerStream({ ...run, window: windowOf(run) });
  if (request.action === 'result') return cannedAnswer(request, stream);
  const asked = requestOf(request, now);
  const messages = run.scene.injections.applyEphemeral(asked.messages);
  try {
    const answer = await ask(run, { ...asked, messages }, stream);
    await closeCall(run, asked, answer);
    return { ...answer, shown: stream.shown() };
  } catch (error) {
    await stream.abandon();
    run.signal.throwIfAborted();
    if (!(error instanceof ModelFailure)) throw error;
    stream.wipe();
    const next = await retryAfter(run, error, now);
    if (next === undefined) return await giveUp(run, error);
    return attempt(run, assembly, next);
  }
}

function prepare(run: Run, assembly: Assembly, now: Attempt): Promise<Outcome<'preModelCall'>> {
  const { maxTokens, temperature } = run.options;
  const payload = {
    model: now.model,
    systemPrompt: assembly.systemPrompt,
    // Hooks of the attempt before changed their own copy.
    messages: structuredClone(assembly.messages) as Message[] as never,
    tools: run.tools.specs.map((spec) => ({ ...spec })),
    attempt: now.number,
    ...(maxTokens !== undefined && { maxTokens }),
    ...(temperature !== undefined && { temperature }),
  };
  return run.scene.fire('preModelCall', payload, correlated(run));
}

function correlated(run: Run): { readonly signal: AbortSignal; readonly requestId?: string } {
  const requestId = currentRequestId();
  return { signal: run.signal, ...(requestId !== undefined && { requestId }) };
}

function requestOf({ payload }: Outcome<'preModelCall'>, now: Attempt): ModelRequest {
  const { model = now.model, systemPrompt, messages, tools } = payload;
  const { maxTokens, temperature, toolChoice } = payload;
  const chosen = toolChoice as ModelRequest['toolChoice'];
  return { model, systemPrompt, messages, tools, maxTokens, temperature, toolChoice: chosen };
}

async function ask(run: Run, request: ModelRequest, stream: AnswerStream): Promise<ModelAnswer> {
  const { signal, options } = run;
  const isStreaming = options.stream ?? true;
  const sink = isStreaming ? stream.sink : undefined;
  const answer = await options.model.complete(request, { signal, sink });
  checkAnswer(answer);
  await stream.finish(answer.toolCalls);
  if (sink === undefined) await stream.sink.text(answer.text, 'text');
  return answer;
}

/** What no loop can work with. Arguments that are no JSON are for the model to mend, so they pass. */
function checkAnswer({ text, toolCalls }: ModelAnswer): void {
  if (text === '' && toolCalls.length === 0) {
    throw new ModelFailure('it is empty', { kind: 'answer', isTransient: true });
  }
  if (!haveOwnIds(toolCalls)) {
    throw new ModelFailure('two of its tool calls have the same id', { kind: 'answer' });
  }
}

function haveOwnIds(toolCalls: readonly ToolCallRequest[]): boolean {
  const ids = new Set(toolCalls.map(({ id }) => id));
  return ids.size === toolCalls.length && !ids.has('');
}

/** What a hook answers in the model's place: a text, or a message with `content` and `toolCalls`. */
async function cannedAnswer(
  { result }: Outcome<'preModelCall'>,
  stream: AnswerStream,
): Promise<ShownAnswer> {
  closeModelCall();
  const message = typeof result === 'object' && result !== null ? (result as Message) : undefined;
  const content = message === undefined ? result : (message.content ?? '');
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  const toolCalls = message?.toolCalls ?? [];
  if (!toolCalls.every(isCall) || !haveOwnIds(toolCalls)) {
    const detail = 'a hook gave it, with tool calls that are not in the form of the API';
    throw new SignalboxError('model_answer', { detail });
  }
  await stream.sink.text(text, 'text');
  await stream.finish(toolCalls);
  return { text, toolCalls, shown: stream.shown() };
}

function isCall(value: unknown): value is ToolCallRequest {
  const { id, function: called } = (value ?? {}) as Partial<ToolCallRequest>;
  return (
    typeof id === 'string' &&
    typeof called?.name === 'string' &&
    typeof called.arguments === 'string'
  );
}

async function closeCall(run: Run, request: ModelRequest, answer: ModelAnswer): Promise<void> {
  const usage = await chargeRequest(run, request, answer);
  const { text, toolCalls } = answer;
  const requestId = closeModelCall();
  const response = {
    role: 'assistant',
    content: text,
    ...(toolCalls.length > 0 && { toolCalls: toolCalls.map((call) => ({ ...call })) }),
  };
  await run.scene.fire(
    'postModelCall',
    { response, usage: { ...usage } },
    requestId === undefined ? {} : { requestId },
  );
}

/** The attempt that comes next, after its delay; none when it is not worth one, or hooks are against it. */
async function retryAfter(
  run: Run,
  failure: ModelFailure,
  { number, model }: Attempt,
): Promise<Attempt | undefined> {
  const { maxAttempts = MAX_ATTEMPTS, retryDelayMs = RETRY_DELAY_MS } = run.options;
  if (!failure.isTransient || number >= maxAttempts) return undefined;
  const delayMs = Math.trunc(failure.retryAfterMs ?? retryDelayMs * 2 ** (number - 1));
  const outcome = await run.scene.fire(
    'preRetry',
    {
      error: failure.message,
      attempt: number,
      maxAttempts,
      delayMs,
      model,
      midStream: failure.isMidStream,
    },
    correlated(run),
  );
  const { retry } = outcome;
  if (outcome.action === 'block' || retry?.abort === true) return undefined;
  const wait = Math.min(retry?.delayMs ?? delayMs, MAX_DELAY_MS);
  run.scene.emit({ type: 'retry', attempt: number + 1, delayMs: wait });
  await delay(wait, undefined, { signal: run.signal });
  return { number: number + 1, model: retry?.model ?? model };
}

async function giveUp(run: Run, failure: ModelFailure): Promise<never> {
  const code = failure.kind === 'answer' ? 'model_answer' : 'model_request';
  const known = new SignalboxError(code, { detail: failure.message });
  const requestId = closeModelCall();
  await run.scene.fire(
    'error',
    { message: known.message, where: 'model' },
    requestId === undefined ? {} : { requestId },
  );
  throw new ToldError(known);
}
