import type { Point } from '../../sdk/points.ts';
import type { Answer, ApprovalOutcome } from '../approvals/approval.ts';
import type { Payload } from '../chain/call.ts';
import type { OnEvent } from './client-events.ts';
import type { AgentOptions } from './options.ts';
import type { Outcome } from './scene.ts';

/** A call that waits for a person. */
export interface Asked {
  readonly point: Point;
  readonly payload: Payload;
  readonly hook?: string;
  readonly approval: { readonly id: string };
}

/** What asking needs. */
export interface AskParts {
  readonly options: AgentOptions;
  readonly emit: OnEvent;
  /** Fires a named event. */
  readonly tell: (name: string, data: Payload) => Promise<void>;
  readonly sessionId: string;
  readonly signal: AbortSignal | undefined;
}

/** What a person's answer makes of a call. */
export type SettledAsk = Pick<
  Outcome,
  'action' | 'reason' | 'result' | 'isError' | 'feedback' | 'text' | 'note'
>;

/**
 * Asks a person and waits for the answer: of the loop's own callback, or from the command line, the API or another
 * process. What is granted is used up at once, under rules and budgets as they are now.
 */
export async function settleAsk(asked: Asked, parts: AskParts): Promise<SettledAsk> {
  const { point, payload, hook, approval } = asked;
  const { options, emit, tell, sessionId, signal } = parts;
  const { approvals } = options.runtime;
  const about = { id: approval.id, point, ...(hook !== undefined && { hook }) };
  await tell('approval:required', about);
  emit({ type: 'approval', approval: await approvals.show(approval.id) });
  const answered = await waitForAnswer(approval.id, parts);
  const note = answered.note === undefined ? {} : { note: answered.note };
  if (answered.status !== 'granted') {
    await tell('approval:denied', about);
    return { action: 'block', reason: answered.reason, ...note };
  }
  const redemption = await approvals.redeem(approval.id, payload, { sessionId });
  signal?.throwIfAborted();
  if (!redemption.ok) {
    await tell('approval:denied', about);
    return { action: 'block', reason: redemption.reason, ...note };
  }
  await tell('approval:granted', about);
  return { ...redemption.released, ...note };
}

async function waitForAnswer(id: string, { options, signal }: AskParts): Promise<ApprovalOutcome> {
  const { approvals } = options.runtime;
  const { approve } = options;
  const over = new AbortController();
  const waiting = approvals.wait(id, signal === undefined ? {} : { signal });
  if (approve !== undefined) {
    const stop = signal === undefined ? over.signal : AbortSignal.any([signal, over.signal]);
    void askCallback(id, { options, approve, stop });
  }
  try {
    return await waiting;
  } finally {
    // Whoever still asks need not any more.
    over.abort();
  }
}

async function askCallback(
  id: string,
  parts: {
    readonly options: AgentOptions;
    readonly approve: NonNullable<AgentOptions['approve']>;
    readonly stop: AbortSignal;
  },
): Promise<void> {
  const { approvals } = parts.options.runtime;
  const view = await approvals.show(id);
  // Remembered for the session: nobody needs to be asked.
  if (view.status !== 'pending') return;
  let answer: Answer;
  try {
    const given = await parts.approve(view, parts.stop);
    answer = typeof given === 'string' ? { answer: given } : given;
  } catch {
    // A callback that fails has not said yes.
    answer = { answer: 'deny' };
  }
  // It may have been answered elsewhere, or its time may be up.
  await approvals.answer(id, { by: 'callback', ...answer }).catch(() => undefined);
}
