import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { CALL, writeFolder } from './bench-runtime.ts';
import { interleave, quantile, ratioOf, type Subject } from './harness.ts';
import type { LoadOrder, LoadResult, Target } from './http-load.ts';
import { report, versus } from './report.ts';
import { startWorkerd } from './rivals.ts';
import { startServer } from './started-server.ts';

// What does a decision over HTTP cost, and how many come in a second over connections that stay open?
const CONNECTIONS = 32;
const SESSIONS = 8;
const ROUND_MS = 1000;
const ROUNDS = 5;

const ends: (() => unknown)[] = [];
const onEnd = (end: () => unknown): void => void ends.push(end);
try {
  const bench = await writeFolder([{ name: 'look' }]);
  onEnd(() => bench.remove());
  const server = await startServer(bench);
  onEnd(() => server.stop());
  const port = await freePort();
  await startWorkerd(bench.folder, { host: '127.0.0.1', port }, onEnd);
  const barePort = await startBareServer();
  const loader = startLoader();

  const bodies = Array.from({ length: SESSIONS }, (_, at) =>
    JSON.stringify({ payload: CALL, context: { sessionId: `s${at}` } }),
  );
  const path = '/v1/points/preToolUse';
  const ours = { origin: server.url, path, bodies };
  const theirs = { origin: `http://127.0.0.1:${port}`, path, bodies };
  const least = { origin: `http://127.0.0.1:${barePort}`, path, bodies };
  const open = { ...ours, path: '/v1/points/postToolUse' };
  const subject = (name: string, target: Target): Subject => ({
    name,
    async sample(calls) {
      const result = await loader({ kind: 'sample', target, calls });
      return result.kind === 'sample' ? result.times : [];
    },
  });
  const [post, workerd, bare, passed] = await interleave(
    [
      subject('POST', ours),
      subject('workerd, HTTP kept alive', theirs),
      subject('node:http that parses and answers, no hook', least),
      subject('POST to a point without a hook', open),
    ],
    { calls: 400, rounds: 9, warmUp: 1000 },
  );
  if (post === undefined || workerd === undefined || bare === undefined)
    throw new Error('A subject was not measured');
  if (passed === undefined) throw new Error('The floor was not measured');

  const rate = async (target: Target): Promise<number> => {
    const order = { kind: 'rate', target, connections: CONNECTIONS, forMs: ROUND_MS } as const;
    const result = await loader(order);
    return result.kind === 'rate' ? result.perSecond : NaN;
  };
  const rates: Record<'ours' | 'theirs' | 'least' | 'open', number>[] = [];
  for (const target of [ours, ours, theirs, least, open]) await rate(target);
  for (let round = 0; round < ROUNDS; round += 1) {
    rates.push({
      ours: await rate(ours),
      theirs: await rate(theirs),
      least: await rate(least),
      open: await rate(open),
    });
  }
  report([
    versus(
      `POST ${path}, one hook, 0.6 KB`,
      { subject: post, baseline: workerd, ratio: ratioOf(post, workerd) },
      { of: 'ratio', most: 1 },
    ),
    {
      measured: `requests, ${CONNECTIONS} connections, ${SESSIONS} sessions`,
      value: median(rates.map((each) => each.ours)),
      unit: '/s',
      baseline: 'workerd, the same load',
      baselineValue: median(rates.map((each) => each.theirs)),
      ratio: median(rates.map((each) => each.ours / each.theirs)),
      goal: { of: 'value', least: 5000 },
    },
    versus('the same', { subject: post, baseline: bare, ratio: ratioOf(post, bare) }),
    {
      measured: 'the same',
      value: median(rates.map((each) => each.ours)),
      unit: '/s',
      baseline: bare.name,
      baselineValue: median(rates.map((each) => each.least)),
      ratio: median(rates.map((each) => each.ours / each.least)),
    },
    versus('of it, HTTP: a point without a hook', {
      subject: passed,
      baseline: bare,
      ratio: ratioOf(passed, bare),
    }),
    {
      measured: 'requests to a point without a hook',
      value: median(rates.map((each) => each.open)),
      unit: '/s',
      baseline: bare.name,
      baselineValue: median(rates.map((each) => each.least)),
      ratio: median(rates.map((each) => each.open / each.least)),
    },
  ]);
} finally {
  for (const end of ends.toReversed()) await end();
}

/** A process that makes the calls, so that their cost is none of the server's. */
function startLoader(): (order: LoadOrder) => Promise<LoadResult> {
  const child = fork(fileURLToPath(new URL('http-load.ts', import.meta.url)));
  onEnd(() => child.connected && child.disconnect());
  const ended = once(child, 'exit').then(() => {
    throw new Error('The process that makes load has ended');
  });
  // It ends with the bench as well, when nobody waits for an answer.
  ended.catch(() => undefined);
  return async (order) => {
    child.send(order);
    const [result] = (await Promise.race([once(child, 'message'), ended])) as [LoadResult];
    return result;
  };
}

async function startBareServer(): Promise<number> {
  const child = fork(fileURLToPath(new URL('bare-http.ts', import.meta.url)));
  onEnd(() => child.connected && child.disconnect());
  const [port] = (await once(child, 'message')) as [number];
  return port;
}

/** workerd does not say which port it was given. */
async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}
