import { ACTION_NAMES, type Action } from '../../sdk/decisions.ts';
import { FAILURES } from '../../sdk/errors.ts';
import { RECORDED_POINTS, type RecordedPoint } from './conversation-events.ts';
import type { ReplayRow } from './conversation-run.ts';

/** How often a hook did what, for one tool at one point. */
export interface SummaryRow {
  readonly point: RecordedPoint;
  readonly tool: string | null;
  /** Null for the fires that no hook decided. */
  readonly hook: string | null;
  readonly fires: number;
  readonly actions: Readonly<Record<Action, number>>;
  /** Fires with the code of a hook's failure. */
  readonly failed: number;
}

/** Counts rows by point, tool and hook as they come, in memory that grows with the groups alone. */
export function createSummary() {
  const groups = new Map<string, SummaryRow>();
  return {
    add(row: ReplayRow): void {
      const key = JSON.stringify([row.point, row.tool, row.hook]);
      const group = groups.get(key) ?? emptyGroup(row);
      groups.set(key, {
        ...group,
        fires: group.fires + 1,
        actions: { ...group.actions, [row.action]: group.actions[row.action] + 1 },
        failed: group.failed + (isFailure(row.code) ? 1 : 0),
      });
    },
    /** In the order of a turn, then by tool and hook. */
    rows(): SummaryRow[] {
      return [...groups.values()].sort(
        (a, b) =>
          RECORDED_POINTS.indexOf(a.point) - RECORDED_POINTS.indexOf(b.point) ||
          compare(a.tool ?? '', b.tool ?? '') ||
          compare(a.hook ?? '', b.hook ?? ''),
      );
    },
  };
}

function emptyGroup({ point, tool, hook }: ReplayRow): SummaryRow {
  const actions = Object.fromEntries(ACTION_NAMES.map((name) => [name, 0])) as Record<
    Action,
    number
  >;
  return { point, tool, hook, fires: 0, actions, failed: 0 };
}

function isFailure(code: ReplayRow['code']): boolean {
  return typeof code === 'string' && Object.hasOwn(FAILURES, code);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
