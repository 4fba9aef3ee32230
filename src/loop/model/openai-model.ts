import OpenAI, { APIConnectionError, APIConnectionTimeoutError, APIError } from 'openai';
import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import type { Message, ToolCallRequest } from '../history/message.ts';
import { boundedFetch, tooLong } from './bounded-fetch.ts';
import {
  ModelFailure,
  type AnswerSink,
  type Model,
  type ModelAnswer,
  type ModelRequest,
  type ModelUsage,
} from './model.ts';

/** Where a model is. */
export interface ModelEndpoint {
  /** Base URL of an OpenAI-compatible API, such as `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey?: string | undefined;
  /** How long one attempt may take in all; 120000. */
  readonly timeoutMs?: number | undefined;
  /** Characters of one answer; 1000000. An answer without an end is cut off there. */
  readonly maxAnswerChars?: number | undefined;
}

const TIMEOUT_MS = 120_000;
const MAX_ANSWER_CHARS = 1_000_000;
const MAX_TOOL_CALLS = 128;

/** A model behind an OpenAI-compatible API. */
export function openAiModel(endpoint: ModelEndpoint): Model {
  const { baseUrl, model, apiKey } = endpoint;
  const { timeoutMs = TIMEOUT_MS, maxAnswerChars = MAX_ANSWER_CHARS } = endpoint;
  const client = new OpenAI({
    baseURL: baseUrl,
    // Local servers want none, and the library wants one.
    apiKey: apiKey === undefined || apiKey === '' ? 'none' : apiKey,
    organization: null,
    project: null,
    maxRetries: 0,
    timeout: timeoutMs,
    logLevel: 'off',
    // The key must not go elsewhere.
    fetchOptions: { redirect: 'error' },
    fetch: boundedFetch(maxAnswerChars),
  });
  return {
    name: model,
    async complete(request, { signal, sink }) {
      const late = AbortSignal.timeout(timeoutMs);
      const stop = new AbortController();
      const options = { signal: AbortSignal.any([signal, late, stop.signal]) };
      let isMidStream = false;
      const heard = guarded(sink);
      try {
        if (heard === undefined) {
          return readWhole(await client.chat.completions.create(bodyOf(request), options));
        }
        const body = {
          ...bodyOf(request),
          stream: true,
          stream_options: { include_usage: true },
        } as const;
        const stream = await client.chat.completions.create(body, options);
        isMidStream = true;
        return await readStream(stream, heard.sink, maxAnswerChars);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        if (heard?.failure === error) throw error;
        throw failureOf(error, { isMidStream, ...(late.aborted && { timeoutMs }) });
      } finally {
        // Ends the connection of an answer that is not read to its end.
        stop.abort();
      }
    },
  };
}

/** A sink whose own failures are told from those of the API: another attempt does not mend them. */
function guarded(sink: AnswerSink | undefined) {
  if (sink === undefined) return undefined;
  const heard = {
    failure: undefined as unknown,
    sink: {
      text: (piece, kind) => sink.text(piece, kind).catch(keep),
      toolCall: (call) => sink.toolCall(call).catch(keep),
    } satisfies AnswerSink,
  };
  function keep(error: unknown): never {
    heard.failure = error;
    throw error;
  }
  return heard;
}

function bodyOf(request: ModelRequest): ChatCompletionCreateParamsNonStreaming {
  const { model, systemPrompt, messages, tools, maxTokens, temperature, toolChoice } = request;
  const system: ChatCompletionMessageParam[] =
    systemPrompt === '' ? [] : [{ role: 'system', content: systemPrompt }];
  return {
    model,
    messages: [...system, ...messages.map(wireMessage)],
    ...(tools.length > 0 && {
      // Hooks may have written them: what they are is for the API to judge.
      tools: tools.map((tool) => ({
        type: 'function' as const,
        function: tool as { name: string },
      })),
    }),
    ...(tools.length > 0 && toolChoice !== undefined && { tool_choice: toolChoice }),
    // The successor is not known to most servers that speak this API.
    // oxlint-disable-next-line typescript/no-deprecated -- see above
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...(temperature !== undefined && { temperature }),
  };
}

function wireMessage({
  role,
  content,
  name,
  toolCalls,
  toolCallId,
}: Message): ChatCompletionMessageParam {
  return {
    role,
    content: content ?? '',
    ...(name !== undefined && role !== 'tool' && { name }),
    ...(toolCalls !== undefined && toolCalls.length > 0 && { tool_calls: toolCalls }),
    ...(toolCallId !== undefined && { tool_call_id: toolCallId }),
    // The roles of the row are texts, and hooks may have written the rest: the API is the judge.
  } as ChatCompletionMessageParam;
}

