import type { Use } from '../../host/bridges.ts';
import { interceptionOf } from '../../sdk/contracts/agent-os-trace.ts';
import { SignalboxError } from '../../sdk/errors.ts';
import { POINTS, type Point } from '../../sdk/points.ts';
import type { Answer, Payload } from '../chain/call.ts';
import type { Step } from '../chain/chain.ts';
import { changedBy } from '../chain/combine.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Exchange } from '../records/exchange.ts';
import type { RecordInput, Records } from '../records/records.ts';
import { plainId } from '../records/scrub.ts';
import type { Context } from '../verdict.ts';
import type { BoundHook } from './bound-hook.ts';
import type { FinishedRun } from './hook-run.ts';
import { saidIn } from './observer.ts';
import type { Objection } from './settlement.ts';

/** Where what hooks did is kept. */
export interface Ledgers {
  readonly records: Pick<Records, 'append' | 'countUse' | 'keepsPayloads'>;
  readonly metrics: Pick<Metrics, 'observe' | 'passedWithoutHook' | 'passedDespiteFailure'>;
  readonly log: Pick<Log, 'decision' | 'problem' | 'info'>;
}

/** What is common to the records of one fire. */
export interface FireFacts {
  readonly fireId: string;
  readonly point: Point;
  readonly context: Context;
  readonly toolCallId: string | undefined;
  /** As the first hook was given it. */
  readonly payload: Payload;
}

/** Keeps what hooks did; the data they saw only where `records.payloads` asks for it. */
export interface DecisionLog {
  /**
   * Every answer of a chain, and that the runtime itself blocked what it came to. The promise is there when something is
   * recorded, and resolves once it is committed: with a hook whose decision could not be kept and whose failPolicy is not
   * open, if there is one.
   */
  noteFire(
    facts: FireFacts,
    steps: readonly Step<BoundHook>[],
    objection: Objection | undefined,
  ): Promise<BoundHook | undefined> | undefined;
  /** What a hook in shadow mode would have done. */
  noteShadow(facts: FireFacts, step: Step<BoundHook>): Promise<void>;
  /** Counts the capabilities that a run used. */
  countUses(run: FinishedRun): void;
  countPass(point: Point): void;
}

/** A decision log that writes to the ledgers. */
export function createDecisionLog({ records, metrics, log }: Ledgers): DecisionLog {
  const keep = async (
    record: RecordInput,
    exchange: Exchange | undefined,
    hook?: BoundHook,
  ): Promise<BoundHook | undefined> => {
    log.decision(record);
    try {
      await records.append(record, exchange);
      return undefined;
    } catch (error) {
      log.problem(error instanceof SignalboxError ? error : unkept());
      return hook?.failPolicy === 'open' ? undefined : hook;
    }
  };
  const exchangeOf = (facts: FireFacts, answer?: Answer): Exchange | undefined =>
    records.keepsPayloads ? exchangeIn(facts, answer) : undefined;
  return {
    noteFire(facts, steps, objection) {
      let kept: Promise<BoundHook | undefined>[] | undefined;
      let before = facts;
      for (const { hook, answer } of steps) {
        const { action } = answer.decision;
        const code = answer.failure?.code;
        metrics.observe({ hook: hook.name, point: facts.point, action, code, ms: answer.ms });
        if (code === undefined && isNeutral(answer)) continue;
        countActs(records, hook, answer);
        traceInterception(log, facts, { hook, answer });
        const exchange = exchangeOf(before, answer);
        (kept ??= []).push(keep(recordOf(facts, hook, answer), exchange, hook));
        if (exchange?.after !== undefined) before = { ...facts, payload: exchange.after };
      }
      if (objection !== undefined) {
        const exchange = exchangeOf(before);
        (kept ??= []).push(keep(objectionRecord(facts, steps, objection), exchange));
      }
      // A chain of neutral answers is the most common.
      if (kept === undefined) return undefined;
      if (objection === undefined && isPassedDespiteFailure(steps)) {
        metrics.passedDespiteFailure(facts.point);
      }
      return Promise.all(kept).then((unkept) => unkept.find((hook) => hook !== undefined));
    },
    async noteShadow(facts, { hook, answer }) {
      if (answer.failure === undefined && isNeutral(answer)) return;
      const record = recordOf(facts, hook, answer);
      const wouldBlock = answer.decision.action === 'block';
      const exchange = exchangeOf(facts, answer);
      if (answer.failure === undefined) {
        await keep({ ...record, wouldBlock }, exchange);
        return;
      }
      const { code, detail } = answer.failure;
      const reason = detail === '' ? code : `${code}: ${detail}`;
      await keep({ ...record, wouldBlock, code: 'shadow', reason }, exchange);
    },
    countUses({ hook, result, uses }) {
      const { reads, content } = POINTS[hook.point];
      if (reads !== null && hook.isReader && content.length > 0 && result.ok) {
        countUse(records, hook, { capability: reads, scope: '', count: 1 });
      }
      for (const use of uses) countUse(records, hook, use);
    },
    countPass: (point) => metrics.passedWithoutHook(point),
  };
}

