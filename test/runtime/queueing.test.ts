import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTemporary, type TemporaryRuntime } from './temporary-runtime.ts';

const SLOW = `(async () => { await new Promise((go) => setTimeout(go, 200)); return { action: 'block', reason: 'looked' }; })()`;
const NEVER = `new Promise(() => {})`;
const CALLS = 200;

let temporary: TemporaryRuntime;

beforeAll(async () => {
  temporary = await openTemporary(
    {
      slow: { run: SLOW, home: 'slow', scene: 'slow', manifest: { timeoutMs: 1500 } },
      slowIn: {
        run: SLOW,
        home: 'slow-in',
        manifest: {
          timeoutMs: 1500,
          when: { sessions: Array.from({ length: CALLS }, (_, at) => `s${at}`) },
        },
      },
      never: { run: NEVER, home: 'never', scene: 'never', manifest: { timeoutMs: 60_000 } },
      swift: { home: 'never', scene: 'swift', manifest: { timeoutMs: 60_000 } },
    },
    { limits: { queueMs: 4000, queueLength: 1000 } },
  );
}, 120_000);
afterAll(() => temporary.remove());

function fire(sessionId: string, signal?: AbortSignal) {
  return temporary.runtime.fire(
    'preToolUse',
    { toolName: 'Bash', args: { command: 'rm -rf x' } },
    { sessionId, ...(signal === undefined ? {} : { signal }) },
  );
}

test.each([
  ['one session, where calls wait for each other', () => 'slow'],
  ['as many sessions', (call: number) => `s${call}`],
])(
  '[B01] 200 parallel calls of a 200 ms hook in %s each get a decision by rule, and none passes',
  async (_where, sessionOf) => {
    const verdicts = await Promise.all(
      Array.from({ length: CALLS }, (_, call) => fire(sessionOf(call))),
    );
    expect(verdicts).toHaveLength(CALLS);
    for (const { action, reason, trace } of verdicts) {
      expect(action).toBe('block');
      const code = trace[0]?.code;
      // Either the hook's own word, or a failure of the wait or of the cap, with the reason that is fixed.
      if (code === undefined) expect(reason).toBe('looked');
      else {
        expect(['queue_timeout', 'timeout']).toContain(code);
        expect(reason).toMatch(/^Hook "slow(In)?" failed \(fail-closed\)$/);
      }
    }
    expect(verdicts.some(({ reason }) => reason === 'looked')).toBe(true);
  },
  120_000,
);

test('cancelling calls that hold every place frees the places', async () => {
  const abort = new AbortController();
  const held = Array.from({ length: 100 }, () => fire('never', abort.signal));
  const cancelled = Promise.all(held);
  setTimeout(() => abort.abort(), 50);
  expect((await cancelled).map(({ trace }) => trace[0]?.code)).toEqual(held.map(() => 'cancelled'));
  // The same package serves the next call long before the cap of those that were cancelled.
  expect((await fire('swift')).trace).toMatchObject([{ action: 'allow' }]);
}, 120_000);
