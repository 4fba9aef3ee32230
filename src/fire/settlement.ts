import type { Point } from '../../sdk/points.ts';
import type { Payload } from '../chain/call.ts';
import type { ChainResult } from '../chain/chain.ts';
import type { Context, RuntimeCode } from '../verdict.ts';
import type { BoundHook } from './bound-hook.ts';
import type { PayloadChecks } from './payloads.ts';
import type { ToolCheck } from './tool-schema.ts';

/** What is against a chain's result. */
export interface Objection {
  readonly code: RuntimeCode;
  readonly reason: string;
  /** The hook that brought it about. */
  readonly hook: string;
}

/** What a chain's result is held against. */
export interface Settlement {
  readonly point: Point;
  /** The payload as the chain was given it. */
  readonly before: Payload;
  readonly context: Context;
  readonly result: ChainResult<BoundHook>;
  /** How often the model was sent back in this turn before. */
  readonly reworks: number;
  /** Whether a person can be asked, or nobody needs to be: a test shows an `ask` as it is. */
  readonly isAskable: boolean;
}

/** The model may be sent back this often in one turn; source: the design's decision table. */
const MAX_REWORKS = 2;

/** Makes the function that says why a chain's result must not stand; `undefined` when it may. */
export function createObjections(
  payloads: PayloadChecks,
  checkTool: ToolCheck,
): (settlement: Settlement) => Objection | undefined {
  return (settlement) => {
    const { verdict, modifiedBy } = settlement.result;
    if (verdict.action === 'allow' || verdict.action === 'block') return undefined;
    const hook = verdict.hook ?? '';
    const misfit = verdict.isModified ? misfitOf(settlement, payloads, checkTool) : undefined;
    if (misfit !== undefined) {
      const author = modifiedBy ?? hook;
      return {
        code: 'schema',
        hook: author,
        reason: `The call as hook "${author}" changed it cannot run: ${misfit}`,
      };
    }
    // Access rules have the last word here, on the payload as it would run.
    if (verdict.action === 'ask' && !settlement.isAskable) {
      return { code: 'no_approver', hook, reason: 'No approval system available' };
    }
    if (verdict.action === 'rework' && settlement.reworks >= MAX_REWORKS) {
      return {
        code: 'rework_limit',
        hook,
        reason: `Hook "${hook}" sent the model back more than ${MAX_REWORKS} times in one turn`,
      };
    }
    return undefined;
  };
}

function misfitOf(
  { point, before, context, result }: Settlement,
  payloads: PayloadChecks,
  checkTool: ToolCheck,
): string | undefined {
  const misfit = payloads.misfit(point, result.verdict.payload);
  if (misfit !== undefined) return misfit;
  // A result's arguments are what ran already: only a call that is still to come is held against the tool.
  return point === 'preToolUse' ? checkTool(before, result.verdict.payload, context) : undefined;
}
