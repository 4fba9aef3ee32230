import type { Stored } from './history/history.ts';
import type { MessageDraft, StoredMessage } from './history/message.ts';
import type { AgentOptions, RunResult } from './options.ts';

/** An input of a user. */
export interface Input {
  readonly text: string;
  readonly attachments?: readonly unknown[];
}

/** An agent in a session. One input at a time; the maker ends it. */
export interface AgentSession {
  readonly id: string;
  /** Works on an input until there is an answer. Rejects with `session_busy` alone: what goes wrong is in the result. */
  send(input: string | Input, options?: { readonly signal?: AbortSignal }): Promise<RunResult>;
  /** Goes on with the last input, which a process that has ended left without an answer. */
  resume(options?: { readonly signal?: AbortSignal }): Promise<RunResult>;
  messages(): readonly StoredMessage[];
  /** Changes a stored message, as hooks let it. */
  update(id: string, updates: Partial<MessageDraft>): Promise<Stored>;
  end(): Promise<void>;
}

/** Where an agent stands among others. The one that a user talks to is `main`. */
export interface Place {
  readonly id: string;
  readonly template?: string;
  readonly parent?: string;
  readonly depth: number;
  readonly rootSessionId?: string;
  readonly parentToolCallId?: string;
}

/** Opens an agent at its place. */
export type OpenSession = (options: AgentOptions, place?: Place) => Promise<AgentSession>;
