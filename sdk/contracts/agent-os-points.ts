import type { Decision } from '../decisions.ts';
import type { Schema } from '../json-schema.ts';
import { fromSnakeMessages, snakeMessages } from './snake-messages.ts';

/** Fields of an event or an outcome. */
export type Outcome = Readonly<Record<string, unknown>>;

/** One point of agent-os: what its function is given and what its outcome means. */
export interface AgentOsRow {
  /** The fields that an outcome may have, all optional. */
  readonly outcome: Readonly<Record<string, Schema>>;
  /** Nothing is read of what the function returns, save `outputs`. */
  readonly isNotification?: true;
  readonly event: (payload: Outcome) => Outcome;
  /** The decision of an outcome; fields that are not set are absent. */
  readonly decide: (outcome: Outcome, payload: Outcome) => Decision;
  /** Outcome fields that the function set by changing the event. */
  readonly inPlace?: (event: Outcome, payload: Outcome) => Outcome;
}

const TEXT = { type: 'string' } as const;
const MAP = { type: 'object' } as const;
const FLAG = { type: 'boolean' } as const;
const TEXTS = { type: 'array', items: TEXT } as const;
const INDEXES = { type: 'array', items: { type: 'integer', minimum: 0 } } as const;
const ALLOW: Decision = { action: 'allow' };

/** A point that is told of something and decides nothing. */
function notification(event: AgentOsRow['event']): AgentOsRow {
  return { outcome: {}, isNotification: true, event, decide: () => ALLOW };
}

