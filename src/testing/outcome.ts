import { isDeepStrictEqual } from 'node:util';
import type { Action } from '../../sdk/decisions.ts';
import type { FailureCode } from '../../sdk/errors.ts';
import type { TestReport } from '../runtime.ts';
import type { Verdict } from '../verdict.ts';

/** What a run of a hook came to, without what differs from run to run: fit for a snapshot. */
export interface TestDecision {
  readonly action: Action;
  readonly reason?: string;
  /** Why, when it is no decision of the hook: a failure's code, or what the runtime found. */
  readonly code?: string;
  /** The fields of the payload that changed. */
  readonly changes?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly feedback?: string;
  readonly text?: string;
  /** The prompt and options of a question, the note of a change. */
  readonly said?: readonly string[];
  readonly inject?: readonly string[];
  readonly notices?: readonly string[];
  readonly outputs?: Readonly<Record<string, unknown>>;
  readonly logs?: readonly string[];
}

/** A run of a hook in a test. */
export interface TestOutcome {
  readonly action: Action;
  readonly reason: string | undefined;
  /** The code of the hook's failure, when it failed. */
  readonly failure: FailureCode | undefined;
  /** What went wrong in the hook, with the place in its source. */
  readonly detail: string | undefined;
  readonly decision: TestDecision;
  /** The payload as the hook left it. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** Lines of `ctx.log`. */
  readonly logs: readonly string[];
  readonly ms: number;
  readonly verdict: Verdict;
}

/** Reads what a test host's user looks at out of a report. */
export function outcomeOf(report: TestReport): TestOutcome {
  const { action, reason, verdict } = report;
  const [run] = report.hooks;
  const logs = report.logs.map(({ line }) => line);
  return {
    action,
    reason,
    failure: run?.code,
    detail: run?.detail,
    decision: decisionOf(report, logs),
    // A payload is an object at every point.
    payload: report.output as Readonly<Record<string, unknown>>,
    logs,
    ms: run?.ms ?? 0,
    verdict,
  };
}

function decisionOf(report: TestReport, logs: readonly string[]): TestDecision {
  const { action, reason, code, verdict, input, output, modified } = report;
  const { result, feedback, text, inject, notices, outputs } = verdict;
  const said = report.hooks.flatMap((hook) => hook.said ?? []);
  return {
    action,
    ...(reason !== undefined && { reason }),
    ...(code !== undefined && { code }),
    ...(modified && { changes: changesIn(input as object, output as object) }),
    ...(result !== undefined && { result }),
    ...(feedback !== undefined && { feedback }),
    ...(text !== undefined && { text }),
    ...(said.length > 0 && { said }),
    ...(inject.length > 0 && { inject: inject.map(({ content }) => content) }),
    ...(notices.length > 0 && { notices: notices.map((notice) => notice.text) }),
    ...(Object.keys(outputs).length > 0 && { outputs }),
    ...(logs.length > 0 && { logs }),
  };
}

/** Fields that differ; `null` for one that was removed. */
function changesIn(before: object, after: object): Record<string, unknown> {
  const [old, fresh] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  const keys = new Set([...old.keys(), ...fresh.keys()]);
  const changed = [...keys].filter((key) => !isDeepStrictEqual(old.get(key), fresh.get(key)));
  return Object.fromEntries(changed.map((key) => [key, (fresh.get(key) ?? null) as unknown]));
}
