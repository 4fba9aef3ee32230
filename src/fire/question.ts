import { ASK_DEFAULTS } from '../../sdk/decisions.ts';
import type { AccessTier } from '../config/runtime-config.ts';
import type { Question, Released } from '../approvals/approval.ts';
import { changesOf } from '../approvals/changes.ts';
import { outcomeOf } from '../chain/chain.ts';
import type { Settlement } from './settlement.ts';

/** Who asks where an access rule does; no hook can have this name. */
export const ACCESS = '(access)';

/** What a person is to be asked before a chain's result may stand; nothing when nobody needs to be. */
export function questionOf(settlement: Settlement, tier: AccessTier): Question | undefined {
  const { point, before, context, result } = settlement;
  const { verdict, leader, released, steps } = result;
  const isAsked = verdict.action === 'ask';
  const isGuarded = tier === 'confirm' || tier === 'review';
  if (!isAsked && !isGuarded) return undefined;
  const decision = leader?.answer.decision;
  const asked = decision?.action === 'ask' ? decision : undefined;
  const prompt = asked?.prompt ?? (isAsked ? ASK_DEFAULTS.prompt : accessPrompt(verdict.payload));
  const { sessionId, turnId, caller } = context;
  return {
    point,
    hook: isAsked ? (verdict.hook ?? '') : ACCESS,
    prompt,
    reason:
      verdict.reason ?? `Access rules ask for a ${tier === 'review' ? 'review' : 'confirmation'}`,
    options: asked?.options ?? ASK_DEFAULTS.options,
    timeoutMs: asked?.timeoutMs ?? ASK_DEFAULTS.timeoutMs,
    // A rule of the operator is not given up because a hook would let time decide.
    default: isGuarded ? 'deny' : (asked?.default ?? ASK_DEFAULTS.default),
    canRemember: tier !== 'review',
    payload: verdict.payload,
    changes: changesOf(
      before,
      steps.map(({ hook, answer }) => ({ hook: hook.name, decision: answer.decision })),
    ),
    released: isAsked ? releasedOf(released, verdict.isModified) : unasked(verdict.isModified),
    context: {
      ...(sessionId !== undefined && { sessionId }),
      ...(turnId !== undefined && { turnId }),
      ...(caller !== undefined && { caller }),
    },
  };
}

function accessPrompt({ toolName }: Readonly<Record<string, unknown>>): string {
  return `Allow the tool "${String(toolName)}"?`;
}

function releasedOf(leader: Settlement['result']['released'], isModified: boolean): Released {
  const { action, result, isError, feedback, text } = outcomeOf(leader);
  // The chain ranks by precedence: below an ask there is neither another nor a block.
  if (action === 'allow' || action === 'block' || action === 'ask') return unasked(isModified);
  return {
    action,
    ...(result !== undefined && { result }),
    ...(isError !== undefined && { isError }),
    ...(feedback !== undefined && { feedback }),
    ...(text !== undefined && { text }),
  };
}

function unasked(isModified: boolean): Released {
  return { action: isModified ? 'modify' : 'allow' };
}