/** What a hook was given and made of it. */
function exchangeIn({ payload, context }: FireFacts, answer: Answer | undefined): Exchange {
  const { agent, caller } = context;
  const decision = answer?.decision;
  const reason =
    decision === undefined || answer?.failure !== undefined ? undefined : saidIn(decision);
  return {
    payload,
    ...(decision?.action === 'modify' && { after: changedBy(payload, decision.payload) }),
    ...(reason !== undefined && { reason }),
    context: { ...(agent !== undefined && { agent }), ...(caller !== undefined && { caller }) },
  };
}

/** The event that agent-os writes for what one of its hooks did. */
function traceInterception(
  log: Ledgers['log'],
  { point, context }: FireFacts,
  { hook, answer }: Step<BoundHook>,
): void {
  if (hook.entry.manifest.contract !== 'agent-os' || answer.failure !== undefined) return;
  const said = interceptionOf(point, answer.decision);
  if (said === undefined) return;
  const [session, turn, agent] = [context.sessionId, context.turnId, context.agent?.id].map((id) =>
    id === undefined ? id : plainId(id),
  );
  log.info('hook_intercepted', { ...said, hook: hook.name, session, turn, agent });
}

/** Whether an answer leaves no row: it allows and adds nothing that anyone sees or reads. */
function isNeutral({ decision }: Answer): boolean {
  return (
    decision.action === 'allow' &&
    decision.inject === undefined &&
    decision.notice === undefined &&
    decision.retry === undefined &&
    decision.suppressOutput !== true
  );
}

function isPassedDespiteFailure(steps: readonly Step<BoundHook>[]): boolean {
  return (
    steps.some(({ answer }) => answer.failure !== undefined) &&
    steps.every(({ answer }) => answer.decision.action !== 'block')
  );
}

function objectionRecord(
  facts: FireFacts,
  steps: readonly Step<BoundHook>[],
  { code, reason, hook }: Objection,
): RecordInput {
  const by = steps.find((step) => step.hook.name === hook);
  return {
    ...common(facts),
    ...(by === undefined ? { hook } : originOf(by.hook)),
    action: 'block',
    code,
    reason,
    durationMs: 0,
  };
}

function recordOf(
  facts: FireFacts,
  hook: BoundHook,
  { decision, failure, ms }: Answer,
): RecordInput {
  return {
    ...common(facts),
    ...originOf(hook),
    action: decision.action,
    code: failure?.code,
    reason: failure === undefined ? saidIn(decision) : failure.detail,
    durationMs: ms,
    role: failure?.role,
  };
}

function common({
  fireId,
  point,
  context,
  toolCallId,
}: FireFacts): Pick<RecordInput, 'fireId' | 'point' | 'sessionId' | 'turnId' | 'toolCallId'> {
  return { fireId, point, sessionId: context.sessionId, turnId: context.turnId, toolCallId };
}

function originOf({ entry, name }: BoundHook): Pick<RecordInput, 'hook' | 'package' | 'version'> {
  const { origin } = entry;
  if (origin.kind === 'local') return { hook: name };
  return { hook: name, package: origin.name, version: origin.version };
}

/** Counts what a decision itself makes use of: the gate of the point, and injections. */
function countActs(
  records: Ledgers['records'],
  hook: BoundHook,
  { decision, failure }: Answer,
): void {
  if (failure !== undefined) return;
  const { gates } = POINTS[hook.point];
  const isActing = decision.action !== 'allow' || decision.retry !== undefined;
  if (isActing && gates !== null)
    countUse(records, hook, { capability: gates, scope: '', count: 1 });
  const count = decision.inject?.length ?? 0;
  if (count > 0) countUse(records, hook, { capability: 'injects_context', scope: '', count });
}

function countUse(records: Ledgers['records'], { entry, owner }: BoundHook, use: Use): void {
  const { capability, scope, count } = use;
  records.countUse({ package: owner, hook: entry.name, capability, scope, count });
}

function unkept(): SignalboxError {
  return new SignalboxError('database', { detail: 'keep a record' });
}
