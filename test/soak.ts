import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { quantile } from './bench/harness.ts';
import { isMet, tableOf, type Row } from './bench/report.ts';
import { startServer } from './bench/started-server.ts';
import { openWorkplace } from './cli/command-line.ts';
import { CONFIG, FILES, lifeOf, type AgentCall } from './soak/mix.ts';
import { growthOf, verdictOn, type Sample } from './soak/growth.ts';
import { heapProbe, readHeap } from './soak/heap.ts';
import { figuresOf } from './soak/process-figures.ts';

// `npm run soak -- --minutes 30`: does a server that decides a thousand times a second hold more and more?
// Held against each other are the second quarter of the time, when all is warm, and the last (test/soak/growth.ts), each
// after a collection of garbage. The last line says what came of it; exits with 1 when it grew, or was slow or wrong.
const { values: flags } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    rate: { type: 'string', default: '1000' },
  },
});
const [minutes, perSecond] = [Number(flags.minutes), Number(flags.rate)];
if (!(minutes > 0 && perSecond > 0)) throw new Error('--minutes and --rate must be above 0');

/** As many as there may be isolates of sessions in a process. */
const AGENTS = 12;
const TICK_MS = 5;
/** A collection takes the host some 50 ms. */
const SAMPLES = 120;
const sampleMs = Math.max(500, (minutes * 60_000) / SAMPLES);

const seen = { decisions: 0, wrong: 0, times: [] as number[], problems: new Set<string>() };
const samples: Sample[] = [];

const place = await openWorkplace(FILES);
try {
  const heapFile = join(place.folder, 'heap.json');
  Object.assign(process.env, heapProbe(heapFile, sampleMs / 2));
  const server = await startServer({ folder: place.folder, config: CONFIG });
  const pool = new Pool(server.url, { connections: AGENTS });
  try {
    const takenMs = await drive(pool, () => {
      const heap = readHeap(heapFile);
      if (heap !== undefined) samples.push({ ...figuresOf(server.pid), ...heap });
    });
    const grown = growthOf(samples);
    const rows = [...workOf(takenMs), ...grown];
    const { line } = verdictOn(grown);
    process.stdout.write(`${[tableOf(rows), ...seen.problems, line].join('\n')}\n`);
    if (rows.some((row) => isMet(row) === false)) process.exitCode = 1;
  } finally {
    await pool.destroy();
    await server.stop();
  }
} finally {
  await place.remove();
}

/** Makes the calls at their pace, as far as the server keeps up with it, and has samples taken. */
async function drive(pool: Pool, takeSample: () => void): Promise<number> {
  const idle = Array.from({ length: AGENTS }, (_, agent) => lifeOf(agent));
  const startedAt = performance.now();
  const forMs = minutes * 60_000;
  const running = new Set<Promise<void>>();
  let started = 0;
  let nextSampleMs = sampleMs;
  for (let nowMs = 0; nowMs < forMs; nowMs = performance.now() - startedAt) {
    while (started < (nowMs / 1000) * perSecond) {
      const life = idle.shift();
      if (life === undefined) break;
      started += 1;
      const call = decide(pool, life.next().value).finally(() => {
        idle.push(life);
        running.delete(call);
      });
      running.add(call);
    }
    if (nowMs >= nextSampleMs) {
      nextSampleMs += sampleMs;
      takeSample();
    }
    await sleep(TICK_MS);
  }
  const takenMs = performance.now() - startedAt;
  await Promise.all(running);
  return takenMs;
}

async function decide(pool: Pool, call: AgentCall): Promise<void> {
  const { point, payload, sessionId, turnId, isForbidden } = call;
  const startedAt = performance.now();
  const answer = await pool.request({
    path: `/v1/points/${point}`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ payload, context: { sessionId, turnId } }),
  });
  const text = await answer.body.text();
  seen.decisions += 1;
  if (seen.decisions % 100 === 0) seen.times.push(performance.now() - startedAt);
  const { action } = JSON.parse(text) as { readonly action?: string };
  if (answer.statusCode === 200 && (action === 'block') === isForbidden) return;
  seen.wrong += 1;
  if (seen.problems.size < 10) seen.problems.add(`${point}: ${text.slice(0, 300)}`);
}

/** How fast it worked, and how right. */
function workOf(takenMs: number): readonly Row[] {
  return [
    {
      measured: `decisions in a second, for ${minutes} minutes`,
      value: (seen.decisions / takenMs) * 1000,
      unit: '/s',
      goal: { of: 'value', least: 0.95 * perSecond },
    },
    {
      measured: 'time of a decision over HTTP',
      value: quantile(seen.times, 0.5),
      p99: quantile(seen.times, 0.99),
      unit: 'ms',
    },
    {
      measured: 'wrong verdicts and other answers',
      value: seen.wrong,
      unit: 'x',
      goal: { of: 'value', most: 0 },
    },
  ];
}
