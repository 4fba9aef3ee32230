import { readFileSync } from 'node:fs';
import { buildBare, startBare } from './bare-host.ts';
import { CALL, writeFolder } from './bench-runtime.ts';
import { quantile } from './harness.ts';
import { report } from './report.ts';

// How much memory is private to a package's process, with a bundle of 100 KB, and how much does a session add?
const BUNDLE_BYTES = 100_000;
const SESSIONS = 10;
const ROUNDS = 3;

/** A module as a bundler leaves it: functions of a page each, of which a call runs none or a few. */
function bundleOf(bytes: number): string {
  const lines = Array.from(
    { length: 12 },
    (_, at) =>
      `  const v${at} = text.split(/[ ,;]/).map((word) => word.toUpperCase() + ${at}).join('-');`,
  );
  const count = Math.ceil(bytes / (lines.join('').length + 64));
  const names = Array.from({ length: count }, (_, at) => `part${at}`);
  const parts = names.map(
    (name) => `function ${name}(text) {\n${lines.join('\n')}\n  return v0 + v11;\n}\n`,
  );
  return `${parts.join('')}const parts = { ${names.join(', ')} };
export const run = (point, payload) =>
  payload.args?.part ? { action: 'block', reason: parts[payload.args.part]('a b') } : { action: 'allow' };
`;
}

/** Memory that no other process shares, in MB. */
function privateMb(pid: number): number {
  const lines = readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1').matchAll(
    /^Private_\w+: +(\d+) kB/gm,
  );
  let sumKb = 0;
  for (const [, kb] of lines) sumKb += Number(kb);
  return sumKb / 1000;
}

const settle = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 300));

const bench = await writeFolder([{ name: 'look', module: bundleOf(BUNDLE_BYTES) }]);
const bare = await startBare(await buildBare(bench.folder));
try {
  const [first, further, bareMb]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    const runtime = await bench.open();
    const fire = (session: number): Promise<unknown> =>
      runtime.fire('preToolUse', CALL, { sessionId: `s${session}` });
    await fire(0);
    await settle();
    const pid = runtime.processes()[0]?.pid ?? 0;
    const before = privateMb(pid);
    for (let session = 1; session <= SESSIONS; session += 1) await fire(session);
    await settle();
    first.push(before);
    further.push((privateMb(pid) - before) / SESSIONS);
    bareMb.push(privateMb(bare.pid));
    await runtime.close();
  }
  const baseline = quantile(bareMb, 0.5);
  report([
    {
      measured: 'private memory of a process, 1 session',
      value: quantile(first, 0.5),
      unit: 'MB',
      baseline: 'bare child with an empty isolate',
      baselineValue: baseline,
      ratio: quantile(first, 0.5) / baseline,
      goal: { of: 'value', most: 16 },
    },
    {
      measured: 'private memory of each further session',
      value: quantile(further, 0.5),
      unit: 'MB',
      goal: { of: 'value', most: 2.5 },
    },
  ]);
} finally {
  bare.stop();
  await bench.remove();
}
