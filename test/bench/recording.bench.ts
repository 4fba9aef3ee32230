import { CALL, writeFolder } from './bench-runtime.ts';
import { quantile, rateOf } from './harness.ts';
import { report } from './report.ts';

// What does it cost to record, when one decision in twenty is not neutral, and when none is?
const PACKAGES = 4;
const LOAD = { callers: 256, forMs: 1200 };
const ROUNDS = 7;

/** How many of a hundred decisions are recorded. */
const SHARES = { none: 0, some: 5, all: 100 } as const;
type Share = keyof typeof SHARES;

const BLOCKED = { ...CALL, args: { ...CALL.args, command: 'mkfs /dev/vda' } };
const names = Array.from({ length: PACKAGES }, (_, at) => `p${at}`);
const bench = await writeFolder(names.map((name) => ({ name, when: { sessions: [name] } })));
const runtime = await bench.open();
try {
  const contexts = names.map((sessionId) => ({ sessionId }));
  const rates: Record<Share, number[]> = { none: [], some: [], all: [] };
  const rate = async (share: Share): Promise<number> => {
    let count = 0;
    const perSecond = await rateOf(LOAD, async (at) => {
      count += 1;
      const isRecorded = (count * SHARES[share]) % 100 < SHARES[share];
      const payload = isRecorded ? BLOCKED : CALL;
      const { action } = await runtime.fire('preToolUse', payload, contexts[at % PACKAGES] ?? {});
      if (action !== (isRecorded ? 'block' : 'allow')) throw new Error(`Decided to ${action}`);
    });
    // What was counted meanwhile is none of the next round's.
    await runtime.records.flush();
    return perSecond;
  };
  const order = Object.keys(SHARES) as Share[];
  for (const share of order) await rate(share);
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = round % order.length;
    for (const share of [...order.slice(start), ...order.slice(0, start)]) {
      rates[share].push(await rate(share));
    }
  }
  const row = (share: Share, measured: string, least: number) => ({
    measured,
    value: quantile(rates[share], 0.5),
    unit: '/s' as const,
    baseline: 'nothing to record',
    baselineValue: quantile(rates.none, 0.5),
    ratio: quantile(
      rates[share].map((value, at) => value / (rates.none[at] ?? NaN)),
      0.5,
    ),
    goal: { of: 'ratio', least } as const,
  });
  report([
    row('some', 'decisions, 5 % of them recorded', 0.9),
    row('all', 'decisions, all of them recorded', 0.5),
  ]);
} finally {
  await runtime.close();
  await bench.remove();
}
