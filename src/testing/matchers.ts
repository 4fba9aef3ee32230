import { isDeepStrictEqual } from 'node:util';
import type { Action } from '../../sdk/decisions.ts';
import type { FailureCode } from '../../sdk/errors.ts';
import type { TestOutcome } from './outcome.ts';

/** What a matcher found; the shape that `expect.extend` of vitest and jest takes. */
export interface MatcherResult {
  readonly pass: boolean;
  message(): string;
}

/** A text, or what it must look like. */
export type Wording = string | RegExp;

/** Matchers on what a run of a hook came to: `expect.extend(matchers)`. */
export const matchers = {
  toAllow: (outcome: TestOutcome): MatcherResult => judge(outcome, 'allow', []),
  toBlock: (outcome: TestOutcome, reason?: Wording): MatcherResult =>
    judge(outcome, 'block', [reasonProblem(outcome.reason, reason)]),
  toAsk: (outcome: TestOutcome, reason?: Wording): MatcherResult =>
    judge(outcome, 'ask', [reasonProblem(outcome.reason, reason)]),
  toRework: (outcome: TestOutcome, feedback?: Wording): MatcherResult =>
    judge(outcome, 'rework', [reasonProblem(outcome.decision.feedback, feedback)]),
  /** That the payload goes on changed, with these fields as they are given here. */
  toModify: (outcome: TestOutcome, fields: Readonly<Record<string, unknown>> = {}): MatcherResult =>
    judge(outcome, 'modify', [fieldProblem(outcome, fields)]),
  toAnswer: (outcome: TestOutcome, result: unknown): MatcherResult =>
    judge(outcome, 'result', [
      isDeepStrictEqual(outcome.decision.result, result) ? undefined : 'another result',
    ]),
  /** That the hook itself failed, with this code. */
  toFail(outcome: TestOutcome, code?: FailureCode): MatcherResult {
    const { failure } = outcome;
    const pass = failure !== undefined && (code === undefined || code === failure);
    return {
      pass,
      message: () =>
        `expected the hook ${pass ? 'not to' : 'to'} fail${code ? ` with ${code}` : ''}, and it ${told(outcome)}`,
    };
  },
} as const;

/** A failure of the hook is never taken for a decision of it. */
function judge(
  outcome: TestOutcome,
  action: Action,
  problems: readonly (string | undefined)[],
): MatcherResult {
  const problem = problems.find((one) => one !== undefined);
  const isDecided = outcome.action === action && outcome.failure === undefined;
  const pass = isDecided && problem === undefined;
  return {
    pass,
    message() {
      if (pass) return `expected the hook not to ${action}, and it ${told(outcome)}`;
      const why = isDecided && problem !== undefined ? `: ${problem}` : '';
      return `expected the hook to ${action}, and it ${told(outcome)}${why}`;
    },
  };
}

function told({ action, reason, failure, detail, decision }: TestOutcome): string {
  if (failure !== undefined) return `failed with ${failure}: ${detail ?? ''}`;
  const code = decision.code === undefined ? '' : ` [${decision.code}]`;
  return `said ${action}${code}${reason === undefined ? '' : ` (${reason})`}`;
}

function reasonProblem(
  actual: string | undefined,
  wanted: Wording | undefined,
): string | undefined {
  if (wanted === undefined) return undefined;
  const isMet = typeof wanted === 'string' ? actual === wanted : wanted.test(actual ?? '');
  return isMet ? undefined : `the text is not ${String(wanted)}`;
}

function fieldProblem(
  { payload }: TestOutcome,
  fields: Readonly<Record<string, unknown>>,
): string | undefined {
  const wrong = Object.keys(fields).find((key) => !isDeepStrictEqual(payload[key], fields[key]));
  return wrong === undefined
    ? undefined
    : `"${wrong}" is ${JSON.stringify(payload[wrong]) ?? 'absent'}`;
}
