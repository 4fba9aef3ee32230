import { buildBare, inputOf, startBare, type Bare } from './bare-host.ts';
import { CALL, writeFolder, type BenchHook } from './bench-runtime.ts';
import { interleave, ratioOf, timed } from './harness.ts';
import { report, versus } from './report.ts';

// What do ten hooks at a point cost, in one package and in ten, beside one hook and beside ten bare round trips?
const HOOKS = 10;
const of = (session: string, count: number, home?: string): BenchHook[] =>
  Array.from({ length: count }, (_, at) => ({
    name: `${session}-${at}`,
    home: home ?? `${session}-${at}`,
    when: { sessions: [session] },
  }));

const bench = await writeFolder([
  ...of('one', 1),
  ...of('together', HOOKS, 'ten'),
  ...of('apart', HOOKS),
]);
const runtime = await bench.open();
const bares: Bare[] = [];
try {
  const entry = await buildBare(bench.folder);
  for (let at = 0; at < HOOKS; at += 1) bares.push(await startBare(entry, at));
  const crowd = await startBare(entry, HOOKS, HOOKS);
  bares.push(crowd);
  const [single, ...rest] = bares.slice(0, HOOKS);
  if (single === undefined) throw new Error('No bare child was started');
  const input = inputOf(CALL);
  const fireAs = (sessionId: string) => () => runtime.fire('preToolUse', CALL, { sessionId });
  const [one, together, apart, ground, bareOne, bareTen] = await interleave(
    [
      timed('fire, one hook', fireAs('one')),
      timed('fire, 10 hooks in one package', fireAs('together')),
      timed('fire, 10 hooks in 10 packages', fireAs('apart')),
      timed('10 bare children, one after the other', async () => {
        for (const bare of [single, ...rest]) await bare.call(input);
      }),
      timed('one bare child, one isolate', () => single.call(input)),
      timed('one bare child, ten isolates in one crossing', () => crowd.call(input)),
    ],
    { calls: 250, rounds: 7 },
  );
  if (
    one === undefined ||
    together === undefined ||
    apart === undefined ||
    ground === undefined ||
    bareOne === undefined ||
    bareTen === undefined
  )
    throw new Error('A subject was not measured');
  const ours = apart.rounds.map((time, round) => (time - (ground.rounds[round] ?? NaN)) / HOOKS);
  report([
    versus(
      together.name,
      { subject: together, baseline: one, ratio: ratioOf(together, one) },
      { of: 'ratio', most: 2 },
    ),
    versus('the least of it: ten isolates in one crossing', {
      subject: bareTen,
      baseline: bareOne,
      ratio: ratioOf(bareTen, bareOne),
    }),
    versus(
      apart.name,
      { subject: apart, baseline: one, ratio: ratioOf(apart, one) },
      { of: 'ratio', most: 11 },
    ),
    {
      measured: 'what is ours of each of the 10 hops',
      value: ours.toSorted((a, b) => a - b)[ours.length >> 1] ?? NaN,
      unit: 'µs',
      baseline: ground.name,
      baselineValue: ground.p50,
      ratio: ratioOf(apart, ground),
      goal: { of: 'value', most: 15 },
    },
  ]);
} finally {
  for (const bare of bares) bare.stop();
  await runtime.close();
  await bench.remove();
}
