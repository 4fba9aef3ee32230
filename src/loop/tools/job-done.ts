import type { ToolCallRequest } from '../history/message.ts';
import { release } from '../output.ts';
import type { Run } from '../run-state.ts';
import type { AgentTool } from './tool.ts';
import { refusal, type Ran } from './tool-call.ts';

/** The name of the tool by which a model ends its run. */
export const JOB_DONE = 'job_done';

/** The answer that ends a run. */
export interface JobEnd {
  readonly text: string;
  readonly isBlocked: boolean;
}

/** The tool by which a model ends its run. The loop itself carries it out. */
export const JOB_DONE_TOOL: AgentTool = {
  name: JOB_DONE,
  description: 'Ends the job. Call it once everything is done, with the answer for the user.',
  parameters: {
    type: 'object',
    properties: { answer: { type: 'string', description: 'The answer for the user' } },
    required: ['answer'],
  },
  run: () => 'Done',
};

/** What a call of job_done came to. */
export interface FinishedJob {
  readonly callId: string;
  readonly ran: Ran;
  /** None when hooks sent the model back. */
  readonly end?: JobEnd;
  /** The call as history keeps it: with the text that the user was shown. */
  shown(call: ToolCallRequest): ToolCallRequest;
}

/** Lets the hooks at preOutput look at the answer of a job that is done; they can send the model back. */
export async function finishJob(
  run: Run,
  call: ToolCallRequest,
  answer: string,
): Promise<FinishedJob> {
  const output = await release(run, answer, { viaJobDone: true });
  const isBack = output.kind === 'rework';
  const text = isBack ? '' : output.text;
  const about = { name: JOB_DONE, args: { answer: text } };
  const done = { ...about, reply: { content: 'Done' }, isRefused: false, durationMs: 0 };
  return {
    callId: call.id,
    ran: isBack ? refusal(about, output.feedback) : done,
    ...(!isBack && { end: { text, isBlocked: output.isBlocked } }),
    shown: (other) =>
      other.id === call.id
        ? { ...other, function: { name: JOB_DONE, arguments: JSON.stringify({ answer: text }) } }
        : other,
  };
}
