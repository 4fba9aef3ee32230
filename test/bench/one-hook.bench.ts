import { rm } from 'node:fs/promises';
import { buildBare, inputOf, startBare } from './bare-host.ts';
import { CALL, writeFolder } from './bench-runtime.ts';
import { interleave, ratioOf, timed } from './harness.ts';
import { report, versus, type Goal } from './report.ts';
import { commandSubject, piscinaSubject, rawIsolateSubject, workerdSubject } from './rivals.ts';

// What does a decision of one isolated hook cost, beside the least that it could, and beside other ways to run a hook?
const ends: (() => unknown)[] = [];
try {
  const bench = await writeFolder([{ name: 'look' }]);
  ends.push(() => rm(bench.folder, { recursive: true, force: true }));
  const runtime = await bench.open();
  ends.push(() => runtime.close());
  const bare = await startBare(await buildBare(bench.folder));
  ends.push(bare.stop);
  const input = inputOf(CALL);
  const context = { sessionId: 's1' };

  const fire = timed('fire', () => runtime.fire('preToolUse', CALL, context));
  const floor = timed('bare child, raw applySync', () => bare.call(input));
  const rivals = await Promise.all([
    rawIsolateSubject(input, (end) => ends.push(end)),
    piscinaSubject(bench.folder, CALL, (end) => ends.push(end)),
    workerdSubject(bench.folder, input, (end) => ends.push(end)),
  ]);
  const [one, ground, ...others] = await interleave([fire, floor, ...rivals], {
    calls: 1500,
    rounds: 7,
    // Until what is called often is compiled for good, on both sides.
    warmUp: 12_000,
  });
  const command = commandSubject(bench.folder, input);
  const [beside, spawned] = await interleave([fire, command], { calls: 8, warmUp: 2 });
  if (one === undefined || ground === undefined || beside === undefined || spawned === undefined)
    throw new Error('A subject was not measured');
  const most = (bound: number): Goal => ({ of: 'ratio', most: bound });
  const goals = [most(2), most(1.6), most(1 / 3)];
  report([
    versus(
      'fire, one hook, 0.6 KB',
      { subject: one, baseline: ground, ratio: ratioOf(one, ground) },
      most(1.35),
    ),
    ...others.map((other, at) =>
      versus('the same', { subject: one, baseline: other, ratio: ratioOf(one, other) }, goals[at]),
    ),
    versus(
      'the same',
      { subject: { ...one, p50: one.p50 }, baseline: spawned, ratio: one.p50 / spawned.p50 },
      most(1 / 200),
    ),
  ]);
} finally {
  for (const end of ends.toReversed()) await end();
}
