import type { FailureCode } from '../../sdk/errors.ts';
import type { Point } from '../../sdk/points.ts';
import type { HookNumbers } from '../metrics/metrics.ts';

/** What is counted of a hook at a point, in the words of agent-os. */
export interface HookMetric {
  readonly hook: string;
  readonly point: Point;
  readonly calls: number;
  /** Failures other than timeouts: what the hook threw, answered wrongly or took down. */
  readonly panics: number;
  readonly timeouts: number;
  readonly total_ms: number;
  readonly avg_ms: number;
  readonly last_error: FailureCode | null;
}

/** The metric of every hook at every point that has run. */
export function hookMetrics(numbers: readonly HookNumbers[]): readonly HookMetric[] {
  return numbers.map(({ hook, point, calls, failures, totalMs, lastFailure }) => {
    const all = Object.values(failures).reduce((sum, count) => sum + count, 0);
    const { timeout: timeouts = 0 } = failures;
    return {
      hook,
      point,
      calls,
      panics: all - timeouts,
      timeouts,
      total_ms: rounded(totalMs),
      avg_ms: rounded(calls === 0 ? 0 : totalMs / calls),
      last_error: lastFailure ?? null,
    };
  });
}

function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
