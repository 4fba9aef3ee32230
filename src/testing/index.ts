/** signalbox/testing: what the author of a hook tests it with. */
export { openTestHost, type TestHost, type TestHostOptions } from './test-host.ts';
export type { InlineHook } from './hook-place.ts';
export type { TestDecision, TestOutcome } from './outcome.ts';
export type { FakeStore, StoreCall, StoreRows } from './fake-store.ts';
export { matchers, type MatcherResult, type Wording } from './matchers.ts';
export { expectDecision, type DecisionAssertions } from './expect-decision.ts';
export { testFixtures, type RegisterTest } from './fixture-tests.ts';
export { checkConformance, type ConformanceProblem } from './conformance.ts';