function readWhole(completion: ChatCompletion): ModelAnswer {
  // The type is what an API should send; a 200 may hold an error, or nothing.
  const { choices, error } = completion as Partial<ChatCompletion> & { readonly error?: unknown };
  const message = choices?.[0]?.message;
  if (error !== undefined || message === undefined) throw noChoice(error !== undefined);
  const calls = (message.tool_calls ?? []).flatMap((call) =>
    call.type === 'function' ? [callOf(call.id, call.function.name, call.function.arguments)] : [],
  );
  return { text: message.content ?? '', toolCalls: calls, usage: usageOf(completion.usage) };
}

async function readStream(
  stream: AsyncIterable<ChatCompletionChunk>,
  sink: AnswerSink,
  maxChars: number,
): Promise<ModelAnswer> {
  const calls: ToolCallRequest[] = [];
  let text = '';
  let chars = 0;
  let usage: ModelUsage | undefined;
  let isOver = false;
  for await (const chunk of stream) {
    usage = usageOf(chunk.usage) ?? usage;
    const choice = chunk.choices?.[0];
    if (choice === undefined) continue;
    const { content, tool_calls: pieces = [], ...rest } = choice.delta ?? {};
    const thinking = (rest as { readonly reasoning_content?: unknown }).reasoning_content;
    if (typeof thinking === 'string' && thinking !== '') {
      chars += thinking.length;
      await sink.text(thinking, 'thinking');
    }
    if (typeof content === 'string' && content !== '') {
      chars += content.length;
      text += content;
      await sink.text(content, 'text');
    }
    for (const { index, id, function: part } of pieces) {
      const known = calls[index];
      if (index > calls.length || index >= MAX_TOOL_CALLS) {
        throw new ModelFailure('its tool calls are not in order', { kind: 'answer' });
      }
      const added = part?.arguments ?? '';
      chars += added.length;
      const call = callOf(
        known?.id ?? id ?? '',
        known?.function.name ?? part?.name ?? '',
        (known?.function.arguments ?? '') + added,
      );
      calls[index] = call;
      await sink.toolCall(call);
    }
    if (chars > maxChars) {
      throw tooLong(maxChars);
    }
    isOver ||= choice.finish_reason !== null && choice.finish_reason !== undefined;
  }
  if (!isOver) {
    throw new ModelFailure('the stream ended before the answer did', { isTransient: true });
  }
  return { text, toolCalls: calls, usage };
}

function callOf(id: string, name: string, text: string): ToolCallRequest {
  return { id, type: 'function', function: { name, arguments: text } };
}

function usageOf(usage: ChatCompletion['usage'] | null): ModelUsage | undefined {
  if (usage === undefined || usage === null) return undefined;
  const { prompt_tokens: inputTokens, completion_tokens: outputTokens } = usage;
  const isCount = (value: unknown): boolean => Number.isFinite(value) && (value as number) >= 0;
  return isCount(inputTokens) && isCount(outputTokens) ? { inputTokens, outputTokens } : undefined;
}

function noChoice(isError: boolean): ModelFailure {
  const detail = isError ? 'it holds an error instead of a choice' : 'it holds no choice';
  return new ModelFailure(detail, { kind: 'answer', isTransient: true });
}

function failureOf(
  error: unknown,
  { isMidStream, timeoutMs }: { readonly isMidStream: boolean; readonly timeoutMs?: number },
): ModelFailure {
  if (error instanceof ModelFailure) {
    const { message, kind, isTransient, retryAfterMs } = error;
    return new ModelFailure(message, { kind, isTransient, retryAfterMs, isMidStream });
  }
  if (timeoutMs !== undefined || error instanceof APIConnectionTimeoutError) {
    return new ModelFailure(`it took longer than ${timeoutMs ?? 'allowed'} ms`, { isMidStream });
  }
  if (error instanceof APIError && error.status !== undefined) {
    const status = error.status as number;
    const isTransient = status === 408 || status === 409 || status === 429 || status >= 500;
    const retryAfterMs = retryAfterOf(error.headers as Headers | undefined);
    return new ModelFailure(`HTTP ${status}`, { isTransient, retryAfterMs });
  }
  if (error instanceof APIConnectionError) {
    return new ModelFailure('the connection failed', { isTransient: true, isMidStream });
  }
  // An error in the stream, a cut in the middle, or something that is no JSON.
  const detail = error instanceof SyntaxError ? 'it is no JSON' : 'the connection was cut';
  return new ModelFailure(detail, { isTransient: true, isMidStream });
}

const MAX_RETRY_AFTER_MS = 120_000;

function retryAfterOf(headers: Headers | undefined): number | undefined {
  const seconds = Number(headers?.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0
    ? Math.min(seconds * 1000, MAX_RETRY_AFTER_MS)
    : undefined;
}
