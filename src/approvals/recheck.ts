import type { AccessRules } from '../access/access-rules.ts';
import type { Budgets } from '../budgets/budgets.ts';
import { neverReason, tierOf } from '../fire/settlement.ts';
import type { Recheck } from './approvals.ts';

/** Holds a granted call against the access rules and the budgets as they are when it runs. */
export function createRecheck(access: AccessRules, budgets: Budgets): Recheck {
  return async (point, payload, { sessionId, caller }) => {
    if (point === 'preToolUse' && tierOf(access, payload) === 'never') {
      return { code: 'access', reason: neverReason(payload) };
    }
    if (sessionId === undefined) return undefined;
    const spender = { sessionId, userId: caller?.userId, orgId: caller?.orgId };
    const reason = await budgets.objection(spender);
    return reason === undefined ? undefined : { code: 'budget', reason };
  };
}
