import { readFileSync } from 'node:fs';
import { buildBare, startBare } from './bare-host.ts';
import { CALL, LOOK, writeFolder } from './bench-runtime.ts';
import { quantile } from './harness.ts';
import { report } from './report.ts';

// How much memory is private to a package's process, with a bundle of 100 KB, and how much does a session add?
const BUNDLE_BYTES = 100_000;
const SESSIONS = 10;
const ROUNDS = 3;

const parts: string[] = [];
for (let at = 0, bytes = 0; bytes < BUNDLE_BYTES; at += 1) {
  const part = `export const part${at} = (text) => text.split(/[ ,;]/).map((word) => word.toUpperCase() + ${at}).join('-');\n`;
  parts.push(part);
  bytes += part.length;
}
const module = `${parts.join('')}${LOOK}`;

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

const bench = await writeFolder([{ name: 'look', module }]);
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
