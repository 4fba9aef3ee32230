import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import * as own from '../../sdk/index.ts';
import { callHook, isolateHook, outcomeOf, testHost, workerHook } from './hosts.ts';

// Local hooks are the user's own code, with the user's rights; what they must not do is take the host with them.

const GOOD = `export default { run: (point, payload) => ({ action: 'block', reason: 'good ' + payload.toolName }) }`;
const WILD = (body: string): string => `
import { execSync } from 'node:child_process';
export default { async run(point, payload, ctx) {
  if (payload.toolName !== 'wild') return { action: 'block', reason: 'calm' };
  ${body}
  return { action: 'allow' };
} }`;

/** Whatever the hook does: the host lives, the caller has a decision, and the next calls are served. */
test.each<readonly [what: string, body: string, outcomes: readonly string[]]>([
  ['ends its process', `process.exit(0);`, ['crash', 'sandbox_lost', 'thrown']],
  ['kills its process', `process.kill(process.pid, 'SIGKILL');`, ['crash', 'sandbox_lost']],
  ['aborts its process', `process.abort();`, ['crash', 'sandbox_lost', 'thrown']],
  ['waits for another program', `execSync('sleep 8');`, ['timeout']],
  ['loops', `for (;;);`, ['timeout']],
  ['loops in a native call', `[].indexOf.call({ length: 2 ** 53 - 1 }, 1);`, ['timeout']],
  ['never settles', `await new Promise(() => {});`, ['timeout']],
  [
    'keeps its thread alive for ever',
    `setInterval(() => {}, 1); await new Promise(() => {});`,
    ['timeout'],
  ],
  [
    'grows a Map',
    `const m = new Map(); for (let i = 0; ; i++) m.set(i, i);`,
    ['memory', 'crash', 'timeout', 'sandbox_lost'],
  ],
  [
    'fills an array',
    `const a = []; for (;;) a.push(new Array(1e6).fill(a.length));`,
    ['memory', 'crash', 'timeout', 'sandbox_lost'],
  ],
  [
    'throws in a timer',
    `setTimeout(() => { throw new Error('late') }, 5); await new Promise(() => {});`,
    ['crash', 'thrown', 'timeout'],
  ],
  ['throws nothing', `throw null;`, ['thrown']],
  [
    'throws what loops when it is looked at',
    `throw new Proxy({}, { get() { for (;;); } });`,
    ['timeout', 'thrown'],
  ],
])(
  'a local hook that %s takes nobody with it',
  async (_what, body, outcomes) => {
    const host = await testHost({ queueMs: 20_000, loadMs: 20_000 });
    expect(await host.load(await workerHook('wild', WILD(body)))).toMatchObject({ ok: true });
    expect(await host.load(await workerHook('good', GOOD))).toMatchObject({ ok: true });
    // A thread that is ended while it fills its memory can take the process of the next call with it.
    const timeoutMs = outcomes.includes('memory') ? 20_000 : 2000;
    const result = await callHook(host, 'wild', { payload: { toolName: 'wild' }, timeoutMs });
    expect(outcomes).toContain(outcomeOf(result));
    const calm = { timeoutMs: 20_000 };
    expect(outcomeOf(await callHook(host, 'good', { payload: { toolName: 'a' }, ...calm }))).toBe(
      'good a',
    );
    expect(outcomeOf(await callHook(host, 'wild', { payload: { toolName: 'b' }, ...calm }))).toBe(
      'calm',
    );
  },
  120_000,
);

test.each([
  ['writes to stdout', `process.stdout.write('x'.repeat(100_000) + '\\n');`],
  ['prints', `console.log('line'); console.error('line');`],
  ['writes to the descriptor of stdout', `(await import('node:fs')).writeSync(2, 'x\\n');`],
])(
  'a local hook that %s does not disturb its answer',
  async (_what, body) => {
    const host = await testHost({ queueMs: 20_000, loadMs: 20_000 });
    await host.load(await workerHook('wild', WILD(body)));
    for (const call of [1, 2, 3]) {
      const result = await callHook(host, 'wild', {
        payload: { toolName: 'wild' },
        sessionId: `s${call}`,
        timeoutMs: 20_000,
      });
      expect(outcomeOf(result)).toBe('allow');
    }
  },
  120_000,
);

test('a local hook that writes into the channel itself is treated as crashed, and the next call is served', async () => {
  const host = await testHost({ queueMs: 20_000, loadMs: 20_000 });
  await host.load(
    await workerHook('wild', WILD(`(await import('node:fs')).writeSync(1, 'no frame at all\\n');`)),
  );
  const result = await callHook(host, 'wild', { payload: { toolName: 'wild' }, timeoutMs: 5000 });
  expect(['crash', 'sandbox_lost']).toContain(outcomeOf(result));
  expect(outcomeOf(await callHook(host, 'wild', { timeoutMs: 20_000 }))).toBe('calm');
}, 120_000);

