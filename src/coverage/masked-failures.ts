import type { FailureCode } from '../../sdk/errors.ts';
import type { Point } from '../../sdk/points.ts';
import type { FireObserver } from '../fire/observer.ts';

/** A hook whose failures of late let calls pass. */
export interface MaskedFailure {
  readonly hook: string;
  readonly point: Point;
  readonly code: FailureCode;
  /** ISO 8601 in UTC, of the last one. */
  readonly lastAt: string;
}

/** The failures that a failPolicy hides from callers. */
export interface MaskedFailures {
  /** To be added to the observers of a runtime. */
  readonly observer: FireObserver;
  /** Those of the last five minutes, one for each hook. */
  ofLate(): readonly MaskedFailure[];
}

const LATE_MS = 300_000;
/** More hooks than this are not told apart. */
const MAX_HOOKS = 1000;

/** No failures yet; `now` in milliseconds since 1970. */
export function createMaskedFailures(now: () => number): MaskedFailures {
  const last = new Map<
    string,
    { readonly time: number; readonly point: Point; readonly code: FailureCode }
  >();
  return {
    observer: {
      onVerdict({ point, hooks, startTime, ms }) {
        for (const { hook, code, action } of hooks) {
          if (code === undefined || action !== 'allow') continue;
          if (last.has(hook) || last.size < MAX_HOOKS)
            last.set(hook, { time: startTime + ms, point, code });
        }
      },
    },
    ofLate() {
      const since = now() - LATE_MS;
      return [...last]
        .filter(([, { time }]) => time >= since)
        .map(([hook, { time, point, code }]) => ({
          hook,
          point,
          code,
          lastAt: new Date(time).toISOString(),
        }));
    },
  };
}
