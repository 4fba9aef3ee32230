import type { History } from './history/history.ts';
import type { Message } from './history/message.ts';
import type { ModelUsage } from './model/model.ts';
import type { AgentOptions } from './options.ts';
import type { Scene } from './scene.ts';
import type { ToolBox } from './tools/tool.ts';

/** One run: an input on its way to an answer. */
export interface Run {
  readonly options: AgentOptions;
  readonly scene: Scene;
  readonly history: History;
  readonly tools: ToolBox;
  readonly signal: AbortSignal;
  /** The input as the hooks left it. */
  readonly prompt: string;
  readonly channels: readonly string[];
  /** The session of the user; a sub-agent spends what that was given. */
  readonly rootSessionId: string;
  /** Whether this agent works for another one. */
  readonly isDelegated: boolean;
  /** The tool call that this agent works for. */
  readonly parentToolCallId?: string | undefined;
  /** Whether text waits until the hooks at preOutput have seen the whole. */
  readonly isBuffered: boolean;
  /** Set where it may be let out in pieces: none of those hooks looks at a longer stretch. */
  readonly longestMatch?: number | undefined;
  /** Answers that were sent back, with what was wrong with them; for the requests of this run alone. */
  rejected: readonly Message[];
  usage: ModelUsage;
  turn: number;
}

/** Why a run goes no further, where nothing failed: its reason is for the user. */
export class Refusal {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

/** The sum of what two requests used. */
export function plusUsage(a: ModelUsage, b: ModelUsage): ModelUsage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
  };
}
