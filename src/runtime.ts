import type { FailPolicy } from '../sdk/manifest.ts';
import type { PayloadInput, Point } from '../sdk/points.ts';
import type { Action } from '../sdk/decisions.ts';
import type { ErrorCode, FailureCode, SignalboxError } from '../sdk/errors.ts';
import type { SandboxKind } from '../host/sandbox.ts';
import type { Approvals } from './approvals/approval.ts';
import type { Grants } from './grants/grants.ts';
import type { LiveFault } from './chaos/live-faults.ts';
import type { Coverage } from './coverage/coverage.ts';
import type { MaskedFailure } from './coverage/masked-failures.ts';
import type { Mode } from './modes/mode-change.ts';
import type { ModeOrder } from './modes/mode-request.ts';
import type { Origin } from './packages/catalog.ts';
import type { ReloadReport } from './reload/differences.ts';
import type { ReloadOrder } from './reload/reloader.ts';
import type { SessionHooks } from './agent-os/attachments.ts';
import type { BagKey } from './agent-os/bag.ts';
import type { HookMetric } from './agent-os/hook-metrics.ts';
import type { TranscriptLine } from './agent-os/transcript.ts';
import type { Context, Verdict } from './verdict.ts';

/** A hook as operators see it. */
export interface InventoryRow {
  readonly hook: string;
  readonly label?: string;
  readonly description?: string;
  readonly origin: Origin;
  readonly sandbox: SandboxKind;
  readonly contract: string;
  readonly capabilities: {
    readonly declared: readonly string[];
    readonly granted: readonly string[];
    readonly missing: readonly string[];
  };
  /** One entry per point it is bound to; `order` counts from 1 within the point's chain. */
  readonly points: readonly {
    readonly point: Point;
    readonly failPolicy: FailPolicy;
    readonly order: number;
  }[];
  readonly priority: number;
  readonly timeoutMs: number;
  readonly memoryMb: number;
  readonly mode: 'enforce' | 'shadow';
  /** `failing`: it stands in the chain and every call fails by its failPolicy. */
  readonly state: 'live' | 'failing';
  readonly failure?: { readonly code: FailureCode; readonly detail: string };
  readonly config: Readonly<Record<string, unknown>>;
}

/** What is in the chain, and what is not and why. */
export interface Inventory {
  readonly hooks: readonly InventoryRow[];
  readonly absent: readonly {
    readonly hook: string;
    readonly origin: Origin;
    readonly reason: string;
    readonly code?: ErrorCode;
    readonly detail?: string;
    readonly hint?: string;
  }[];
  readonly warnings: readonly SignalboxError[];
  /** Hooks that failed within the last five minutes and whose failPolicy let the call pass. */
  readonly masked: readonly MaskedFailure[];
  /** A fault that an operator put in the place of a hook, as long as it is there. */
  readonly fault?: LiveFault;
  /** `degraded` when a hook is failing, absent for an error, failed of late and let calls pass, or is made to fail. */
  readonly health: 'ok' | 'degraded';
}

/** One test of a hook or of a point's chain, through the live path. */
export interface TestRequest {
  readonly point: Point;
  /** Without one, the whole chain of the point runs. */
  readonly hookName?: string;
  readonly payload: unknown;
  readonly context?: Context;
}

/** What a test came to; the shape of Amodal's test endpoint. */
export interface TestReport {
  readonly action: Action;
  readonly reason?: string;
  readonly code?: string;
  readonly input: unknown;
  readonly output: unknown;
  readonly modified: boolean;
  readonly blocked: boolean;
  readonly hooks: readonly {
    readonly name: string;
    readonly action: Action;
    readonly code?: FailureCode;
    readonly reason?: string;
    /** What went wrong in a hook that failed, in its own words. */
    readonly detail?: string;
    /** The words of a question, the note of a change. */
    readonly said?: readonly string[];
    readonly ms: number;
  }[];
  readonly notRun: readonly string[];
  readonly logs: readonly { readonly hook: string; readonly line: string }[];
  readonly verdict: Verdict;
}

/** The hook host of one process. The maker closes it. */
export interface Runtime {
  /** Runs the chain of a point. Rejects only for a payload that does not fit (`payload_invalid`) and when closed. */
  fire<P extends Point>(point: P, payload: PayloadInput<P>, context?: Context): Promise<Verdict<P>>;
  /** Runs one hook or a chain as `test`: no store row, approval or audit count is written. */
  test(request: TestRequest): Promise<TestReport>;
  inventory(): Inventory;
  /** What operators take from hooks while they run. */
  readonly grants: Grants;
  /** What hooks ask of people, and the answers. */
  readonly approvals: Approvals;
  /** Hooks of agent-os by session: granted, revoked and listed while it runs; who did is kept. */
  readonly sessionHooks: SessionHooks;
  /** What was counted since the start, by hook and point. */
  hookMetrics(): readonly HookMetric[];
  /** Which points, ways in and hooks were reached since the start, and what passed by. */
  coverage(): Coverage;
  /** The keys that hooks share, with who writes and who reads them. */
  bag(): readonly BagKey[];
  /** What hooks did in a session to tool calls, tool results and model requests, oldest first. */
  transcript(sessionId: string): Promise<readonly TranscriptLine[]>;
  /**
   * Takes over what runtime.json, the hooks and the lock say now. All of it is checked and started first; turns that run end
   * with the hooks they began with. Rejects with what is wrong, and then nothing has changed.
   */
  reload(order: ReloadOrder): Promise<ReloadReport>;
  /**
   * Puts a hook into shadow mode or out of it, from its next call on, those of running turns included; kept across restarts.
   * Rejects with `mode_refused` when a guard would be taken down without force and a reason.
   */
  setMode(hook: string, mode: Mode, order: ModeOrder): Promise<void>;
  /** Drops what hooks remember of a session. */
  endSession(sessionId: string): void;
  /** Stops taking calls, lets those that run finish, ends every sandbox. */
  close(): Promise<void>;
}
