import { LIMITS } from '../../sdk/limits.ts';
import { countProblem } from './refusal.ts';
import type { BridgeRow } from './row.ts';

/** Asks the host's model. No hook sees the request or the answer. */
export type LlmPort = (prompt: string, signal: AbortSignal) => Promise<string>;

/** `ctx.llm(prompt)`. */
export const LLM_BRIDGES = {
  llm: {
    capability: 'llm:call',
    credit: 'llmCalls',
    effect: 'outside',
    problem: (args) => countProblem(args, 1, 1) ?? promptProblem(args[0]),
    scope: () => undefined,
    perform: ({ llm }, args, { signal }) => llm?.(args[0] as string, signal),
  },
} as const satisfies Readonly<Record<string, BridgeRow>>;

function promptProblem(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '') return 'the prompt must be a text';
  const isLong =
    value.length > LIMITS.llmPromptBytes || Buffer.byteLength(value) > LIMITS.llmPromptBytes;
  return isLong ? `the prompt is longer than ${LIMITS.llmPromptBytes} bytes` : undefined;
}