/** The points of agent-os by their names there. Source of the outcome fields: the contract's tables. */
export const AGENT_OS_POINTS: Readonly<Record<string, AgentOsRow>> = {
  before_user_message: {
    outcome: { message: TEXT, context: { anyOf: [TEXT, TEXTS] }, answer: TEXT },
    event: ({ text, source, attachments }) => ({ message: text, source, attachments }),
    decide({ message, context, answer }) {
      const added = context === undefined ? [] : [context].flat();
      const inject = added.map((content) => ({ content: content as string }));
      const extras = inject.length === 0 ? {} : { inject };
      if (answer !== undefined) return { action: 'result', result: answer, ...extras };
      return changed(message === undefined ? {} : { text: message }, extras);
    },
  },
  before_inference: {
    outcome: {
      model: TEXT,
      temperature: { type: 'number' },
      max_tokens: { type: 'integer', minimum: 0 },
      messages: { type: 'array', items: MAP },
      tools: { type: 'array', items: MAP },
      response: TEXT,
      deny: TEXT,
    },
    event: (payload) => ({ request: requestOf(payload), attempt: payload['attempt'] }),
    decide({ response, deny, messages, max_tokens: maxTokens, ...overrides }) {
      if (response !== undefined) return { action: 'result', result: response };
      if (deny !== undefined) return blocked(deny);
      return changed({
        ...overrides,
        ...(maxTokens !== undefined && { maxTokens }),
        ...(messages !== undefined && splitSystem(messages as readonly Outcome[])),
      });
    },
  },
  on_token: {
    outcome: { text: TEXT, suppress: FLAG },
    event: ({ text, finalAnswer }) => ({ text, final_answer: finalAnswer }),
    decide: ({ text, suppress }) =>
      suppress === true ? { action: 'suppress' } : changed(text === undefined ? {} : { text }),
  },
  before_tool_call: {
    outcome: { args: MAP, deny: TEXT, result: TEXT },
    event: ({ toolName, args }) => ({ tool: toolName, args }),
    decide({ args, deny, result }) {
      if (result !== undefined) return { action: 'result', result };
      if (deny !== undefined) return blocked(deny);
      return changed(args === undefined ? {} : { args });
    },
  },
  after_tool_result: {
    outcome: { content: TEXT, is_error: FLAG },
    event: ({ toolName, args, result, isError }) => ({
      tool: toolName,
      args,
      content: typeof result === 'string' || result === undefined ? result : JSON.stringify(result),
      is_error: isError,
    }),
    decide: ({ content, is_error: isError }) =>
      changed({
        ...(content !== undefined && { result: content }),
        ...(isError !== undefined && { isError }),
      }),
  },
  before_retry: {
    outcome: { abort: FLAG, delay_ms: { type: 'integer', minimum: 0 }, model: TEXT },
    event: ({ error, attempt, maxAttempts, delayMs, model, midStream }) => ({
      error,
      attempt,
      max_attempts: maxAttempts,
      delay_ms: delayMs,
      model,
      mid_stream: midStream,
    }),
    decide({ abort, delay_ms: delayMs, model }) {
      const retry = {
        ...(abort !== undefined && { abort: abort as boolean }),
        ...(delayMs !== undefined && { delayMs: delayMs as number }),
        ...(model !== undefined && { model: model as string }),
      };
      return Object.keys(retry).length === 0 ? ALLOW : { action: 'allow', retry };
    },
  },
  before_syscall: {
    outcome: { args: MAP, deny: TEXT },
    event: ({ syscall, args, target }) => ({ syscall, args, target }),
    decide: ({ args, deny }) =>
      deny === undefined ? changed(args === undefined ? {} : { args }) : blocked(deny),
  },
  before_context_evict: {
    outcome: { summary: TEXT, keep: INDEXES },
    event: ({ evicted, summary }) => ({ evicted: snakeMessages(evicted), summary }),
    decide({ summary, keep }, { evicted }) {
      const left = (evicted as readonly unknown[] | undefined)?.filter(
        (_message, index) => !(keep as readonly number[] | undefined)?.includes(index),
      );
      return changed({
        ...(summary !== undefined && { summary }),
        ...(keep !== undefined && left !== undefined && { evicted: left }),
      });
    },
  },
  after_assistant_message: {
    outcome: { answer: TEXT, suppress: { anyOf: [FLAG, TEXT] }, rework: TEXT },
    event: ({ text, question, viaJobDone, channels }) => ({
      question,
      answer: text,
      via_job_done: viaJobDone ?? false,
      channels,
    }),
    inPlace: ({ answer }, { text }) =>
      typeof answer === 'string' && answer !== text ? { answer } : {},
    decide({ answer, suppress, rework }) {
      if (rework !== undefined) return { action: 'rework', feedback: rework as string };
      if (suppress === true) return { action: 'suppress' };
      if (typeof suppress === 'string') return { action: 'suppress', text: suppress };
      return changed(answer === undefined ? {} : { text: answer });
    },
  },
  after_turn: notification(({ input, output, turn }) => ({
    question: input,
    answer: output,
    turn,
  })),
  after_loop: notification(({ outcome, status, response }) => ({
    outcome: outcome ?? status,
    response,
  })),
  on_spawn: notification(({ childId, parentId, depth, agent }) => ({
    pid: childId,
    parent: parentId,
    depth,
    agent,
  })),
  on_terminate: notification(({ pid, exitCode }) => ({ pid, exit_code: exitCode })),
  on_error: notification(({ message, where }) => ({ message, where })),
  on_budget_threshold: notification(({ level, spent, max, ratio }) => ({
    level,
    spent,
    max,
    ratio,
  })),
};

function blocked(reason: unknown): Decision {
  return { action: 'block', reason: reason as string };
}

function changed(payload: Outcome, extras: Pick<Decision, 'inject'> = {}): Decision {
  if (Object.keys(payload).length === 0) return { action: 'allow', ...extras };
  return { action: 'modify', payload, ...extras };
}

/** The request as agent-os assembles it: the system prompt is the first message. */
function requestOf({
  model,
  systemPrompt,
  messages,
  tools,
  maxTokens,
  temperature,
}: Outcome): Outcome {
  const rest = snakeMessages(messages);
  const isPrompted = typeof systemPrompt === 'string' && systemPrompt !== '';
  return {
    model,
    messages:
      isPrompted && rest !== undefined
        ? [{ role: 'system', content: systemPrompt }, ...rest]
        : rest,
    tools,
    max_tokens: maxTokens,
    temperature,
  };
}

/** Messages of an outcome: a system message in front is the system prompt. */
function splitSystem(messages: readonly Outcome[]): Outcome {
  const [first, ...rest] = messages;
  const isPrompt = first?.['role'] === 'system' && typeof first['content'] === 'string';
  return isPrompt
    ? { systemPrompt: first['content'], messages: fromSnakeMessages(rest) }
    : { systemPrompt: '', messages: fromSnakeMessages(messages) };
}
