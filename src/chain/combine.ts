import {
  ACTIONS,
  type Decision,
  type Injection,
  type Notice,
  type RetryControl,
} from '../../sdk/decisions.ts';
import type { PointKind } from '../../sdk/points.ts';
import type { Answer, Payload } from './call.ts';

/** The decision that stands for its action: the first of its kind in the chain. */
export interface Leader {
  readonly hook: string;
  readonly answer: Answer;
}

/** What a chain has come to so far; one fold after the other adds to it. */
export interface Tally {
  payload: Payload;
  isModified: boolean;
  /** Who changed the payload last. */
  modifiedBy: string | undefined;
  /** By precedence of the action. */
  readonly leaders: (Leader | undefined)[];
  readonly inject: (Injection & { readonly hook: string })[];
  readonly notices: (Notice & { readonly hook: string })[];
  outputs: Payload;
  retry: RetryControl | undefined;
  suppressOutput: boolean;
  endsRun: boolean;
}

/** Adds one hook's answer and says whether the chain goes on. */
export type Fold = (tally: Tally, leader: Leader) => boolean;

/** How the answers combine, by the kind of the point. */
export const FOLDS = {
  gate: foldGate,
  transform: foldTransform,
  observe: foldObserver,
} as const satisfies Record<PointKind, Fold>;

/** A tally of nothing yet. */
export function startTally(payload: Payload): Tally {
  return {
    payload,
    isModified: false,
    modifiedBy: undefined,
    leaders: [],
    inject: [],
    notices: [],
    outputs: {},
    retry: undefined,
    suppressOutput: false,
    endsRun: false,
  };
}

/** The actions that were taken, the strongest first; at most one per action, none for `allow`. */
export function rankLeaders(tally: Tally): readonly Leader[] {
  return tally.leaders.filter((leader) => leader !== undefined);
}

/** A gate: every action counts by its precedence and a block ends the chain. */
function foldGate(tally: Tally, leader: Leader): boolean {
  addAction(tally, leader);
  return leader.answer.decision.action !== 'block';
}

/** A transform: it changes or hides and cannot stop anything, save where a failure ends the run. */
function foldTransform(tally: Tally, leader: Leader): boolean {
  addAction(tally, leader);
  return leader.answer.endsRun !== true;
}

/** An observer: it may add, and changes nothing, save where a failure ends the run. */
function foldObserver(tally: Tally, leader: Leader): boolean {
  if (leader.answer.endsRun !== true) addExtras(tally, leader);
  else addAction(tally, leader);
  return leader.answer.endsRun !== true;
}

/** Whether an answer adds nothing: the decision has its action alone. */
function isPlainAllow(decision: Decision): boolean {
  return decision.action === 'allow' && Object.keys(decision).length === 1;
}

function addAction(tally: Tally, leader: Leader): void {
  const { decision, endsRun } = leader.answer;
  if (isPlainAllow(decision)) return;
  addExtras(tally, leader);
  addChanges(tally, leader);
  if (endsRun === true) tally.endsRun = true;
  if (decision.action !== 'allow') tally.leaders[ACTIONS[decision.action].precedence] ??= leader;
}

function addChanges(tally: Tally, { hook, answer }: Leader): void {
  const { decision } = answer;
  if (decision.action !== 'modify') return;
  if (Object.keys(decision.payload).length === 0) return;
  tally.payload = changedBy(tally.payload, decision.payload);
  tally.isModified = true;
  tally.modifiedBy = hook;
}

/** A payload with the changes of a `modify`: fields are replaced whole, those set to null removed. */
export function changedBy(payload: Payload, changes: Payload): Payload {
  const removed = new Set(
    Object.entries(changes).flatMap(([key, value]) => (value === null ? [key] : [])),
  );
  // Spread and fromEntries define properties, so that a key "__proto__" stays a plain key.
  const merged = Object.entries({ ...payload, ...changes });
  return Object.fromEntries(merged.filter(([key]) => !removed.has(key)));
}

function addExtras(tally: Tally, { hook, answer }: Leader): void {
  const { inject, notice, outputs, retry, suppressOutput }: Decision = answer.decision;
  for (const { content, role, ephemeral, appendToLastToolResult, silent } of inject ?? []) {
    tally.inject.push({
      content,
      role: role ?? 'system',
      ephemeral: ephemeral ?? false,
      appendToLastToolResult: appendToLastToolResult ?? false,
      ...(silent === true && { silent }),
      hook,
    });
  }
  if (notice !== undefined) {
    const { text, level = 'info', source } = notice;
    tally.notices.push({ text, level, hook, ...(source !== undefined && { source }) });
  }
  if (outputs !== undefined) tally.outputs = { ...tally.outputs, ...outputs };
  if (retry !== undefined) tally.retry = { ...retry, ...tally.retry };
  if (suppressOutput === true) tally.suppressOutput = true;
}
