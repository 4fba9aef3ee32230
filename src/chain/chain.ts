import { failedReason } from '../../sdk/decisions.ts';
import { POINTS, type Point } from '../../sdk/points.ts';
import type { TraceEntry, Verdict } from '../verdict.ts';
import {
  callHook,
  type Answer,
  type ChainHook,
  type DecisionLimits,
  type Payload,
  type RunHook,
} from './call.ts';
import { FOLDS, rankLeaders, startTally, type Leader, type Tally } from './combine.ts';

/** One run of a point's chain. */
export interface ChainRequest<H> {
  readonly point: Point;
  /** In the order they run. */
  readonly hooks: readonly H[];
  readonly payload: Payload;
  readonly limits: DecisionLimits;
  readonly run: RunHook<H>;
}

/** What a chain decided, before the runtime adds its id and holds the changes against schemas. */
export interface ChainVerdict extends Omit<Verdict, 'id' | 'payload' | 'approval'> {
  readonly payload: Payload;
}

/** A chain's verdict and how it came about. */
export interface ChainResult<H> {
  readonly verdict: ChainVerdict;
  /** Every answer, in order; for records and metrics. */
  readonly steps: readonly Step<H>[];
  /** Whose decision it is; none when every hook allows. */
  readonly leader: Leader | undefined;
  /** The next lower action: what stands when a person grants an `ask`. */
  readonly released: Leader | undefined;
  /** Who changed the payload last. */
  readonly modifiedBy: string | undefined;
}

/** One hook's answer in a chain. */
export interface Step<H> {
  readonly hook: H;
  readonly answer: Answer;
}

/**
 * Runs the hooks one after the other, each on what the one before left, and combines what they answer. A block ends the
 * chain and `notRun` names the rest; changes are kept whatever the final action is. Never rejects.
 */
export async function runChain<H extends ChainHook>(
  request: ChainRequest<H>,
): Promise<ChainResult<H>> {
  const { point, hooks, limits, run } = request;
  const fold = FOLDS[POINTS[point].kind];
  const tally = startTally(request.payload);
  const steps: Step<H>[] = [];
  for (const [at, hook] of hooks.entries()) {
    const view = { point, payload: tally.payload, outputs: tally.outputs };
    const following = hooks.slice(at + 1);
    const answer = await callHook({ hook, view, following, limits, run });
    steps.push({ hook, answer });
    if (!fold(tally, { hook: hook.name, answer })) break;
  }
  return conclude(tally, steps, hooks);
}

function conclude<H extends ChainHook>(
  tally: Tally,
  steps: readonly Step<H>[],
  hooks: readonly H[],
): ChainResult<H> {
  const [leader, released] = rankLeaders(tally);
  const { payload, isModified, modifiedBy, inject, notices, outputs, retry } = tally;
  const verdict = {
    ...outcomeOf(leader),
    payload,
    isModified,
    inject,
    notices,
    outputs,
    ...(retry !== undefined && { retry }),
    ...(tally.suppressOutput && { suppressOutput: true as const }),
    ...(tally.endsRun && { endsRun: true as const }),
    trace: steps.map(traceOf),
    notRun: hooks.slice(steps.length).map((hook) => hook.name),
  };
  return { verdict, steps, leader, released, modifiedBy };
}

/** The part of a verdict that says what happens, from the decision that leads. */
export function outcomeOf(
  leader: Leader | undefined,
): Pick<
  Verdict,
  'action' | 'hook' | 'reason' | 'code' | 'result' | 'isError' | 'feedback' | 'text'
> {
  if (leader === undefined) return { action: 'allow' };
  const { hook, answer } = leader;
  const { decision, failure } = answer;
  const by = {
    hook,
    ...(failure !== undefined && { code: failure.code, reason: failedReason(hook) }),
  };
  switch (decision.action) {
    case 'allow':
    case 'modify':
      return { action: decision.action, ...by };
    case 'block':
    case 'ask':
      return {
        action: decision.action,
        ...by,
        ...(decision.reason !== undefined && { reason: decision.reason }),
      };
    case 'rework':
      return { action: 'rework', ...by, feedback: decision.feedback };
    case 'suppress':
      return {
        action: 'suppress',
        ...by,
        ...(decision.text !== undefined && { text: decision.text }),
      };
    case 'result':
      return {
        action: 'result',
        ...by,
        result: decision.result,
        isError: decision.isError ?? false,
      };
  }
}

function traceOf({ hook, answer }: Step<ChainHook>): TraceEntry {
  const { decision, failure, ms } = answer;
  const reason = 'reason' in decision ? decision.reason : undefined;
  return {
    hook: hook.name,
    action: decision.action,
    ...(failure !== undefined && { code: failure.code }),
    ...(reason !== undefined && { reason }),
    ms,
  };
}
