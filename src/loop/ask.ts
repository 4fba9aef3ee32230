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
  /** It was asked by a process that has ended since. */
  readonly isTakenUp?: boolean;
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

/** A question to a person. */
export interface Asking {
  /** Under which it is answered. */
  readonly approvalId: string;
  /** Asks, the first time; settles once there is an answer, or none will come. */
  ask(): Promise<unknown>;
  /** Asks; what the answer makes of the call. What is granted is used up by this, under rules and budgets as they are then. */
  settle(): Promise<SettledAsk>;
}

/** Makes a question to a person: through the loop's own callback, the command line, the API or another process. */
export function createAsking(asked: Asked, parts: AskParts): Asking {
  const { point, payload, hook, approval } = asked;
  const { options, emit, tell, sessionId, signal } = parts;
  const { approvals } = options.runtime;
  const about = { id: approval.id, point, ...(hook !== undefined && { hook }) };

  let answered: Promise<ApprovalOutcome> | undefined;
  const ask = (): Promise<ApprovalOutcome> => (answered ??= tellAndWait());

  async function tellAndWait(): Promise<ApprovalOutcome> {
    const view = await approvals.show(approval.id);
    // Of what was answered while nobody was there, nobody needs to be told.
    if (view.status === 'pending' || asked.isTakenUp !== true) {
      await tell('approval:required', about);
      emit({ type: 'approval', approval: view });
    }
    return waitForAnswer(approval.id, parts);
  }

  async function settle(): Promise<SettledAsk> {
    const given = await ask();
    const note = given.note === undefined ? {} : { note: given.note };
    if (given.status !== 'granted') {
      await tell('approval:denied', about);
      return { action: 'block', reason: given.reason, ...note };
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

  return { approvalId: approval.id, ask, settle };
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
