import { POINT_NAMES } from '../../sdk/points.ts';
import type { Inventory, InventoryRow } from '../runtime.ts';
import type { Origin } from '../packages/catalog.ts';
import { printable } from '../config/printable.ts';
import type { Cell } from './table.ts';
import type { Terminal } from './terminal.ts';

const LIVE_HEAD = [
  'point',
  'order',
  'hook',
  'package',
  'sandbox',
  'capabilities',
  'failPolicy',
  'state',
];
const ABSENT_HEAD = ['hook', 'package', 'reason', 'detail'];

/** Prints which hooks are live, by point and in their order, which are not and why, and what else is wrong. */
export function printInventory(terminal: Terminal, inventory: Inventory): void {
  if (terminal.isJson) return terminal.json(inventory);
  const { hooks, absent, warnings } = inventory;
  const live = hooks.flatMap((row) => row.points.map((binding) => ({ row, binding })));
  if (live.length > 0) terminal.table(LIVE_HEAD, live.sort(byPoint).map(liveCells));
  else terminal.line('No hook is live.');
  if (absent.length > 0) {
    terminal.line('\nNot live:');
    terminal.table(
      ABSENT_HEAD,
      absent.map(({ hook, origin, reason, detail = '' }) => [hook, nameOf(origin), reason, detail]),
    );
  }
  const shown = new Set(absent.map(({ detail }) => detail));
  for (const { code, message, hint } of warnings) {
    if (!shown.has(message))
      terminal.note(`warning ${code}: ${printable(message)}\n  ${printable(hint)}`);
  }
}

interface Bound {
  readonly row: InventoryRow;
  readonly binding: InventoryRow['points'][number];
}

function byPoint(a: Bound, b: Bound): number {
  const points = POINT_NAMES.indexOf(a.binding.point) - POINT_NAMES.indexOf(b.binding.point);
  return points === 0 ? a.binding.order - b.binding.order : points;
}

function liveCells({ row, binding }: Bound): Cell[] {
  const { granted, missing } = row.capabilities;
  const capabilities = [...granted, ...missing.map((name) => `${name} (not granted)`)];
  const failure = row.failure === undefined ? row.state : `failing: ${row.failure.code}`;
  return [
    binding.point,
    binding.order,
    row.hook,
    nameOf(row.origin),
    row.sandbox,
    capabilities.length > 0 ? capabilities : ['none'],
    binding.failPolicy,
    row.mode === 'shadow' ? `${failure} (shadow)` : failure,
  ];
}

function nameOf({ kind, name, version }: Origin): string {
  return kind === 'local' || version === '' ? name : `${name}@${version}`;
}
