import { CALL, writeFolder } from './bench-runtime.ts';
import { interleave, ratioOf, type Subject } from './harness.ts';
import { report, type Row } from './report.ts';

// What does a point cost that no hook is bound to?
const BATCH = 2000;

/** One time per batch: a single call is shorter than the clock's step. */
function batched(name: string, call: () => Promise<unknown>): Subject {
  return {
    name,
    async sample(batches) {
      const times: number[] = [];
      for (let count = 0; count < batches; count += 1) {
        const startedAt = performance.now();
        for (let at = 0; at < BATCH; at += 1) await call();
        times.push(((performance.now() - startedAt) * 1000) / BATCH);
      }
      return times;
    },
  };
}

const bench = await writeFolder([{ name: 'look' }]);
const runtime = await bench.open();
try {
  const context = { sessionId: 's1' };
  const nothing = async (): Promise<undefined> => undefined;
  const [fire, empty] = await interleave(
    [
      batched('fire', () => runtime.fire('postToolUse', CALL, context)),
      batched('an async function that does nothing', nothing),
    ],
    { calls: 100, rounds: 7, warmUp: 300 },
  );
  if (fire === undefined || empty === undefined) throw new Error('A subject was not measured');
  const row: Row = {
    measured: 'fire at a point without hooks',
    value: fire.p50,
    p99: fire.p99,
    unit: 'µs',
    baseline: empty.name,
    baselineValue: empty.p50,
    ratio: ratioOf(fire, empty),
    goal: { of: 'value', most: 0.5 },
  };
  report([row]);
} finally {
  await runtime.close();
  await bench.remove();
}
