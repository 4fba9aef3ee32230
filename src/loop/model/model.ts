import type { Message, ToolCallRequest } from '../history/message.ts';

/** A tool as a model is told of it. */
export interface ToolSpec {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema. */
  readonly parameters: object;
}

/** A request to a model, as the hooks left it. */
export interface ModelRequest {
  readonly model: string;
  readonly systemPrompt: string;
  readonly messages: readonly Message[];
  readonly tools: readonly object[];
  readonly maxTokens?: number | undefined;
  readonly temperature?: number | undefined;
  readonly toolChoice?: 'auto' | 'none' | 'required' | undefined;
}

/** Tokens of a request. */
export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** What a model answered, whole. */
export interface ModelAnswer {
  readonly text: string;
  readonly toolCalls: readonly ToolCallRequest[];
  readonly usage?: ModelUsage | undefined;
}

/** Hears of an answer while it comes. The model waits for what a listener returns. */
export interface AnswerSink {
  text(piece: string, kind: 'text' | 'thinking'): Promise<void>;
  /** A call as far as it has come; again whenever more of its arguments is there. */
  toolCall(call: ToolCallRequest): Promise<void>;
}

/** How one attempt is made. */
export interface AttemptOptions {
  readonly signal: AbortSignal;
  /** Where the answer is streamed to; without one it comes at once. */
  readonly sink?: AnswerSink | undefined;
}

/** A model behind an API. It makes one attempt per call: retries are the loop's, so that hooks see them. */
export interface Model {
  readonly name: string;
  /** Rejects with {@link ModelFailure}. */
  complete(request: ModelRequest, options: AttemptOptions): Promise<ModelAnswer>;
}

/** Why a model gave no answer. Its text says what failed and quotes nothing that was sent or received. */
export class ModelFailure extends Error {
  /** `answer`: something came back and cannot be used. */
  readonly kind: 'request' | 'answer';
  /** Whether the same request may well work a little later. */
  readonly isTransient: boolean;
  /** Whether a part of the answer had come. */
  readonly isMidStream: boolean;
  /** How long the API asked to wait. */
  readonly retryAfterMs: number | undefined;

  constructor(
    detail: string,
    facts: {
      readonly kind?: 'request' | 'answer';
      readonly isTransient?: boolean;
      readonly isMidStream?: boolean;
      readonly retryAfterMs?: number | undefined;
    } = {},
  ) {
    super(detail);
    this.kind = facts.kind ?? 'request';
    this.isTransient = facts.isTransient ?? false;
    this.isMidStream = facts.isMidStream ?? false;
    this.retryAfterMs = facts.retryAfterMs;
  }
}
