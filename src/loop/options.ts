import type { Answer, ApprovalView } from '../approvals/approval.ts';
import type { LiveRuntime } from '../live-runtime.ts';
import type { Caller } from '../verdict.ts';
import type { OnEvent } from './client-events.ts';
import type { HistoryStore } from './history/history.ts';
import type { ModelUsage, Model } from './model/model.ts';
import type { AgentTool } from './tools/tool.ts';

/** An agent that another one can hand work to, as a tool `agent__<name>`. */
export interface SubAgent {
  readonly description: string;
  readonly systemPrompt?: string;
  readonly tools?: readonly AgentTool[];
  readonly agents?: Readonly<Record<string, SubAgent>>;
}

/** When old messages are replaced by a summary. */
export interface Compaction {
  /** Tokens of the history, at four characters each, past which it is compacted. */
  readonly maxTokens: number;
  /** Messages at the end that stay, at least. */
  readonly keepMessages: number;
}

/** How an agent runs. All but the runtime and the model have defaults. */
export interface AgentOptions {
  readonly runtime: LiveRuntime;
  readonly model: Model;
  readonly history: HistoryStore;
  /** Resumes that session when it has messages; a new one, if absent. */
  readonly sessionId?: string | undefined;
  readonly systemPrompt?: string | undefined;
  readonly tools?: readonly AgentTool[] | undefined;
  readonly agents?: Readonly<Record<string, SubAgent>> | undefined;
  /** Who is behind the input, as the host verified it; never from the model. */
  readonly caller?: Caller | undefined;
  /** Where answers go; `["chat"]`. */
  readonly channels?: readonly string[] | undefined;
  /** Whether the model streams; true. */
  readonly stream?: boolean | undefined;
  /** Holds text back with any hook at all, not only with one at preOutput. */
  readonly strictBuffering?: boolean | undefined;
  /** Whether tools are told that a plan awaits its approval. */
  readonly planModeActive?: boolean | undefined;
  /** Offers a tool `job_done` by which the model ends the run. */
  readonly jobDone?: boolean | undefined;
  /** Rounds of one run; 25. */
  readonly maxTurns?: number | undefined;
  /** Attempts at one model request; 3. */
  readonly maxAttempts?: number | undefined;
  /** The first delay before another attempt, doubled each time; 500. */
  readonly retryDelayMs?: number | undefined;
  readonly maxTokens?: number | undefined;
  readonly temperature?: number | undefined;
  readonly compaction?: Compaction | undefined;
  readonly onEvent?: OnEvent | undefined;
  /** Puts a question before a person. Only "allow", "allow once" and "allow always" grant. */
  readonly approve?:
    ((question: ApprovalView, signal: AbortSignal) => Promise<Answer | string>) | undefined;
}

/** How a run ended. */
export interface RunResult {
  readonly sessionId: string;
  readonly status: 'completed' | 'cancelled' | 'error';
  /** `blocked`: a hook or a budget ended it, and `text` is the reason. */
  readonly outcome: 'answer' | 'job_done' | 'blocked' | 'max_turns' | 'cancelled' | 'error';
  readonly text: string;
  readonly turns: number;
  readonly usage: ModelUsage;
  /** Why it is in error. */
  readonly error?: Error;
}
