import type { Parked } from '../history/history.ts';
import type { MessageDraft, ToolCallRequest } from '../history/message.ts';
import type { ModelAnswer } from '../model/model.ts';
import type { Run } from '../run-state.ts';
import { JOB_DONE, type FinishedJob } from './job-done.ts';
import { openGate, reopenGate, type OpenGate } from './tool-gate.ts';

/** A call that hooks have looked at. */
export interface Waiting {
  readonly call: ToolCallRequest;
  readonly gate: OpenGate;
}

/** Keeps which calls wait, by their approvals; why the answer may not be kept. */
export type Keep = (ids: Parked['approvals']) => Promise<string | undefined>;

/**
 * Stores an answer before people are asked, so that what they say outlives the process. One that ends the job is stored
 * with what hooks make of its text, which comes later.
 */
export function keeperOf(run: Run, answer: ModelAnswer): Keep | undefined {
  const { history, options } = run;
  const isJob = answer.toolCalls.some(({ function: { name } }) => name === JOB_DONE);
  if (isJob && options.jobDone === true) return undefined;
  return async (ids) => {
    if (history.parked() !== undefined) {
      await history.park(ids);
      return undefined;
    }
    const stored = await history.append(messageOf(answer), ids);
    return stored.ok ? undefined : stored.reason;
  };
}

/** What people are asked, by the ids of the calls. */
export function askedIn(gates: readonly Waiting[]): Parked['approvals'] {
  return Object.fromEntries(
    gates.flatMap(({ call, gate: { asking } }) =>
      asking === undefined ? [] : [[call.id, asking.approvalId] as const],
    ),
  );
}

/** The answer as it is stored. */
export function messageOf(answer: ModelAnswer, job?: FinishedJob): MessageDraft {
  return {
    role: 'assistant',
    content: answer.text,
    toolCalls: answer.toolCalls.map((call) => job?.shown(call) ?? call),
  };
}

/** What calls are looked at with, and where what they came to goes. */
interface Look {
  readonly calls: readonly ToolCallRequest[];
  readonly gates: Waiting[];
  /** None where the answer cannot be kept yet. */
  readonly keep: Keep | undefined;
  /** What people were asked before the process ended. */
  readonly approvals?: Parked['approvals'];
}

/**
 * Has hooks look at one call after the other. People are asked as soon as the question is kept, and may take minutes: the
 * next call need not wait to be looked at. Gives a reason where the answer may not be kept.
 */
export async function lookAt(run: Run, { calls, gates, keep, approvals = {} }: Look) {
  const { parentToolCallId } = run;
  for (const call of calls) {
    const known = Object.hasOwn(approvals, call.id) ? approvals[call.id] : undefined;
    const gate =
      known === undefined
        ? await openGate(run, call, { parentToolCallId })
        : await reopenGate(run, call, known);
    gates.push({ call, gate });
    if (gate.asking === undefined) continue;
    const reason = known === undefined ? await keep?.(askedIn(gates)) : undefined;
    if (reason !== undefined) return reason;
    // Who settles it hears of its failure.
    gate.asking.ask().catch(() => undefined);
  }
  return undefined;
}
