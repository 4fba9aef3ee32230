import type { Action } from '../../sdk/decisions.ts';
import type { Point } from '../../sdk/points.ts';
import type { Payload } from '../chain/call.ts';
import type { Context } from '../verdict.ts';
import type { Change } from './changes.ts';

/** How far an approval is. `forged`: its row was changed by something without the key. */
export type ApprovalStatus =
  'pending' | 'granted' | 'denied' | 'expired' | 'used' | 'cancelled' | 'forged';

/** What happens when an ask is granted: the chain's next lower action. */
export interface Released {
  readonly action: Exclude<Action, 'block' | 'ask'>;
  readonly result?: unknown;
  readonly isError?: boolean;
  readonly feedback?: string;
  readonly text?: string;
}

/** What a person is asked. */
export interface Question {
  readonly point: Point;
  /** Who asks: a hook, or an access rule. */
  readonly hook: string;
  readonly prompt: string;
  readonly reason: string;
  readonly options: readonly string[];
  readonly timeoutMs: number;
  readonly default: 'allow' | 'deny';
  /** Whether "allow always" holds for the rest of the session. */
  readonly canRemember: boolean;
  /** Exactly what will run. */
  readonly payload: Payload;
  readonly changes: readonly Change[];
  readonly released: Released;
  readonly context: Pick<Context, 'sessionId' | 'turnId' | 'caller'>;
}

/** An approval without what it is about. */
export interface ApprovalSummary {
  readonly id: string;
  readonly status: ApprovalStatus;
  readonly point: string;
  readonly hook: string;
  readonly toolName?: string;
  readonly sessionId?: string;
  readonly turnId?: string;
  readonly toolCallId?: string;
  /** Of exactly what will run. */
  readonly hash: string;
  /** ISO 8601 in UTC. */
  readonly createdAt: string;
  /** Until when it can be answered; once granted, until when it can be used. */
  readonly expiresAt: string;
  readonly answeredBy?: string;
}

/** An approval as a person sees it. What was asked is there until it is settled. */
export interface ApprovalView extends ApprovalSummary {
  readonly question?: Pick<Question, 'prompt' | 'reason' | 'options' | 'payload' | 'changes'>;
}

/** A person's answer. */
export interface Answer {
  /** Only "allow", "allow once" and "allow always" grant. */
  readonly answer: string;
  /** Goes to the model. */
  readonly note?: string | undefined;
  /** Who answered, for the records. */
  readonly by?: string | undefined;
}

/** What a person answered, or that nobody did. */
export type ApprovalOutcome =
  | { readonly status: 'granted'; readonly note?: string }
  | {
      readonly status: 'denied' | 'expired' | 'cancelled' | 'forged';
      readonly reason: string;
      readonly note?: string;
    };

/** Whether a granted call may run now. */
export type Redemption =
  | { readonly ok: true; readonly released: Released; readonly note?: string }
  | { readonly ok: false; readonly code: RefusalCode; readonly reason: string };

/** Why a grant is not honoured. */
export type RefusalCode =
  | 'approval_unknown'
  | 'approval_forged'
  | 'approval_replayed'
  | 'approval_mismatch'
  | 'approval_denied'
  | 'approval_expired'
  | 'approval_pending'
  | 'access'
  | 'budget'
  | 'untrusted';

/** What people are asked, and what they answered. */
export interface Approvals {
  /** Newest first, at most 1000. */
  list(filter?: {
    readonly status?: 'pending' | 'granted' | 'denied' | 'used';
    readonly sessionId?: string;
  }): Promise<readonly ApprovalSummary[]>;
  /** Rejects with `approval_unknown`. */
  show(id: string): Promise<ApprovalView>;
  /** Takes an answer as a person wrote it. Rejects with `approval_unknown`, `approval_settled`. */
  answer(id: string, answer: Answer): Promise<ApprovalSummary>;
  approve(
    id: string,
    options?: Omit<Answer, 'answer'> & { readonly always?: boolean },
  ): Promise<ApprovalSummary>;
  deny(id: string, options?: Omit<Answer, 'answer'>): Promise<ApprovalSummary>;
  /** Resolves when it is answered, here or in another process, or its time is up. An aborted wait takes the question back. */
  wait(id: string, options?: { readonly signal?: AbortSignal }): Promise<ApprovalOutcome>;
  /** What a call of a session was when a person was asked about it; for the session itself. */
  recall(
    id: string,
    of: { readonly sessionId: string; readonly toolCallId: string },
  ): Promise<{ readonly hook: string; readonly payload: Payload } | undefined>;
  /**
   * Uses a grant, once, for exactly the payload that was asked about. Access rules, budgets and the block list are
   * held against it again, hooks are not.
   */
  redeem(
    id: string,
    payload: Payload,
    options?: { readonly sessionId?: string | undefined },
  ): Promise<Redemption>;
}
