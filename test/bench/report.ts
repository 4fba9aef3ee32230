import Table from 'cli-table3';
import type { Timing } from './harness.ts';

/** One line of the results. */
export interface Row {
  readonly measured: string;
  readonly value: number;
  readonly p99?: number;
  readonly unit: Unit;
  /** What it is held against, and what that took. */
  readonly baseline?: string;
  readonly baselineValue?: number;
  readonly ratio?: number;
  readonly goal?: Goal;
}

/** What a row is to reach: its value, or its ratio to the baseline, at most or at least so much. */
export interface Goal {
  readonly of: 'value' | 'ratio';
  readonly most?: number;
  readonly least?: number;
}

/** Units of values; `x` has none. */
export type Unit = 'µs' | 'ms' | 's' | 'KB' | 'MB' | '/s' | 'x';

/** A row of two timings measured side by side. */
export function versus(
  measured: string,
  timings: { readonly subject: Timing; readonly baseline: Timing; readonly ratio: number },
  goal?: Goal,
): Row {
  const { subject, baseline, ratio } = timings;
  return {
    measured,
    value: subject.p50,
    p99: subject.p99,
    unit: 'µs',
    baseline: baseline.name,
    baselineValue: baseline.p50,
    ratio,
    ...(goal !== undefined && { goal }),
  };
}

/** Whether a row reaches its goal; `undefined` without one. */
export function isMet({ goal, value, ratio }: Row): boolean | undefined {
  if (goal === undefined) return undefined;
  const reached = goal.of === 'value' ? value : (ratio ?? NaN);
  return reached <= (goal.most ?? Infinity) && reached >= (goal.least ?? -Infinity);
}

/** Hands the rows of a bench to `run.ts`, which started it, or prints them. */
export function report(rows: readonly Row[]): void {
  if (process.send === undefined) console.log(tableOf(rows));
  else process.send({ rows });
}

const HEAD = ['measured', 'p50', 'p99', 'against', 'p50', 'ratio', 'goal', ''];

/** Rows as a table for a terminal. */
export function tableOf(rows: readonly Row[]): string {
  const table = new Table({ head: HEAD, style: { head: [], border: [] } });
  for (const row of rows) table.push(cellsOf(row));
  return table.toString();
}

/** Rows as a table of Markdown. */
export function markdownOf(rows: readonly Row[]): string {
  const lines = rows.map((row) => `| ${cellsOf(row).join(' | ')} |`);
  return [`| ${HEAD.join(' | ')} |`, `|${' --- |'.repeat(HEAD.length)}`, ...lines].join('\n');
}

function cellsOf(row: Row): string[] {
  const { measured, value, p99, unit, baseline = '', baselineValue, ratio, goal } = row;
  const met = isMet(row);
  return [
    measured,
    quantity(value, unit),
    p99 === undefined ? '' : quantity(p99, unit),
    baseline,
    baselineValue === undefined ? '' : quantity(baselineValue, unit),
    ratio === undefined ? '' : `${rounded(ratio)} ×`,
    goal === undefined ? '' : goalText(goal, unit),
    met === undefined ? '' : met ? 'met' : 'missed',
  ];
}

function goalText({ of, most, least }: Goal, unit: Unit): string {
  const sign = most === undefined ? '≥' : '≤';
  const bound = most ?? least ?? NaN;
  return of === 'ratio' ? `${sign} ${rounded(bound)} ×` : `${sign} ${quantity(bound, unit)}`;
}

function quantity(value: number, unit: Unit): string {
  return unit === 'x' ? rounded(value) : `${rounded(value)}${unit === '/s' ? '' : ' '}${unit}`;
}

function rounded(value: number): string {
  if (value >= 1000) return String(Math.round(value));
  return String(Number(value.toPrecision(3)));
}
