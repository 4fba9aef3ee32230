import { AssertionError } from 'node:assert';
import type { FailureCode } from '../../sdk/errors.ts';
import { matchers, type MatcherResult, type Wording } from './matchers.ts';
import type { TestOutcome } from './outcome.ts';

/** Assertions on one outcome; each throws an AssertionError when it is not met. */
export interface DecisionAssertions {
  toAllow(): void;
  toBlock(reason?: Wording): void;
  toAsk(reason?: Wording): void;
  toRework(feedback?: Wording): void;
  toModify(fields?: Readonly<Record<string, unknown>>): void;
  toAnswer(result: unknown): void;
  toFail(code?: FailureCode): void;
}

/** The matchers for test runners without `expect.extend`, such as node:test. */
export function expectDecision(outcome: TestOutcome): DecisionAssertions {
  return {
    toAllow: () => assert(matchers.toAllow(outcome)),
    toBlock: (reason) => assert(matchers.toBlock(outcome, reason)),
    toAsk: (reason) => assert(matchers.toAsk(outcome, reason)),
    toRework: (feedback) => assert(matchers.toRework(outcome, feedback)),
    toModify: (fields) => assert(matchers.toModify(outcome, fields)),
    toAnswer: (result) => assert(matchers.toAnswer(outcome, result)),
    toFail: (code) => assert(matchers.toFail(outcome, code)),
  };
}

function assert({ pass, message }: MatcherResult): void {
  if (!pass) throw new AssertionError({ message: message(), stackStartFn: assert });
}
