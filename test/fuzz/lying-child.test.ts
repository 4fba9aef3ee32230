import { expect, onTestFinished, test } from 'vitest';
import { openHost } from '../../host/host.ts';
import { openNurseries } from '../../host/nurseries.ts';
import type { CallResult, Host } from '../../host/sandbox.ts';
import { PROTOCOL } from '../../host/messages.ts';
import { callHook, isolateHook } from '../host/hosts.ts';
import { RUNS, SEED } from './fuzz-size.ts';
import { makeLiar } from './liar.ts';

const LIMITS = {
  loadMs: 20_000,
  graceMs: 50,
  queueMs: 20_000,
  queueLength: 100,
  rssMb: null,
  idleMs: null,
  maxIsolates: 4,
};
/** A child that lies is told by what it says, not by its time: a busy machine takes long to let it speak. */
const PATIENT_MS = 20_000;
const CAP_MS = 700;
const ALLOW = JSON.stringify({ action: 'allow' });

/** Opens the load honestly, then does as told for a run. */
const onRun = (body: string): string =>
  `if (heard.kind === 1) say(2, heard.id, 6, ''); else if (heard.kind === 2) { ${body} }`;

async function hostOf(body: string, first?: string): Promise<Host> {
  const liar = await makeLiar(body, first);
  const host = openHost({ limits: LIMITS, nurseries: openNurseries(liar.entries, 0) });
  onTestFinished(async () => {
    await host.close();
    await liar.remove();
  });
  return host;
}

async function callOf(
  body: string,
  timeoutMs = PATIENT_MS,
): Promise<{ result: CallResult; pids: readonly number[]; host: Host }> {
  const host = await hostOf(onRun(body));
  expect(await host.load(isolateHook('lies', ''))).toMatchObject({ ok: true });
  const pids = host.processes().map(({ pid }) => pid);
  const result = await callHook(host, 'lies', { timeoutMs });
  return { result, pids, host };
}

async function untilGone(pids: readonly number[]): Promise<void> {
  const isThere = (pid: number): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  await expect.poll(() => pids.filter(isThere), { timeout: 10_000 }).toEqual([]);
}

test('a child that keeps to the wire is heard, so that the others are not refused for nothing', async () => {
  const { result } = await callOf(`say(2, heard.id, 0, ${JSON.stringify(ALLOW)})`);
  expect(result).toMatchObject({ ok: true, answer: ALLOW });
});

test.each([
  ['random bytes', `write(require('node:crypto').randomBytes(4096))`],
  ['text', `write('Segmentation fault\\n')`],
  ['a length that no frame has', `write(Buffer.from([255, 255, 255, 255, 2]))`],
  ['a frame shorter than its head', `write(Buffer.from([1, 0, 0, 0, 2]))`],
  ['a kind that does not exist', `say(77, heard.id, 0, '')`],
  ['an outcome that does not exist', `say(2, heard.id, 99, '')`],
  ['a second first message', `say(1, 0, 1, 'x')`],
  ['the end of a call that nobody made', `say(2, heard.id + 1000, 0, '{}')`],
  ['the end of a call twice', `say(2, heard.id - 1, 0, '{"action":"allow"}')`],
  ['that a call stopped which nobody ended', `say(6, heard.id, 0, '')`],
  ['that a call waits which nobody made', `say(3, heard.id + 1000, 0, '')`],
  ['that it left out a run which it was not sent ahead', `say(7, heard.id, 0, '')`],
  ['that it left out a run which nobody made', `say(7, heard.id + 1000, 0, '')`],
  ['a line of a call that nobody made', `say(5, heard.id + 1000, 0, 'line')`],
  ['a bridge call of a call that nobody made', `say(4, heard.id + 1000, 1, '["store.get"]')`],
  ['a bridge call that is no JSON', `say(4, heard.id, 1, '[')`],
  ['a bridge call without an operation', `say(4, heard.id, 1, '{}')`],
  [
    'a bridge call of three megabytes',
    `say(4, heard.id, 1, JSON.stringify(['store.put', 'x'.repeat(3e6)]))`,
  ],
  ['that a run has loaded', `say(2, heard.id, 6, '')`],
])('a child that says %s is treated as crashed', async (_name, body) => {
  const { result, pids, host } = await callOf(body);
  expect(result).toMatchObject({ ok: false, code: 'crash', role: 'culprit' });
  await untilGone(pids);
  // Its place is taken by another: the package is not given up.
  const next = await callHook(host, 'lies', { timeoutMs: PATIENT_MS, sessionId: 'next' });
  expect(next.ok ? 'ok' : next.code).toBe('crash');
});

