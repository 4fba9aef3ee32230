import { defaultReason, failedReason, PLAIN_ALLOW, type Decision } from '../../sdk/decisions.ts';
import type { FailureCode } from '../../sdk/errors.ts';
import { LIMITS } from '../../sdk/limits.ts';
import type { FailPolicy } from '../../sdk/manifest.ts';
import { parseDecision } from '../../sdk/parse-decision.ts';
import { POINTS, type Point } from '../../sdk/points.ts';
import { cleanInjections, injectedChars } from './injections.ts';

/** A payload, or the part of it that a hook may see. */
export type Payload = Readonly<Record<string, unknown>>;

/** A hook as the chain sees it. */
export interface ChainHook {
  readonly name: string;
  /** The policy that holds for it at this point. */
  readonly failPolicy: FailPolicy;
  readonly granted: readonly string[];
  /** Bag keys that it may write. */
  readonly outputs: readonly string[];
}

/** What a hook is about to be given. */
export interface ChainView {
  readonly point: Point;
  /** As the hooks before left it. */
  readonly payload: Payload;
  /** Bag values that the hooks before published in this chain. */
  readonly outputs: Payload;
}

/** What came back from where the hook ran. */
export type RunOutcome = RunAnswer | RunFailure;

interface RunAnswer {
  readonly ok: true;
  /** JSON text. */
  readonly answer: string;
  readonly ms: number;
  /** The payload as the hook was given it; asked for only when the hook changes something. */
  delivered(): Payload;
}

interface RunFailure extends Failure {
  readonly ok: false;
  readonly ms: number;
}

/**
 * Runs one hook somewhere. Should not reject; a rejection counts as a crash. `following` are the hooks that get their
 * turn with the same view if this one changes nothing.
 */
export type RunHook<H> = (hook: H, view: ChainView, following: readonly H[]) => Promise<RunOutcome>;

/** Why a hook gave no decision. */
export interface Failure {
  readonly code: FailureCode;
  readonly detail: string;
  /** Where a process was lost: whose call ended it, and whose was beside it. */
  readonly role?: 'culprit' | 'bystander' | undefined;
}

/** A hook's decision: its own, or the one its failPolicy makes of a failure. */
export interface Answer {
  readonly decision: Decision;
  readonly failure?: Failure;
  /** Set where the policy is `abort`. */
  readonly endsRun?: true;
  readonly ms: number;
}

/** Limits of what a decision may carry. */
export interface DecisionLimits {
  /** Of all injections of one decision together; `null` is none. */
  readonly injectionChars: number | null;
}

/** One hook's turn in a chain. */
export interface HookTurn<H> {
  readonly hook: H;
  readonly view: ChainView;
  readonly following?: readonly H[];
  readonly limits: DecisionLimits;
  readonly run: RunHook<H>;
}

/** Calls one hook and turns whatever comes of it into a decision. Never rejects. */
export async function callHook<H extends ChainHook>(turn: HookTurn<H>): Promise<Answer> {
  const { hook, view } = turn;
  let outcome: RunOutcome;
  try {
    outcome = await turn.run(hook, view, turn.following ?? []);
  } catch {
    // The error may hold anything, payload contents included: only that there was one goes on.
    outcome = { ok: false, code: 'crash', detail: 'the host could not run it', ms: 0 };
  }
  if (!outcome.ok) return settleFailure(hook, view.point, outcome);
  if (outcome.answer === PLAIN_ALLOW) return { decision: ALLOW, ms: outcome.ms };
  const parsed = readAnswer(turn, outcome);
  if (!('decision' in parsed))
    return settleFailure(hook, view.point, { ...parsed, ms: outcome.ms });
  return { decision: parsed.decision, ms: outcome.ms };
}

const ALLOW: Decision = { action: 'allow' };

function readAnswer<H extends ChainHook>(
  turn: HookTurn<H>,
  outcome: RunAnswer,
): { readonly decision: Decision } | Failure {
  const { hook, view, limits } = turn;
  let seen: Payload | undefined;
  const parsed = parseDecision(outcome.answer, {
    point: view.point,
    granted: hook.granted,
    get delivered() {
      return (seen ??= outcome.delivered());
    },
  });
  if (!parsed.ok) return parsed;
  const decision = cleanInjections(parsed.decision);
  const detail = excess(decision, hook, limits);
  if (detail !== undefined) return { code: 'invalid_decision', detail };
  return { decision: withReason(decision, hook.name) };
}

/** What a well-formed decision carries beyond its limits and its manifest. */
function excess(decision: Decision, hook: ChainHook, limits: DecisionLimits): string | undefined {
  const { inject = [], outputs } = decision;
  if (limits.injectionChars !== null && injectedChars(inject) > limits.injectionChars) {
    return `Context injection exceeds ${limits.injectionChars} characters`;
  }
  if (outputs === undefined) return undefined;
  if (Object.keys(outputs).some((key) => !hook.outputs.includes(key))) {
    return 'outputs has a key that hook.json does not declare';
  }
  const isLarge = JSON.stringify(outputs).length > LIMITS.storeValueBytes;
  return isLarge ? `outputs are longer than ${LIMITS.storeValueBytes} characters` : undefined;
}

/** The decision with a reason of bounded length; a block always has one. */
function withReason(decision: Decision, hook: string): Decision {
  if (decision.action !== 'block' && decision.action !== 'ask') return decision;
  const { reason } = decision;
  if (reason === undefined || reason.trim() === '')
    return { ...decision, reason: defaultReason(hook) };
  // A UTF-8 character takes at most three bytes per UTF-16 unit.
  if (reason.length * 3 <= LIMITS.reasonBytes) return decision;
  const { read } = new TextEncoder().encodeInto(reason, new Uint8Array(LIMITS.reasonBytes));
  return read === reason.length ? decision : { ...decision, reason: `${reason.slice(0, read)}…` };
}

/** The decision that a failure becomes. A failure never lets more pass than the policy says. */
function settleFailure(
  hook: ChainHook,
  point: Point,
  { code, detail, role, ms }: Failure & { readonly ms: number },
): Answer {
  const failure = { code, detail, ...(role !== undefined && { role }) };
  switch (hook.failPolicy) {
    case 'open':
      return { decision: ALLOW, failure, ms };
    case 'abort':
      return { decision: blocked(hook), failure, endsRun: true, ms };
    case 'closed':
      return { decision: closed(hook, point), failure, ms };
  }
}

function closed(hook: ChainHook, point: Point): Decision {
  const row = POINTS[point];
  switch (row.closedFailure) {
    case 'block':
      return blocked(hook);
    case 'suppress':
      return { action: 'suppress' };
    case 'replace':
      return row.replaces === undefined
        ? blocked(hook)
        : { action: 'modify', payload: { [row.replaces]: failedReason(hook.name) } };
    case 'record':
      return ALLOW;
  }
}

function blocked(hook: ChainHook): Decision {
  return { action: 'block', reason: failedReason(hook.name) };
}
