/** The types of Standard Agents 0.2.0 for those who write its hooks in TypeScript; the module itself is provided. */

/** Part of a thread that a hook sees. */
export interface ThreadState {
  readonly threadId: string;
  readonly agentId: string;
  readonly userId: string | null;
  readonly execution: ExecutionState;
  /** Stores a message through the hooks of messages; needs `injects_context`. */
  injectMessage(message: {
    readonly role?: 'system' | 'user' | 'assistant';
    readonly content: string;
    /** Kept and read by the model, not shown to users. */
    readonly silent?: boolean;
  }): Promise<unknown>;
  /** What runtime.json says of an agent, or `null`; needs `reads_context`. */
  loadAgent(id: string): Promise<unknown>;
}

/** The execution that a hook runs in. */
export interface ExecutionState {
  readonly flowId: string;
  readonly currentSide: 'a' | 'b';
  readonly stepCount: number;
  readonly stopped: boolean;
  readonly abortSignal: { readonly aborted: boolean };
  /** The stored messages, silent ones and those that this hook injected included; needs `reads_context`. */
  readonly messageHistory: readonly HookMessage[];
}

/** Why a hook runs. */
export type HookExecutionSource =
  | { kind: 'prompt'; promptName: string }
  | { kind: 'agent'; agentName: string }
  | { kind: 'child'; relationshipName: string; agentName: string; package?: string };

/** The last argument of every hook. */
export interface HookExecutionContext {
  source: HookExecutionSource;
}

/** A stored message. */
export interface HookMessage {
  id: string;
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string | null;
  name?: string | null;
  tool_calls?: string | null;
  tool_call_id?: string | null;
  created_at: number;
  parent_id?: string | null;
  depth?: number;
  silent?: boolean;
}

/** A tool call; its arguments are JSON text. */
export interface HookToolCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

/** What a tool call came to. */
export interface HookToolResult {
  status: 'success' | 'error';
  result?: string;
  error?: string;
  stack?: string;
  attachments?: unknown[];
}

/** A message of a request. */
export interface LLMMessage {
  role: string;
  content: string | null;
  tool_calls?: unknown;
  tool_call_id?: string;
  name?: string;
}

type Rec = Record<string, unknown>;
type Made<T> = Promise<T>;

/* eslint-disable max-params -- the signatures are those of the specification */

/** The signature of `execute` by the name of the hook. */
export interface HookSignatures<
  State = ThreadState,
  Message = HookMessage,
  ToolCall = HookToolCall,
  ToolResult = HookToolResult,
  Context = HookExecutionContext,
> {
  after_thread_created: (state: State, context: Context) => Made<void>;
  after_subagent_created: (state: State, childState: State, context: Context) => Made<void>;
  after_system_message: (
    state: State,
    systemMessage: string,
    context: Context,
  ) => string | Made<string | null | undefined> | null | undefined;
  filter_messages: (state: State, messages: Message[], context: Context) => Made<Message[]>;
  prefilter_llm_history: (
    state: State,
    messages: LLMMessage[],
    context: Context,
  ) => Made<LLMMessage[]>;
  before_create_message: (state: State, message: Rec, context: Context) => Made<Rec>;
  after_create_message: (state: State, message: Rec, context: Context) => Made<void>;
  before_update_message: (
    state: State,
    messageId: string,
    updates: Rec,
    context: Context,
  ) => Made<Rec>;
  after_update_message: (state: State, message: Message, context: Context) => Made<void>;
  before_store_tool_result: (
    state: State,
    toolCall: Rec,
    toolResult: Rec,
    context: Context,
  ) => Made<Rec>;
  after_tool_call_success: (
    state: State,
    toolCall: ToolCall,
    toolResult: ToolResult,
    context: Context,
  ) => Made<ToolResult | null>;
  after_tool_call_failure: (
    state: State,
    toolCall: ToolCall,
    toolResult: ToolResult,
    context: Context,
  ) => Made<ToolResult | null>;
  tool_call_started: (
    state: State,
    toolCall: ToolCall,
    progress: string | undefined,
    context: Context,
  ) => Made<void>;
  tool_call_done: (
    state: State,
    toolCall: ToolCall,
    toolResult: ToolResult,
    context: Context,
  ) => Made<void>;
}

/* eslint-enable max-params */

/** The name of a hook. */
export type HookName = keyof HookSignatures;

/** A hook as it is defined. */
export interface HookDefinition<K extends HookName> {
  hook: K;
  /** Unique, in snake_case, and the name in hook.json. */
  id: string;
  execute: HookSignatures[K];
}

/**
 * Types a hook by its name, and gives back its three properties.
 *
 * @example
 * ```ts
 * const hook = defineHook({
 *   hook: 'filter_messages',
 *   id: 'limit_to_20_messages',
 *   execute: async (state, messages) => messages.slice(-20),
 * });
 * hook.id; // 'limit_to_20_messages'
 * ```
 */
export function defineHook<K extends HookName>({
  hook,
  id,
  execute,
}: HookDefinition<K>): HookDefinition<K> {
  return { hook, id, execute };
}
