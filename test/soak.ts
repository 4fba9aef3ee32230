import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { quantile } from './bench/harness.ts';
import { openCallSocket, postOf, type CallSocket } from './bench/http-socket.ts';
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
  try {
    const takenMs = await drive(server.url, () => {
      const heap = readHeap(heapFile);
      if (heap !== undefined) samples.push({ ...figuresOf(server.pid), ...heap });
    });
    const grown = growthOf(samples);
    const rows = [...workOf(takenMs), ...grown];
    const { line } = verdictOn(grown);
    process.stdout.write(`${[tableOf(rows), ...seen.problems, line].join('\n')}\n`);
    if (rows.some((row) => isMet(row) === false)) process.exitCode = 1;
  } finally {
    await server.stop();
  }
} finally {
  await place.remove();
}

/** Has all agents make their calls at their pace, as far as the server keeps up with it, and samples taken meanwhile. */
async function drive(origin: string, takeSample: () => void): Promise<number> {
  const forMs = minutes * 60_000;
  const startedAt = performance.now();
  const sampling = setInterval(takeSample, sampleMs);
  try {
    await Promise.all(Array.from({ length: AGENTS }, (_, agent) => live(agent)));
  } finally {
    clearInterval(sampling);
  }
  return performance.now() - startedAt;

  async function live(agent: number): Promise<void> {
    const socket = openCallSocket(origin);
    const life = lifeOf(agent);
    for (let call = 0; performance.now() - startedAt < forMs; call += 1) {
      const dueMs = ((call * AGENTS + agent) / perSecond) * 1000;
      const earlyMs = dueMs - (performance.now() - startedAt);
      if (earlyMs > 0) await sleep(earlyMs);
      await decide(socket, origin, life.next().value);
    }
    socket.close();
  }
}

async function decide(socket: CallSocket, origin: string, call: AgentCall): Promise<void> {
  const { point, payload, sessionId, turnId, isForbidden } = call;
  const body = JSON.stringify({ payload, context: { sessionId, turnId } });
  const startedAt = performance.now();
  const answer = await socket.call(postOf(origin, `/v1/points/${point}`, body));
  seen.decisions += 1;
  if (seen.decisions % 100 === 0) seen.times.push(performance.now() - startedAt);
  const [head = '', text = ''] = answer.split('\r\n\r\n', 2);
  const { action } = JSON.parse(text) as { readonly action?: string };
  if (head.startsWith('HTTP/1.1 200 ') && (action === 'block') === isForbidden) return;
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
