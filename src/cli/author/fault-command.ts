import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { SignalboxError } from '../../../sdk/errors.ts';
import type { Point } from '../../../sdk/points.ts';
import { pointsOf, sampleCalls, type SampleCall } from '../../chaos/sample-calls.ts';
import { loadConfig } from '../../config/load-config.ts';
import { printable } from '../../config/printable.ts';
import { startRuntime, type LiveRuntime } from '../../live-runtime.ts';
import type { TestReport } from '../../runtime.ts';
import { FAULT_NAMES, FAULTS, rigFault, type FaultName } from '../../testing/faults.ts';
import { EXIT } from '../exit-code.ts';
import type { Session } from '../session.ts';

/** What one fault of a hook does to a call. */
interface FaultRow {
  readonly fault: FaultName;
  readonly point: Point;
  readonly action: TestReport['action'];
  readonly code: string;
  readonly reason: string;
  readonly ms: number;
}

/** `all`, or one fault by name. Throws `usage`. */
export function faultsOf(text: string): readonly FaultName[] {
  if (text === 'all') return FAULT_NAMES;
  const name = FAULT_NAMES.find((one) => one === text);
  if (name !== undefined) return [name];
  const detail = `--fault takes one of ${[...FAULT_NAMES, 'all'].join(', ')}`;
  throw new SignalboxError('usage', { detail });
}

/** Puts each fault in the place of a hook, in its own sandbox, and shows what callers see at each of its points. */
export async function runFaults(
  { terminal, config, signal }: Session,
  hook: string,
  faults: readonly FaultName[],
): Promise<number> {
  const rows: FaultRow[] = [];
  const read = await loadConfig(config);
  const calls = await sampleCalls(read, hook);
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-fault-'));
  try {
    for (const fault of faults) {
      if (signal.aborted) return EXIT.interrupted;
      terminal.progress(`${fault}: ${FAULTS[fault].means}`);
      const rig = rigFault(fault, { name: hook, folder });
      const runtime = await startRuntime({ config: read, log: { level: 'silent' }, rig });
      try {
        for (const point of pointsOf(runtime, hook)) {
          rows.push(rowOf({ fault, point, report: await tryOut(runtime, hook, calls(point)) }));
        }
      } finally {
        await runtime.close();
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  terminal.progress();
  if (terminal.isJson) for (const row of rows) terminal.json(row);
  else {
    terminal.table(
      ['fault', 'point', 'the call is', 'code', 'reason', 'ms'],
      rows.map((row) => [row.fault, row.point, seen(row), row.code, row.reason, row.ms.toFixed(0)]),
    );
  }
  return EXIT.ok;
}

/** The first call that the fault shows in, else the last: a slow store is nothing to a call that does not ask it. */
async function tryOut(
  runtime: LiveRuntime,
  hookName: string,
  calls: readonly SampleCall[],
): Promise<TestReport> {
  const reports: TestReport[] = [];
  for (const { point, payload, context = {} } of calls) {
    const report = await runtime.test({ point, hookName, payload, context });
    if (report.hooks.some(({ code }) => code !== undefined)) return report;
    reports.push(report);
  }
  // There is always a call: the fixtures of the point, or the sample.
  return reports.at(-1) as TestReport;
}

function rowOf({
  fault,
  point,
  report,
}: {
  readonly fault: FaultName;
  readonly point: Point;
  readonly report: TestReport;
}): FaultRow {
  const [run] = report.hooks;
  const { action, reason = '' } = report;
  return {
    fault,
    point,
    action,
    code: run?.code ?? '',
    reason: printable(reason),
    ms: run?.ms ?? 0,
  };
}

const SEEN: Partial<Readonly<Record<TestReport['action'], string>>> = {
  allow: 'passed',
  block: 'blocked',
  modify: 'passed, changed',
};

function seen({ action, code }: FaultRow): string {
  const said = SEEN[action] ?? action;
  return code === '' ? `${said} (no fault shows)` : said;
}
