import { SignalboxError } from '../../../sdk/errors.ts';
import type { HookSource } from '../../../host/sandbox.ts';
import { findHook } from '../../testing/hook-place.ts';
import { readFixturesIn, type Fixture } from '../../testing/fixtures.ts';
import { openAltered, type TestHost } from '../../testing/test-host.ts';
import { EXIT } from '../exit-code.ts';
import type { Session } from '../session.ts';

/** Options of `signalbox bench`. */
export interface BenchFlags {
  readonly rounds?: string;
}

interface Measured {
  readonly who: string;
  readonly calls: number;
  readonly openMs: number;
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly rssMb: number;
}

/** Measures what a hook costs over its fixtures, and beside it what an empty hook costs in the same kind of sandbox. */
export async function runBench(
  { terminal, signal }: Session,
  folder: string,
  { rounds: text = '200' }: BenchFlags,
): Promise<number> {
  const rounds = Number(text);
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > 1_000_000) {
    throw new SignalboxError('usage', { detail: '--rounds takes a number from 1 on' });
  }
  const place = await findHook(folder);
  await place.remove();
  const fixtures = await readFixturesIn(place);
  if (fixtures.length === 0) {
    const detail = `hook "${place.manifest.name}" has no fixtures`;
    throw new SignalboxError('fixture_missing', { detail });
  }
  const rows: Measured[] = [];
  for (const who of ['an empty hook', place.manifest.name]) {
    if (signal.aborted) return EXIT.interrupted;
    terminal.progress(`${who}: ${rounds * fixtures.length} calls`);
    const started = performance.now();
    const host = await openAltered(
      { hook: folder },
      who === place.manifest.name ? {} : { source: emptied },
    );
    const openMs = performance.now() - started;
    try {
      rows.push({ who, openMs, ...(await measure(host, fixtures, rounds)) });
    } finally {
      await host.close();
    }
  }
  terminal.progress();
  if (terminal.isJson) for (const row of rows) terminal.json(row);
  else {
    terminal.table(
      ['', 'calls', 'open ms', 'median ms', 'p99 ms', 'process MB'],
      rows.map(({ who, calls, openMs, medianMs, p99Ms, rssMb }) => [
        who,
        calls,
        openMs.toFixed(0),
        medianMs.toFixed(3),
        p99Ms.toFixed(3),
        rssMb.toFixed(0),
      ]),
    );
  }
  return EXIT.ok;
}

/** The same sandbox around a hook that allows everything. A worker thread imports a module from its URL. */
function emptied(source: HookSource): HookSource {
  const code = 'export const createHook = () => ({ run: () => ({ action: "allow" }) });';
  return source.sandbox === 'isolate'
    ? { ...source, code, contract: 'signalbox' }
    : { ...source, contract: 'signalbox', sandbox: 'isolate', code, file: 'empty.mjs' };
}

const WARM_UP = 20;

async function measure(
  host: TestHost,
  fixtures: readonly Fixture[],
  rounds: number,
): Promise<Omit<Measured, 'who' | 'openMs'>> {
  const times: number[] = [];
  for (let round = -WARM_UP; round < rounds; round += 1) {
    for (const { point, payload, context } of fixtures) {
      const { runtime, name } = host;
      const session = { sessionId: 'bench', ...context };
      const report = await runtime.test({ point, hookName: name, payload, context: session });
      if (round >= 0) times.push(report.hooks[0]?.ms ?? 0);
    }
  }
  times.sort((a, b) => a - b);
  const at = (part: number): number =>
    times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0;
  const rssMb = Math.max(0, ...host.runtime.processes().map((one) => one.rssMb));
  return { calls: times.length, medianMs: at(0.5), p99Ms: at(0.99), rssMb };
}
