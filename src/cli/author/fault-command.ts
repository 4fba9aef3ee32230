import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { SignalboxError } from '../../../sdk/errors.ts';
import type { Point } from '../../../sdk/points.ts';
import { nearest } from '../../config/nearest.ts';
import { loadConfig } from '../../config/load-config.ts';
import type { RuntimeConfig } from '../../config/runtime-config.ts';
import { printable } from '../../config/printable.ts';
import { startRuntime, type LiveRuntime } from '../../live-runtime.ts';
import type { TestReport } from '../../runtime.ts';
import { FAULT_NAMES, FAULTS, rigFault, type FaultName } from '../../testing/faults.ts';
import { findFixtures, type Fixture } from '../../testing/fixtures.ts';
import { samplePayload } from '../../testing/sample-payload.ts';
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
  const fixtures = await readFixtures(read, hook);
  const calls = (point: Point): readonly Call[] => {
    const own = fixtures.filter((fixture) => fixture.point === point);
    return own.length > 0 ? own : [{ point, payload: samplePayload(point, SAMPLE) }];
  };
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

function pointsOf(runtime: LiveRuntime, hook: string): readonly Point[] {
  const { hooks } = runtime.inventory();
  const row = hooks.find((one) => one.hook === hook);
  if (row !== undefined) return row.points.map(({ point }) => point);
  const names = hooks.map((one) => one.hook);
  throw new SignalboxError('hook_unknown', { hook, nearest: nearest(hook, names) ?? '' });
}

type Call = Pick<Fixture, 'point' | 'payload' | 'context'>;

const SAMPLE = { text: 'a sample', open: 'a sample', isFull: true };

/** The fixtures that can be read; what is wrong with the others is told by testing them. */
async function readFixtures(config: RuntimeConfig, hook: string): Promise<readonly Fixture[]> {
  const files = await findFixtures(config, hook);
  const read = await Promise.allSettled(files.map((file) => file.read()));
  return read.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
}

/** The first call that the fault shows in, else the last: a slow store is nothing to a call that does not ask it. */
async function tryOut(
  runtime: LiveRuntime,
  hookName: string,
  calls: readonly Call[],
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