test.each([
  ['an unhandled rejection beside the answer', `void Promise.reject(new Error('nobody looks'));`],
  ['a throw in a timer after the answer', `setTimeout(() => { throw new Error('late') }, 1);`],
  ['an exit after the answer', `setTimeout(() => process.exit(3), 1);`],
])(
  'after %s the next calls are served',
  async (_what, body) => {
    const host = await testHost({ queueMs: 20_000, loadMs: 20_000 });
    await host.load(await workerHook('wild', WILD(body)));
    await host.load(await workerHook('good', GOOD));
    const first = await callHook(host, 'wild', { payload: { toolName: 'wild' }, timeoutMs: 5000 });
    expect(['allow', 'thrown', 'crash']).toContain(outcomeOf(first));
    // A call may still meet the end of the thread: never twice.
    const outcomes: string[] = [];
    for (let call = 0; call < 6; call += 1) {
      outcomes.push(
        outcomeOf(await callHook(host, 'good', { payload: { toolName: 'a' }, timeoutMs: 20_000 })),
      );
    }
    expect(outcomes.filter((outcome) => outcome !== 'good a').length).toBeLessThanOrEqual(1);
    expect(outcomes.at(-1)).toBe('good a');
  },
  120_000,
);

test('what stands beside a stuck local hook is answered all the while', async () => {
  const host = await testHost({ queueMs: 20_000, loadMs: 20_000 });
  await host.load(await workerHook('wild', WILD('for (;;);')));
  await host.load(await workerHook('good', GOOD));
  const stuck = callHook(host, 'wild', { payload: { toolName: 'wild' }, timeoutMs: 20_000 });
  for (let call = 0; call < 20; call += 1) {
    const result = await callHook(host, 'good', { payload: { toolName: 'a' }, timeoutMs: 15_000 });
    expect(outcomeOf(result)).toBe('good a');
  }
  await host.close();
  expect(['crash', 'sandbox_lost', 'cancelled']).toContain(outcomeOf(await stuck));
}, 120_000);

test('a hook that is given as a text runs from it and no file, and errors name its place in the package', async () => {
  const host = await testHost({ queueMs: 20_000, loadMs: 20_000 });
  const place = { sandbox: 'worker', owner: 'p@1.0.0', file: 'hooks/guard/index.mjs' } as const;
  for (const word of ['one', 'two']) {
    const code = `export const run = () => ({ action: 'block', reason: '${word}' });`;
    expect(await host.load(isolateHook(word, code, place))).toMatchObject({ ok: true });
  }
  for (const word of ['one', 'two']) {
    expect(outcomeOf(await callHook(host, word, { timeoutMs: 20_000 }))).toBe(word);
  }
  const torn = isolateHook('torn', `throw new Error('torn');`, place);
  expect(await host.load(torn)).toMatchObject({
    code: 'load_error',
    detail: expect.stringMatching(/^Error: torn\n\s+at hooks\/guard\/index\.mjs:1:7$/) as string,
  });
}, 120_000);

test.skipIf(process.platform !== 'linux')(
  'a local hook that loops while it loads leaves no thread at work',
  async () => {
    const host = await testHost({ queueMs: 20_000, loadMs: 1000 });
    expect(await host.load(await workerHook('good', GOOD))).toMatchObject({ ok: true });
    expect(await host.load(await workerHook('stuck', 'for (;;);'))).toMatchObject({ ok: false });
    const processorTicks = (): number =>
      host
        .processes()
        .map(
          ({ pid }) => readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? [],
        )
        .reduce((sum, fields) => sum + Number(fields[11]) + Number(fields[12]), 0);
    const isAtRest = async (): Promise<boolean> => {
      const before = processorTicks();
      await sleep(300);
      return processorTicks() - before < 15;
    };
    await expect.poll(isAtRest, { timeout: 20_000 }).toBe(true);
  },
);

test("a local hook that imports the checkout's own sdk gets all of it, as one file", async () => {
  const sdk = pathToFileURL(path.join(import.meta.dirname, '../../sdk/index.ts')).href;
  const code = `import * as sdk from '${sdk}';
export default { run: () => ({ action: 'block', reason: Object.keys(sdk).sort().join() + ' ' + import.meta.resolve('${sdk}') }) }`;
  const host = await testHost();
  expect(await host.load(await workerHook('names', code))).toMatchObject({ ok: true });
  const [names, from] = outcomeOf(await callHook(host, 'names')).split(' ');
  expect(names).toBe(Object.keys(own).toSorted().join());
  expect(from).toMatch(/\/sdk-[0-9a-f]{16}\.mjs$/);
});
