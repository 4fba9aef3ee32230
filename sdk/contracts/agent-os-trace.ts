import type { Decision } from '../decisions.ts';
import { POINTS, type Point } from '../points.ts';

/** What agent-os calls a decision at a point, when it traces it. */
export interface Interception {
  /** The point's name there. */
  readonly point: string;
  readonly action: string;
}

/** Words of the actions that differ between points; source: the contract's table of trace actions. */
const ACTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  before_user_message: { modify: 'rewrite', result: 'answer' },
  before_tool_call: { modify: 'args', block: 'deny', result: 'result' },
  after_tool_result: { modify: 'replace' },
  before_inference: { modify: 'override', result: 'response', block: 'deny' },
  before_syscall: { modify: 'args', block: 'deny' },
  on_token: { modify: 'replace', suppress: 'suppress' },
  before_context_evict: { modify: 'summary' },
  after_assistant_message: { modify: 'replace', suppress: 'suppress', rework: 'rework' },
};

/** The part of a decision or a verdict that tells what it did. */
interface Traced {
  readonly action: Decision['action'];
  readonly inject?: readonly unknown[];
  readonly retry?: NonNullable<Decision['retry']>;
}

/** How agent-os traces a decision; `undefined` for one that is neutral there, or at a point that it has not. */
export function interceptionOf(point: Point, decision: Traced): Interception | undefined {
  const name = POINTS[point].names.agentOs?.[0];
  if (name === undefined) return undefined;
  const action = ACTIONS[name]?.[decision.action] ?? withAllow(decision);
  return action === undefined ? undefined : { point: name, action };
}

/** What a decision that lets the operation go on adds to it. */
function withAllow({ inject = [], retry }: Traced): string | undefined {
  if (retry?.abort === true) return 'abort';
  if (retry?.delayMs !== undefined) return 'delay';
  if (retry?.model !== undefined) return 'model';
  return inject.length > 0 ? 'context' : undefined;
}