test.each([
  ['says nothing', ''],
  ['says half a frame', `write(Buffer.from([20, 0, 0, 0, 2]))`],
  ['says that it waits, for ever', `say(3, heard.id, 0, '')`],
  ['talks without end', `setInterval(() => say(5, heard.id, 0, 'x'.repeat(4000)), 0)`],
])('a child that %s has until the cap', async (_name, body) => {
  const { result } = await callOf(body, CAP_MS);
  expect(result).toMatchObject({ ok: false, code: 'timeout' });
  expect(result.logs.join('').length).toBeLessThan(1_000_000);
});

test('what a child says after its answer, when nothing runs, ends it', async () => {
  const { result, pids } = await callOf(
    `say(2, heard.id, 0, ${JSON.stringify(ALLOW)}); setTimeout(() => say(5, heard.id, 0, 'late'), 20)`,
  );
  expect(result.ok).toBe(true);
  await untilGone(pids);
});

test('a child that goes on talking of a call that was ended, and never says that it stopped, is ended', async () => {
  const { result, pids } = await callOf(
    `say(3, heard.id, 0, ''); setInterval(() => { for (let at = 0; at < 100; at += 1) say(5, heard.id, 0, 'x'); }, 1)`,
    CAP_MS,
  );
  expect(result).toMatchObject({ ok: false, code: 'timeout' });
  await untilGone(pids);
});

test.each([
  ['another build', `say(1, 0, ${PROTOCOL}, 'another');`],
  ['another wire', `say(1, 0, ${PROTOCOL + 1}, 'x');`],
  ['something else', `say(2, 1, 0, '{}');`],
  ['garbage', `write('node: bad option\\n');`],
])('a child whose first message names %s is never used', async (_name, first) => {
  const host = await hostOf('', first);
  const load = await Promise.race([
    host.load(isolateHook('lies', '')),
    new Promise((resolve) => setTimeout(() => resolve('still waiting'), 1500)),
  ]);
  expect(load).not.toMatchObject({ ok: true });
  expect(host.processes()).toEqual([]);
});

test('whatever mixture of frames a child says, each call has one outcome in time and the host goes on', async () => {
  // A generator of the child's own: the same seed gives the same frames.
  const chaos = `
      globalThis.state ??= ${SEED} ^ (process.ppid === 0 ? 1 : 0) ^ Number(heard.text.match(/lot (\\d+)/)?.[1] ?? 0);
      const next = (n) => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) % n;
      for (let count = next(6); count >= 0; count -= 1) {
        const id = [heard.id, heard.id, heard.id - 1, 0, next(50)][next(5)];
        const text = ['', '{"action":"allow"}', '["store.get","c","k"]', '["timer.set",0]', '[', 'x'.repeat(next(9000))][next(6)];
        const bytes = frame(next(8), id >>> 0, next(10), text);
        if (next(9) === 0) bytes[next(bytes.length)] = next(256);
        write(next(9) === 0 ? bytes.subarray(0, next(bytes.length)) : bytes);
      }`;
  const host = await hostOf(onRun(chaos));
  await host.load(isolateHook('lies', ''));
  const outcomes = new Map<string, number>();
  const calls = Math.max(60, RUNS / 100);
  for (let at = 0; at < calls; at += 1) {
    const result = await callHook(host, 'lies', {
      timeoutMs: 150,
      sessionId: `s${at % 7}`,
      payload: { toolName: `lot ${at}` },
    });
    const outcome = result.ok ? 'ok' : result.code;
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    if (result.ok) expect(Buffer.byteLength(result.answer)).toBeLessThan(10_000);
  }
  const known = [
    'ok',
    'crash',
    'timeout',
    'thrown',
    'invalid_decision',
    'answer_size',
    'memory',
    'load_error',
    'sandbox_lost',
    'load_timeout',
    'queue_timeout',
  ];
  expect([...outcomes.keys()].filter((outcome) => !known.includes(outcome))).toEqual([]);
  expect(outcomes.get('crash')).toBeGreaterThan(0);
}, 3_600_000);
