import { buildBare, inputOf, startBare, type Bare } from './bare-host.ts';
import { CALL, writeFolder } from './bench-runtime.ts';
import { quantile, rateOf } from './harness.ts';
import { report } from './report.ts';

// How many decisions come out in a second, from 64 callers and 10 packages on two cores?
const PACKAGES = 10;
const CALLERS = 64;
const ROUNDS = 7;

const LOAD = { callers: CALLERS, forMs: 1200 };

/** The same rule as ours: one unfinished call per process, the queue is here. */
function queued(bare: Bare): (input: string) => Promise<string> {
  const waiting: (() => void)[] = [];
  let isBusy = false;
  return async (input) => {
    if (isBusy) await new Promise<void>((resolve) => void waiting.push(resolve));
    isBusy = true;
    const answer = await bare.call(input);
    isBusy = false;
    waiting.shift()?.();
    return answer;
  };
}

const names = Array.from({ length: PACKAGES }, (_, at) => `p${at}`);
const bench = await writeFolder(names.map((name) => ({ name, when: { sessions: [name] } })));
const runtime = await bench.open();
const bares: Bare[] = [];
try {
  const entry = await buildBare(bench.folder);
  for (let at = 0; at < PACKAGES; at += 1) bares.push(await startBare(entry, at));
  const input = inputOf(CALL);
  const contexts = names.map((sessionId) => ({ sessionId }));
  const loops = bares.map(queued);
  const fire = (at: number): Promise<unknown> =>
    runtime.fire('preToolUse', CALL, contexts[at % PACKAGES] ?? {});
  const loop = async (at: number): Promise<unknown> => loops[at % PACKAGES]?.(input);
  await rateOf(LOAD, fire);
  await rateOf(LOAD, loop);
  const [ours, floors]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    ours.push(await rateOf(LOAD, fire));
    floors.push(await rateOf(LOAD, loop));
  }
  const row = {
    value: quantile(ours, 0.5),
    unit: '/s',
    baseline: 'bare children, one call at a time each',
    baselineValue: quantile(floors, 0.5),
    ratio: quantile(
      ours.map((value, at) => value / (floors[at] ?? NaN)),
      0.5,
    ),
  } as const;
  report([
    {
      measured: 'decisions, 64 callers, 10 packages',
      ...row,
      goal: { of: 'value', least: 25_000 },
    },
    { measured: 'the same', ...row, goal: { of: 'ratio', least: 0.6 } },
  ]);
} finally {
  for (const bare of bares) bare.stop();
  await runtime.close();
  await bench.remove();
}
