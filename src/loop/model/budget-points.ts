import type { Spender } from '../../budgets/budgets.ts';
import type { ModelAnswer, ModelRequest, ModelUsage } from './model.ts';
import { plusUsage, type Run } from '../run-state.ts';

/** Why a budget is against another request; `undefined` when there is enough. Hooks see what is left from now on. */
export async function overBudget(run: Run, model: string): Promise<string | undefined> {
  const { budgets } = run.scene.runtime;
  run.scene.setBudget(await budgets.view(spenderOf(run)));
  return budgets.objection(spenderOf(run), model);
}

/** Charges an answer to the budgets and tells of thresholds that it passed. */
export async function chargeRequest(
  run: Run,
  request: ModelRequest,
  answer: ModelAnswer,
): Promise<ModelUsage> {
  const { budgets } = run.scene.runtime;
  // An API that does not count is counted for: a budget that nothing is charged to would be none.
  const usage = answer.usage ?? estimate(request, answer);
  run.usage = plusUsage(run.usage, usage);
  const crossings = await budgets.charge(spenderOf(run), request.model, usage);
  run.scene.setBudget(await budgets.view(spenderOf(run)));
  for (const crossing of crossings) await run.scene.fire('budgetThreshold', { ...crossing });
  return usage;
}

function spenderOf({ scene, rootSessionId }: Run): Spender {
  return { sessionId: rootSessionId, userId: scene.caller.userId, orgId: scene.caller.orgId };
}

const CHARS_PER_TOKEN = 4;

function estimate(request: ModelRequest, answer: ModelAnswer): ModelUsage {
  const tokens = (value: unknown): number =>
    Math.ceil(JSON.stringify(value).length / CHARS_PER_TOKEN);
  return {
    inputTokens: tokens([request.systemPrompt, request.messages, request.tools]),
    outputTokens: tokens([answer.text, answer.toolCalls]),
  };
}
