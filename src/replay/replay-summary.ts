import { ACTION_NAMES, type Action } from '../../sdk/decisions.ts';
import { POINT_NAMES, type Point } from '../../sdk/points.ts';
import type { ReplayRow } from './conversation-run.ts';

/** How often a hook did what, for one tool at one point. */
export interface SummaryRow {
  readonly point: Point;
  readonly tool: string | null;
  /** Null for the fires that no hook decided. */
  readonly hook: string | null;
  readonly fires: number;
  readonly actions: Readonly<Record<Action, number>>;
  /** Fires with a failure's code. */
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
        failed: group.failed + (row.code === null ? 0 : 1),
      });
    },
    /** In the order of the points, then by tool and hook. */
    rows(): SummaryRow[] {
      return [...groups.values()].sort(
        (a, b) =>
          POINT_NAMES.indexOf(a.point) - POINT_NAMES.indexOf(b.point) ||
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

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
