import type { Decision } from '../decisions.ts';
import { fromSnakeMessages, snakeMessages } from './snake-messages.ts';
import { fromRecord, fromRecords, toRecord, toRecords } from './standard-agents-messages.ts';

type Payload = Readonly<Record<string, unknown>>;

/** One hook type of Standard Agents. */
interface StandardAgentsRow {
  /** What a failure means for a local hook that says nothing; the point's own policy, if absent. Source: spec 0.2.0, hooks. */
  readonly failPolicy?: 'open';
  /** The arguments between state and context; `undefined` when the hook is not called. */
  readonly args: (payload: Payload) => readonly unknown[] | undefined;
  /** The child thread whose state comes second. */
  readonly child?: (payload: Payload) => { readonly threadId: unknown; readonly agentId: unknown };
  /** The decision of what `execute` returned, or what is wrong with it after the hook's name. */
  readonly decide: (returned: unknown, payload: Payload) => Decision | string;
}

const ALLOW: Decision = { action: 'allow' };
const observed = (): Decision => ALLOW;

/** The hook types of Standard Agents by name. */
export const STANDARD_AGENTS_HOOKS: Readonly<Record<string, StandardAgentsRow>> = {
  after_thread_created: {
    args: ({ resumed }) => (resumed === true ? undefined : []),
    decide: observed,
  },
  after_subagent_created: {
    args: () => [],
    child: ({ childId, agent }) => ({ threadId: childId, agentId: agent }),
    decide: observed,
  },
  after_system_message: {
    failPolicy: 'open',
    args: ({ systemPrompt }) => [systemPrompt],
    decide(returned) {
      if (returned === null || returned === undefined) return ALLOW;
      if (typeof returned === 'string') return modify({ systemPrompt: returned });
      return `returned ${kindOf(returned)}; it returns a string, null or undefined`;
    },
  },
  filter_messages: {
    failPolicy: 'open',
    args: ({ messages }) => [toRecords(messages)],
    decide(returned, { messages }) {
      if (!isRecords(returned)) return `returned ${kindOf(returned)}; it returns HookMessage[]`;
      return modify({ messages: fromRecords(returned, messages) });
    },
  },
  prefilter_llm_history: {
    args: ({ messages }) => [snakeMessages(messages)?.map((message) => ({ ...message }))],
    decide(returned) {
      if (!isRecords(returned)) return `returned ${kindOf(returned)}; it returns LLMMessage[]`;
      return modify({ messages: fromSnakeMessages(returned) });
    },
  },
  before_create_message: {
    args: ({ message }) => [toRecord(message as Payload)],
    decide(returned) {
      if (!isRecord(returned)) return `returned ${kindOf(returned)}; it returns the message`;
      return modify({ message: fromRecord(returned) });
    },
  },
  after_create_message: {
    args: ({ message }) => [toRecord(message as Payload)],
    decide: observed,
  },
  before_update_message: {
    args: ({ messageId, updates }) => [messageId, toRecord(updates as Payload)],
    decide(returned) {
      if (!isRecord(returned)) return `returned ${kindOf(returned)}; it returns the updates`;
      return modify({ updates: fromRecord(returned) });
    },
  },
  after_update_message: {
    args: ({ message }) => [toRecord(message as Payload)],
    decide: observed,
  },
  before_store_tool_result: {
    args: (payload) => [toolCall(payload), { ...(payload['result'] as Payload | undefined) }],
    decide(returned) {
      if (!isRecord(returned)) return `returned ${kindOf(returned)}; it returns the tool result`;
      return modify({ result: returned });
    },
  },
  tool_call_started: {
    args: ({ partialArgs, progress, ...call }) => [
      toolCall({ ...call, text: partialArgs ?? '' }),
      progress,
    ],
    decide: observed,
  },
  after_tool_call_success: {
    failPolicy: 'open',
    args: (payload) => {
      const { isError, refused } = payload;
      return isError === true || refused === true
        ? undefined
        : [toolCall(payload), toolResult('success', payload)];
    },
    decide(returned, payload) {
      if (returned === null || returned === undefined) return ALLOW;
      if (!isToolResult(returned)) return `returned ${kindOf(returned)}; ${RESULT_OR_NULL}`;
      return modify(changedResult(returned, payload));
    },
  },
  after_tool_call_failure: {
    failPolicy: 'open',
    args: (payload) => [toolCall(payload), toolResult('error', payload)],
    decide(returned) {
      if (returned === null || returned === undefined) return ALLOW;
      if (!isToolResult(returned)) return `returned ${kindOf(returned)}; ${RESULT_OR_NULL}`;
      const text = returned['error'] ?? returned['result'];
      return typeof text === 'string' ? modify({ error: text }) : ALLOW;
    },
  },
  tool_call_done: {
    args: (payload) => {
      const status = payload['status'] === 'error' ? 'error' : 'success';
      return [toolCall(payload), toolResult(status, payload)];
    },
    decide: observed,
  },
};

const RESULT_OR_NULL = 'it returns a HookToolResult with a status of success or error, or null';

function modify(payload: Payload): Decision {
  return { action: 'modify', payload };
}

/** A HookToolCall: its arguments are JSON text. */
function toolCall({ toolCallId, toolName, args = {}, text }: Payload): object {
  const written = typeof text === 'string' ? text : JSON.stringify(args);
  return {
    id: toolCallId ?? '',
    type: 'function',
    function: { name: toolName, arguments: written },
  };
}

/** A HookToolResult: its result is text. */
function toolResult(status: 'success' | 'error', payload: Payload): object {
  const { result, error, stack, attachments } = payload;
  const text = textOf(status === 'error' ? (error ?? result) : result);
  return {
    status,
    ...(text !== undefined && { [status === 'error' ? 'error' : 'result']: text }),
    ...(stack !== undefined && { stack }),
    ...(attachments !== undefined && { attachments: structure(attachments) }),
  };
}

/** What a returned result changes: it stands for the original as a whole, its attachments included. */
function changedResult(returned: Payload, { result, attachments }: Payload): Payload {
  const isError = returned['status'] === 'error';
  const text = isError ? (returned['error'] ?? returned['result']) : returned['result'];
  const isSame = text === textOf(result);
  return {
    isError,
    ...(!isSame && { result: text ?? '' }),
    ...(attachments !== undefined && { attachments: returned['attachments'] ?? null }),
    ...(attachments === undefined &&
      returned['attachments'] !== undefined && { attachments: returned['attachments'] }),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' || value === undefined ? value : JSON.stringify(value);
}

/** A copy: a hook may change what it is given, and the original is what its answer is held against. */
function structure(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function isRecord(value: unknown): value is Payload {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isRecords(value: unknown): value is readonly Payload[] {
  return Array.isArray(value) && value.every(isRecord);
}

function isToolResult(value: unknown): value is Payload {
  return isRecord(value) && (value['status'] === 'success' || value['status'] === 'error');
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return `${value}`;
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}
