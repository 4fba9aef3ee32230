/** A tool call as a model writes it. */
export interface ToolCallRequest {
  readonly id: string;
  readonly type: 'function';
  /** `arguments` is JSON text, or what should be. */
  readonly function: { readonly name: string; readonly arguments: string };
}

/** Where a message comes from that neither user, model nor tool wrote. */
export interface MessageOrigin {
  readonly source: 'hook' | 'summary' | 'steering';
  readonly hook?: string;
  readonly point?: string;
  /** ISO 8601 in UTC. */
  readonly timestamp?: string;
}

/** A message of a request to a model, with the names that hooks see. */
export interface Message {
  readonly role: string;
  readonly content?: unknown;
  readonly id?: string;
  readonly name?: string;
  readonly toolCalls?: unknown[];
  readonly toolCallId?: string;
  readonly silent?: boolean;
}

/** A message of the history. */
export interface StoredMessage extends Message {
  readonly id: string;
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string;
  readonly toolCalls?: ToolCallRequest[];
  readonly isError?: boolean;
  readonly attachments?: readonly unknown[];
  readonly metadata?: MessageOrigin;
}

/** A message before it is stored. */
export type MessageDraft = Omit<StoredMessage, 'id'>;

/** Text as a model may read it: control characters but tab and line ends, and halves of characters, are taken out. */
export function sanitised(text: string): string {
  // eslint-disable-next-line no-control-regex -- they are what is taken out
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]|\p{Surrogate}/gu, '');
}
