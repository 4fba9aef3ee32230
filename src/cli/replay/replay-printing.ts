import { ACTION_NAMES } from '../../../sdk/decisions.ts';
import { printable } from '../../config/printable.ts';
import type { ReplayRow } from '../../replay/conversation-run.ts';
import type { ReplayProgress } from '../../replay/replay.ts';
import type { SummaryRow } from '../../replay/replay-summary.ts';
import type { Terminal } from '../terminal.ts';

/** Prints what hooks did, by point, tool and hook; a column for each action that was taken. */
export function printSummary(terminal: Terminal, rows: readonly SummaryRow[]): void {
  const actions = ACTION_NAMES.filter((name) =>
    rows.some((row) => row.actions[name] > 0),
  ).toReversed();
  const hasFailures = rows.some((row) => row.failed > 0);
  const head = ['point', 'tool', 'hook', 'fires', ...actions, ...(hasFailures ? ['failed'] : [])];
  terminal.table(
    head,
    rows.map((row) => [
      row.point,
      row.tool ?? '-',
      row.hook ?? '-',
      row.fires,
      ...actions.map((name) => row.actions[name]),
      ...(hasFailures ? [row.failed] : []),
    ]),
  );
}

/** A replay in one line. */
export function progressLine(progress: ReplayProgress): string {
  const { conversations, calls, fires, decisions, failures, problems } = progress;
  const parts = [
    count(conversations, 'conversation'),
    count(calls, 'tool call'),
    count(fires, 'fire'),
    `${decisions} not allowed`,
    ...(failures > 0 ? [count(failures, 'failed run')] : []),
    ...(problems > 0 ? [count(problems, 'problem')] : []),
  ];
  return parts.join(', ');
}

/** One decision in one line. */
export function decisionLine(row: ReplayRow): string {
  const { conversation, call, point, tool, action, hook, code, reason } = row;
  const place = call === null ? conversation : `${conversation} #${call}`;
  const who = [hook ?? 'runtime', ...(code === null ? [] : [`[${code}]`])].join(' ');
  const what = [action, point, ...(tool === null ? [] : [tool])].join(' ');
  const why = reason === null ? '' : `: ${printable(reason, 160)}`;
  return `${printable(place, 80)}  ${printable(what, 160)}  ${printable(who, 80)}${why}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
