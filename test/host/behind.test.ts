import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import type { CallResult, Host } from '../../host/sandbox.ts';
import { callHook, isolateHook, outcomeOf, testHost } from './hosts.ts';

// Calls that come while code runs are sent to its process ahead, so that it need not wait for them.

const DEEDS = ['echo', 'throw', 'wait', 'slow', 'stuck', 'abort'] as const;
type Deed = (typeof DEEDS)[number];

/** Does what it is told, and says for which call it did. */
const HOOK = `
  let runs = 0;
  export default {
    async run(point, { args: { deed, id } }, ctx) {
      runs += 1;
      if (deed === 'throw') throw new Error('oh');
      if (deed === 'wait') await ctx.store.get('c', 'k');
      if (deed === 'slow') for (const end = Date.now() + 100; Date.now() < end;);
      if (deed === 'stuck') for (;;);
      return { action: 'block', reason: deed === 'count' ? 'run ' + runs : id };
    },
  };`;
const SESSIONS = ['a', 'b', 'c'] as const;
const WARM_RUNS = 12;

beforeAll(async () => {
  // What all tests need is bundled before any of them has a time limit.
  await testHost();
}, 60_000);

async function openHooks(): Promise<Host> {
  const host = await testHost({ queueMs: 60_000, loadMs: 30_000, queueLength: 1000 });
  expect(await host.load(isolateHook('told', HOOK))).toMatchObject({ ok: true });
  // Quick by its record, or nothing is sent behind it.
  for (const session of SESSIONS) {
    for (let run = 0; run < WARM_RUNS; run += 1) await tell(host, { deed: 'echo', session }, '');
  }
  return host;
}

interface Told {
  readonly deed: Deed | 'count';
  readonly session: string;
}

function tell(host: Host, { deed, session }: Told, id: string): Promise<CallResult> {
  const caller = new AbortController();
  if (deed === 'abort') queueMicrotask(() => caller.abort());
  return callHook(host, 'told', {
    payload: { toolName: 'echo', args: { deed, id } },
    sessionId: session,
    timeoutMs: deed === 'stuck' ? 150 : 30_000,
    ops: ['store.get'],
    bridge: () => new Promise((answer) => setTimeout(() => answer({ ok: true, value: null }), 2)),
    signal: caller.signal,
  });
}

const OUTCOMES: Readonly<Partial<Record<Told['deed'], string>>> = {
  throw: 'thrown',
  stuck: 'timeout',
  abort: 'cancelled',
};

test('whatever comes together, every call has its own outcome and nobody else’s', async () => {
  const host = await openHooks();
  const told = fc.record({
    deed: fc.oneof(
      { weight: 12, arbitrary: fc.constantFrom<Deed>('echo', 'throw', 'wait') },
      { weight: 2, arbitrary: fc.constantFrom<Deed>('slow', 'abort') },
    ),
    session: fc.constantFrom(...SESSIONS),
  });
  // One at most: who waits for a bridge while its process is killed twice is lost.
  const stuck = fc.option(fc.record({ at: fc.nat(23), session: fc.constantFrom(...SESSIONS) }));
  const together = fc.array(told, { minLength: 2, maxLength: 24 });
  await fc.assert(
    fc.asyncProperty(together, stuck, async (others, one) => {
      const calls: Told[] = [...others];
      if (one !== null) calls.splice(one.at, 0, { deed: 'stuck', session: one.session });
      const results = await Promise.all(calls.map((call, at) => tell(host, call, `${at}`)));
      expect(results.map(outcomeOf)).toEqual(
        calls.map(({ deed }, at) => OUTCOMES[deed] ?? `${at}`),
      );
    }),
    { numRuns: 25, seed: 20_261_130 },
  );
}, 180_000);

test('calls of one session that come together run in their order, each once', async () => {
  const host = await openHooks();
  const calls = Array.from({ length: 40 }, () => tell(host, { deed: 'count', session: 'a' }, ''));
  const runs = (await Promise.all(calls)).map(outcomeOf);
  expect(runs).toEqual(Array.from({ length: 40 }, (_, at) => `run ${at + WARM_RUNS + 1}`));
  expect(host.processes()).toHaveLength(1);
}, 60_000);

test('a call behind code that never ends has its decision while that is stuck', async () => {
  const host = await openHooks();
  const order: string[] = [];
  const stuck = callHook(host, 'told', {
    payload: { toolName: 'echo', args: { deed: 'stuck', id: '' } },
    sessionId: 'a',
    timeoutMs: 4000,
  }).then((result) => order.push(`stuck: ${outcomeOf(result)}`));
  const behind = tell(host, { deed: 'echo', session: 'b' }, 'free').then((result) =>
    order.push(`behind: ${outcomeOf(result)}`),
  );
  await Promise.all([stuck, behind]);
  expect(order).toEqual(['behind: free', 'stuck: timeout']);
}, 60_000);

test('a caller who gives up a call that waits behind another takes nothing from its session', async () => {
  const host = await openHooks();
  const slow = tell(host, { deed: 'slow', session: 'a' }, 'slow');
  const given = tell(host, { deed: 'abort', session: 'b' }, '');
  expect(outcomeOf(await given)).toBe('cancelled');
  expect(outcomeOf(await slow)).toBe('slow');
  const count = await tell(host, { deed: 'count', session: 'b' }, '');
  // It may have been taken up when its caller gave it up, and counts as a run of the module then.
  expect([WARM_RUNS + 1, WARM_RUNS + 2].map((run) => `run ${run}`)).toContain(outcomeOf(count));
}, 60_000);

test('code that takes long behind code that takes long is no reason to end their process', async () => {
  const host = await openHooks();
  const before = host.processes().map(({ pid }) => pid);
  const calls = SESSIONS.map((session) => tell(host, { deed: 'slow', session }, session));
  expect((await Promise.all(calls)).map(outcomeOf)).toEqual(SESSIONS);
  const count = await tell(host, { deed: 'count', session: 'a' }, '');
  expect(outcomeOf(count)).toBe(`run ${WARM_RUNS + 2}`);
  expect(host.processes().map(({ pid }) => pid)).toEqual(expect.arrayContaining(before));
}, 60_000);

test('calls that are given back keep their order', async () => {
  const host = await openHooks();
  const order: string[] = [];
  const slow = tell(host, { deed: 'slow', session: 'a' }, '');
  const behind = ['1', '2', '3'].map(async (id) =>
    order.push(outcomeOf(await tell(host, { deed: 'echo', session: 'b' }, id))),
  );
  await Promise.all([slow, ...behind]);
  expect(order).toEqual(['1', '2', '3']);
}, 60_000);

test('a session that ends while a call that was given up stands in line leaves nothing behind', async () => {
  const host = await openHooks();
  const slow = tell(host, { deed: 'slow', session: 'a' }, '');
  const given = await tell(host, { deed: 'abort', session: 'b' }, '');
  expect(given.ms).toBeGreaterThanOrEqual(0);
  host.endSession('b');
  await slow;
  expect(outcomeOf(await tell(host, { deed: 'count', session: 'b' }, ''))).toBe('run 1');
}, 60_000);
