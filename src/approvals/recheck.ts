import type { AccessRules } from '../access/access-rules.ts';
import type { Budgets } from '../budgets/budgets.ts';
import { neverReason, tierOf } from '../fire/settlement.ts';
import type { Catalog } from '../packages/catalog.ts';
import type { Recheck } from './approvals.ts';

/** What decides on a granted call besides people. */
export interface OfficeRules {
  readonly access: AccessRules;
  readonly budgets: Budgets;
  readonly catalog: Catalog;
}

/** Holds a granted call against the access rules, the block list and the budgets as they are when it runs. */
export function createRecheck({ access, budgets, catalog }: OfficeRules): Recheck {
  return async ({ point, payload, context: { sessionId, caller }, hooks }) => {
    if (point === 'preToolUse' && tierOf(access, payload) === 'never') {
      return { code: 'access', reason: neverReason(payload) };
    }
    const refused = hooks.find((hook) => isUntrusted(catalog, hook));
    if (refused !== undefined) {
      const reason = `Hook "${refused}" had a hand in it, and is not trusted any more`;
      return { code: 'untrusted', reason };
    }
    if (sessionId === undefined) return undefined;
    const spender = { sessionId, userId: caller?.userId, orgId: caller?.orgId };
    const reason = await budgets.objection(spender);
    return reason === undefined ? undefined : { code: 'budget', reason };
  };
}

/** Whether the trust policy refuses the package of a hook; `hook` may name one of its handlers. */
function isUntrusted({ hooks }: Catalog, hook: string): boolean {
  return hooks.some(
    ({ name, failure }) =>
      failure?.code === 'untrusted' && (name === hook || hook.startsWith(`${name}/`)),
  );
}
