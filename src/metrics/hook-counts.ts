import type { Action } from '../../sdk/decisions.ts';
import type { FailureCode } from '../../sdk/errors.ts';
import type { Point } from '../../sdk/points.ts';
import type { Latency } from './latency.ts';

/** What is counted for one hook at one point. */
export interface HookCounts {
  readonly hook: string;
  readonly point: Point;
  readonly decisions: Record<Action, number>;
  readonly failures: Map<FailureCode, number>;
  lastFailure: FailureCode | undefined;
  readonly latency: Latency;
}
