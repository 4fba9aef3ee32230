import { injectFault, type ChaosRow, type Counts } from '../chaos/chaos.ts';
import { loadConfig } from '../config/load-config.ts';
import { printable } from '../config/printable.ts';
import { FAULTS, type FaultName } from '../testing/faults.ts';
import { EXIT } from './exit-code.ts';
import type { Session } from './session.ts';

/** Options of `signalbox chaos`. */
export interface ChaosFlags {
  readonly fault: FaultName;
  readonly calls: number;
  /** 1 when a caller gets another action. */
  readonly expect?: string;
}

/** Makes a hook fail for some calls and shows what callers got. */
export async function runChaos(
  { terminal, config: file, signal }: Session,
  hook: string,
  { fault, calls, expect }: ChaosFlags,
): Promise<number> {
  const config = await loadConfig(file);
  const onProgress = (text: string): void => terminal.progress(text);
  const rows = await injectFault({ config, hook, fault, calls, signal, onProgress });
  terminal.progress();
  if (terminal.isJson) for (const row of rows) terminal.json({ hook, fault, ...row });
  else {
    terminal.note(`${printable(hook)}, ${fault}: ${FAULTS[fault].means}`);
    terminal.table(HEAD, rows.map(cellsOf));
  }
  if (signal.aborted) return EXIT.interrupted;
  const isOtherwise = ({ got }: ChaosRow): boolean =>
    Object.keys(got).some((action) => action !== expect);
  return expect !== undefined && rows.some(isOtherwise) ? EXIT.problems : EXIT.ok;
}

const HEAD = [
  'point',
  'calls',
  'callers got',
  'code',
  'without it',
  'others failed',
  'p50 ms',
  'p99 ms',
];

function cellsOf(row: ChaosRow) {
  const { point, calls, got, codes, usually, others, p50Ms, p99Ms } = row;
  const code = Object.keys(codes).length === 0 ? 'no fault shows' : counted(codes);
  const times = [p50Ms.toFixed(0), p99Ms.toFixed(0)];
  return [point, calls, counted(got), code, counted(usually), counted(others) || '-', ...times];
}

function counted(counts: Counts): string {
  return Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ');
}
