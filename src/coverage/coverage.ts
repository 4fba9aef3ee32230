import { POINT_NAMES, type Point } from '../../sdk/points.ts';
import type { Chains } from '../fire/bound-hook.ts';
import type { FireObserver } from '../fire/observer.ts';
import type { Context, Verdict } from '../verdict.ts';

/** What hooks saw of what happened since the start, and what went past them. */
export interface Coverage {
  /** Points that were called, in the order of the table of points. */
  readonly points: readonly {
    readonly point: Point;
    readonly calls: number;
    /** Calls that no enforced hook looked at. */
    readonly withoutHook: number;
    /** Hooks that are bound there now, those in shadow mode included. */
    readonly hooks: number;
  }[];
  /** By which ways calls came in that no enforced hook looked at. */
  readonly openPaths: readonly {
    readonly point: Point;
    /** Where it began: the caller's `source`, or `unknown`; and whether a sub-agent made the call. */
    readonly source: string;
    readonly isSubAgent: boolean;
    readonly withoutHook: number;
  }[];
  /** Bound hooks that never ran at a point, whether it was called or not. */
  readonly hooksNeverRun: readonly {
    readonly hook: string;
    readonly point: Point;
    /** Calls of the point; with none, the loop may never reach it. */
    readonly calls: number;
  }[];
  /** Points that were called and have no hook at all. */
  readonly pointsWithoutHook: readonly Point[];
  readonly passedWithoutHook: number;
  readonly passedDespiteFailure: number;
}

/** Counts for a coverage. */
export interface CoverageCounter {
  /** Counts a call by its way in. */
  note(point: Point, context: Context, verdict: Verdict): void;
  /** Notes which hooks ran; to be added to the observers of a runtime. */
  readonly observer: FireObserver;
  /** `despiteFailure` is counted elsewhere, by point. */
  read(chains: Chains, despiteFailure: Readonly<Partial<Record<Point, number>>>): Coverage;
}

interface Path {
  readonly source: string;
  readonly isSubAgent: boolean;
  calls: number;
  withoutHook: number;
}

/** Counts of nothing yet. Their number is bounded by points, sources and hooks. */
export function createCoverageCounter(): CoverageCounter {
  const paths = new Map<Point, Path[]>();
  const ran = new Map<Point, Set<string>>();
  const noteRun = (point: Point, hook: string): void => {
    let hooks = ran.get(point);
    if (hooks === undefined) ran.set(point, (hooks = new Set()));
    hooks.add(hook);
  };
  const pathsOf = (point: Point): Path[] => {
    let known = paths.get(point);
    if (known === undefined) paths.set(point, (known = []));
    return known;
  };
  return {
    note(point, { caller, agent }, { trace, notRun }) {
      const source = caller?.source ?? 'unknown';
      const isSubAgent = agent?.parent !== undefined || (agent?.depth ?? 0) > 0;
      const known = pathsOf(point);
      // A handful for each point: a key would cost more than the look.
      let path = known.find((each) => each.source === source && each.isSubAgent === isSubAgent);
      if (path === undefined) {
        path = { source, isSubAgent, calls: 0, withoutHook: 0 };
        known.push(path);
      }
      path.calls += 1;
      if (trace.length + notRun.length === 0) path.withoutHook += 1;
    },
    observer: {
      onVerdict({ point, hooks }) {
        for (const { hook } of hooks) noteRun(point, hook);
      },
      onShadow: ({ point }, { hook }) => noteRun(point, hook),
    },
    read(chains, despiteFailure) {
      const points = POINT_NAMES.map((point) => {
        const own = paths.get(point) ?? [];
        const { enforced, shadow } = chains.of(point);
        return {
          point,
          calls: own.reduce((sum, { calls }) => sum + calls, 0),
          withoutHook: own.reduce((sum, { withoutHook }) => sum + withoutHook, 0),
          hooks: [...enforced, ...shadow].map(({ name }) => name),
        };
      });
      const called = points.filter(({ calls }) => calls > 0);
      return {
        points: called.map((each) => ({ ...each, hooks: each.hooks.length })),
        openPaths: called.flatMap(({ point }) =>
          pathsOf(point)
            .filter(({ withoutHook }) => withoutHook > 0)
            .map(({ source, isSubAgent, withoutHook }) => ({
              point,
              source,
              isSubAgent,
              withoutHook,
            })),
        ),
        hooksNeverRun: points.flatMap(({ point, calls, hooks }) =>
          hooks
            .filter((hook) => ran.get(point)?.has(hook) !== true)
            .map((hook) => ({ hook, point, calls })),
        ),
        pointsWithoutHook: called
          .filter(({ hooks }) => hooks.length === 0)
          .map(({ point }) => point),
        passedWithoutHook: called.reduce((sum, { withoutHook }) => sum + withoutHook, 0),
        passedDespiteFailure: Object.values(despiteFailure).reduce((sum, count) => sum + count, 0),
      };
    },
  };
}
