import type { Action } from '../../sdk/decisions.ts';
import type { FailureCode } from '../../sdk/errors.ts';
import type { Point } from '../../sdk/points.ts';
import type { Answer } from '../chain/call.ts';
import type { Step } from '../chain/chain.ts';
import { plainId, type Scrub } from '../records/scrub.ts';
import type { RuntimeCode, Verdict } from '../verdict.ts';
import type { BoundHook } from './bound-hook.ts';
import type { FireFacts } from './decision-log.ts';

/** What one hook did in a fire, without anything of the data it saw. */
export interface ObservedRun {
  readonly hook: string;
  /** Absent for local hooks. */
  readonly package?: string;
  readonly version?: string;
  /** What it came to; for a failure, what the failPolicy made of it. */
  readonly action: Action;
  readonly code?: FailureCode;
  /** As records keep it. */
  readonly reason?: string;
  readonly ms: number;
  readonly modified: boolean;
}

/** A fire with its verdict. */
export interface ObservedFire {
  /** The id of the verdict. */
  readonly fireId: string;
  readonly point: Point;
  readonly sessionId?: string;
  readonly turnId?: string;
  readonly agentId?: string;
  readonly toolCallId?: string;
  /** As the caller or the model wrote it, cut like an id. */
  readonly toolName?: string;
  readonly traceparent?: string;
  /** Milliseconds since 1970. */
  readonly startTime: number;
  /** From the call to the verdict, what had to be recorded included. */
  readonly ms: number;
  readonly action: Action;
  /** Whose decision it is. */
  readonly hook?: string;
  readonly code?: FailureCode | RuntimeCode;
  readonly reason?: string;
  readonly approvalId?: string;
  readonly hooks: readonly ObservedRun[];
  readonly notRun: readonly string[];
}

/** Which fire a run in shadow mode follows. */
export type ShadowedFacts = Pick<ObservedFire, 'fireId' | 'point'>;

/**
 * Looks on while hooks decide. It is told within the fire's own task, before the caller has the verdict: whatever takes
 * longer than a note is for later. What it throws is dropped.
 */
export interface FireObserver {
  /** A verdict is final and what had to be recorded is kept. Calls that no hook looks at have none to tell. */
  onVerdict(fire: ObservedFire): void;
  /** What a hook in shadow mode would have done, some time after the verdict. */
  onShadow?(fire: ShadowedFacts, run: ObservedRun): void;
}

/** The observers of a runtime's fires. */
export interface FireObservers {
  /** Returns what takes it off again. */
  add(observer: FireObserver): () => void;
  /** All of them as one that never throws; `undefined` when there is none. */
  readonly current: Required<FireObserver> | undefined;
}

/** No observers yet. */
export function createFireObservers(): FireObservers {
  let observers: readonly FireObserver[] = [];
  const each = (tell: (observer: FireObserver) => void): void => {
    for (const observer of observers) {
      try {
        tell(observer);
      } catch {
        // Looking on must not change what is looked at.
      }
    }
  };
  const all: Required<FireObserver> = {
    onVerdict: (fire) => each((observer) => observer.onVerdict(fire)),
    onShadow: (fire, run) => each((observer) => observer.onShadow?.(fire, run)),
  };
  return {
    add(observer) {
      observers = [...observers, observer];
      return () => {
        observers = observers.filter((other) => other !== observer);
      };
    },
    get current() {
      return observers.length === 0 ? undefined : all;
    },
  };
}

/** What a fire came to. */
export interface FireOutcome {
  readonly facts: FireFacts;
  readonly steps: readonly Step<BoundHook>[];
  readonly verdict: Verdict;
  readonly startTime: number;
  readonly ms: number;
}

/** Writes down a fire for observers; reasons as far as records keep them. */
export function observedFire(
  { facts, steps, verdict, startTime, ms }: FireOutcome,
  scrub: Scrub,
): ObservedFire {
  const { fireId, point, context, toolCallId } = facts;
  const { sessionId, turnId, agent, traceparent } = context;
  const toolName = 'toolName' in verdict.payload ? verdict.payload.toolName : undefined;
  const { action, hook, code, approval, notRun } = verdict;
  const reason = keptReason(verdict.reason, scrub);
  return {
    fireId,
    point,
    ...(sessionId !== undefined && { sessionId: plainId(sessionId) }),
    ...(turnId !== undefined && { turnId: plainId(turnId) }),
    ...(agent !== undefined && { agentId: plainId(agent.id) }),
    ...(toolCallId !== undefined && { toolCallId: plainId(toolCallId) }),
    ...(typeof toolName === 'string' && { toolName: plainId(toolName) }),
    ...(traceparent !== undefined && { traceparent: plainId(traceparent) }),
    startTime,
    ms,
    action,
    ...(hook !== undefined && { hook }),
    ...(code !== undefined && { code }),
    ...(reason !== undefined && { reason }),
    ...(approval !== undefined && { approvalId: approval.id }),
    hooks: steps.map((step) => observedRun(step, scrub)),
    notRun,
  };
}

/** Writes down a run for observers. */
export function observedRun({ hook, answer }: Step<BoundHook>, scrub: Scrub): ObservedRun {
  const { origin } = hook.entry;
  const { decision, failure, ms } = answer;
  const reason = keptReason(failure === undefined ? saidIn(decision) : failure.detail, scrub);
  return {
    hook: hook.name,
    ...(origin.kind === 'package' && { package: origin.name, version: origin.version }),
    action: decision.action,
    ...(failure !== undefined && { code: failure.code }),
    ...(reason !== undefined && { reason }),
    ms,
    modified: decision.action === 'modify',
  };
}

/** The words that a decision comes with. */
export function saidIn(decision: Answer['decision']): string | undefined {
  if ('reason' in decision) return decision.reason;
  return decision.action === 'modify' ? decision.note : undefined;
}

function keptReason(text: string | undefined, scrub: Scrub): string | undefined {
  return text === undefined ? undefined : scrub(text);
}
