import type { Action, Injection, Notice, RetryControl } from '../sdk/decisions.ts';
import type { FailureCode } from '../sdk/errors.ts';
import type { Payloads, Point } from '../sdk/points.ts';

/** Who is behind a call. The host sets it from what it verified, never from the model. */
export interface Caller {
  readonly userId?: string;
  readonly source?: 'chat' | 'automation' | 'webhook' | 'intent' | 'skill';
  readonly orgId?: string;
}

/** Where in an agent's life a point fires. */
export interface Context {
  /** Without one, the call is a session of its own. */
  readonly sessionId?: string;
  readonly turnId?: string;
  readonly agent?: {
    readonly id: string;
    readonly template?: string;
    readonly parent?: string;
    readonly depth?: number;
    readonly tools?: readonly string[];
  };
  readonly caller?: Caller;
  /** JSON Schema of the tool that a tool point is about; rewritten arguments are held against it. */
  readonly toolSchema?: object;
  /** Schemas of the tools that a hook may change the call to, by name; a call of any other is blocked. */
  readonly toolSchemas?: Readonly<Record<string, object>>;
  readonly budget?: { readonly total: number; readonly spent: number; readonly remaining: number };
  readonly requestId?: string;
  /** The execution in contracts that have sides and prompts: which of them is at work, and how many requests it has made. */
  readonly execution?: {
    readonly side?: 'a' | 'b';
    readonly step?: number;
    /** The active prompt; that of the agent's side, if absent. */
    readonly prompt?: string;
    /** Nothing executes: a message is stored or changed from outside. */
    readonly isAtRest?: boolean;
    /** The stored messages so far; only hooks of such a contract that may read them are told. */
    readonly messageHistory?: readonly object[];
  };
  /** Whether the caller puts what hooks ask before a person, or waits for the answer; absent, whether there is a queue of approvals says so. Else an ask is a block. */
  readonly canAsk?: boolean;
  /** The payload is a piece of what is not whole yet: hooks decide on the whole again, so nobody is asked now and no turn is counted. */
  readonly isPiece?: boolean;
  /** The span that the call is part of, as W3C Trace Context writes it; the active one of OpenTelemetry, if absent. */
  readonly traceparent?: string;
  readonly signal?: AbortSignal;
}

/** What one hook did in a fire. */
export interface TraceEntry {
  readonly hook: string;
  readonly action: Action;
  readonly code?: FailureCode;
  readonly reason?: string;
  readonly ms: number;
}

/**
 * Why the runtime itself blocks: the changed payload fits no schema, an access rule is against it, a budget is used up,
 * nobody is there to ask, the model was sent back too often in one turn, what a hook with a closed failPolicy decided
 * could not be recorded, or a person's answer is not one that allows exactly this, now and once.
 */
export type RuntimeCode =
  | 'schema'
  | 'access'
  | 'budget'
  | 'no_approver'
  | 'rework_limit'
  | 'unrecorded'
  | 'approval_unknown'
  | 'approval_pending'
  | 'approval_denied'
  | 'approval_expired'
  | 'approval_forged'
  | 'approval_replayed'
  | 'approval_mismatch';

/** What the chain decided: the caller does what `action` says with `payload`. */
export interface Verdict<P extends Point = Point> {
  /** Unique; records carry it. */
  readonly id: string;
  readonly action: Action;
  readonly reason?: string;
  /** Why, when it is no hook's own decision: a failure's code, or what the runtime found. */
  readonly code?: FailureCode | RuntimeCode;
  /** Whose decision it is. */
  readonly hook?: string;
  /** The payload as the chain left it. */
  readonly payload: Payloads[P];
  readonly isModified: boolean;
  readonly result?: unknown;
  readonly isError?: boolean;
  readonly feedback?: string;
  readonly text?: string;
  readonly inject: readonly (Injection & { readonly hook: string })[];
  readonly notices: readonly (Notice & { readonly hook: string })[];
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly retry?: RetryControl;
  /** A hook keeps what it printed itself from the user's view; never what the point is about. */
  readonly suppressOutput?: true;
  /** An `abort` policy failed: the run ends. */
  readonly endsRun?: true;
  readonly approval?: { readonly id: string; readonly expiresAt: string; readonly hash: string };
  readonly trace: readonly TraceEntry[];
  /** Hooks that a block kept from running. */
  readonly notRun: readonly string[];
}
