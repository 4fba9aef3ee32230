import type { Point } from '../../sdk/points.ts';
import type { AccessRules } from '../access/access-rules.ts';
import { NO_APPROVER } from '../approvals/answers.ts';
import type { Question } from '../approvals/approval.ts';
import type { Payload } from '../chain/call.ts';
import type { ChainResult } from '../chain/chain.ts';
import type { AccessTier } from '../config/runtime-config.ts';
import type { Context, RuntimeCode } from '../verdict.ts';
import type { BoundHook } from './bound-hook.ts';
import type { PayloadChecks } from './payloads.ts';
import { ACCESS, questionOf } from './question.ts';
import type { ToolCheck } from './tool-schema.ts';

/** What is against a chain's result. */
export interface Objection {
  readonly code: RuntimeCode;
  readonly reason: string;
  /** The hook that brought it about, or `(access)`. */
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
}

/** What becomes of a chain's result: it stands, must not, or waits for a person. */
export interface Settled {
  readonly objection?: Objection;
  readonly question?: Question;
}

/** The model may be sent back this often in one turn. */
const MAX_REWORKS = 2;

/** Makes the function that says what becomes of a chain's result. Access rules have the last word, on what would run. */
export function createSettling({
  payloads,
  checkTool,
  access,
}: SettlingParts): (settlement: Settlement) => Settled {
  return (settlement) => {
    const { point, result, reworks } = settlement;
    const { verdict, modifiedBy } = result;
    if (verdict.action === 'block') return {};
    const hook = verdict.hook ?? '';
    const misfit = verdict.isModified ? misfitOf(settlement, payloads, checkTool) : undefined;
    if (misfit !== undefined) {
      const author = modifiedBy ?? hook;
      const reason = `The call as hook "${author}" changed it cannot run: ${misfit}`;
      return { objection: { code: 'schema', hook: author, reason } };
    }
    const tier =
      point === 'preToolUse' && LEADS_TO_RUN.has(verdict.action)
        ? tierOf(access, verdict.payload)
        : 'allow';
    if (tier === 'never') {
      return { objection: { code: 'access', hook: ACCESS, reason: neverReason(verdict.payload) } };
    }
    if (verdict.action === 'rework' && reworks >= MAX_REWORKS) {
      const reason = `Hook "${hook}" sent the model back more than ${MAX_REWORKS} times in one turn`;
      return { objection: { code: 'rework_limit', hook, reason } };
    }
    const question = questionOf(settlement, tier);
    return question === undefined ? {} : { question };
  };
}

/** What results are held against. */
export interface SettlingParts {
  readonly payloads: PayloadChecks;
  readonly checkTool: ToolCheck;
  readonly access: AccessRules;
}

/** After these the tool runs, at once or once a person agrees. */
const LEADS_TO_RUN: ReadonlySet<string> = new Set(['allow', 'modify', 'ask']);

/** What the access rules say of a tool call. */
export function tierOf(access: AccessRules, { toolName, isDelegated }: Payload): AccessTier {
  return access(String(toolName), { isDelegated: isDelegated === true });
}

/** The reason of a call that a rule forbids. */
export function neverReason({ toolName }: Payload): string {
  return `Access rules forbid the tool "${String(toolName).slice(0, 200)}"`;
}

/** The objection to a question that nobody can be asked. */
export function nobodyToAsk({ hook }: Question): Objection {
  return { code: 'no_approver', hook, reason: NO_APPROVER };
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
