import type { Input } from './agent-session.ts';
import type { AgentOptions, RunResult } from './options.ts';
import { openAgentSession } from './session.ts';

/** What an agent is to do, once. */
export interface RunAgentOptions extends AgentOptions {
  /** Without one, the session `sessionId` goes on with its last input, which has no answer yet. */
  readonly prompt?: string | Input | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Runs an agent on one prompt in a session of its own, or in one that it resumes. What goes wrong is in the result. */
export async function runAgent({
  prompt,
  signal,
  ...options
}: RunAgentOptions): Promise<RunResult> {
  const session = await openAgentSession(options);
  try {
    const how = signal === undefined ? {} : { signal };
    return await (prompt === undefined ? session.resume(how) : session.send(prompt, how));
  } finally {
    await session.end();
  }
}
