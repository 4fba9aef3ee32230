import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LiveRuntime } from '../../src/index.ts';
import { openTemporary, type TemporaryRuntime } from './temporary-runtime.ts';

const NEVER = 'new Promise(() => {})';

let temporary: TemporaryRuntime;
let runtime: LiveRuntime;

beforeAll(async () => {
  temporary = await openTemporary(
    {
      thrower: { scene: 'throw', run: '{ throw new Error("on purpose"); }' },
      rejecter: { scene: 'reject', run: 'Promise.reject(new Error("on purpose"))' },
      sleeper: { scene: 'sleep', home: 'slow', run: NEVER, manifest: { timeoutMs: 150 } },
      patient: {
        scene: 'default-timeout',
        home: 'slow',
        run: NEVER,
        manifest: { timeoutMs: undefined },
      },
      spinner: {
        scene: 'spin',
        home: 'spinning',
        module: 'export const run = () => { for (;;); };',
        manifest: { timeoutMs: 150 },
      },
      'open-thrower': {
        scene: 'open',
        run: '{ throw new Error("on purpose"); }',
        manifest: { failPolicy: 'open' },
      },
      'abort-thrower': {
        scene: 'abort',
        run: '{ throw new Error("on purpose"); }',
        manifest: { failPolicy: 'abort' },
      },
      'turn-thrower': {
        scene: 'turn',
        run: '{ throw new Error("on purpose"); }',
        manifest: { points: ['postTurn'] },
      },
      after: { scene: 'throw', run: '({ action: "allow" })', manifest: { priority: 1 } },
      'bad-import': {
        scene: 'bad-import',
        home: 'broken',
        module: 'throw new Error("at load"); export const run = () => ({ action: "allow" });',
      },
      'hangs-at-load': {
        scene: 'hangs-at-load',
        home: 'hanging',
        module: 'for (;;); export const run = () => ({ action: "allow" });',
      },
      grabber: {
        scene: 'grab',
        run: '(ctx.store?.get("x", "y"), { action: "allow" })',
        manifest: { capabilities: ['gates_tools', 'store:read:other'] },
      },
      'catching-grabber': {
        scene: 'grab-and-catch',
        run: 'ctx.store.get("x", "y").catch(() => 0).then(() => ({ action: "allow" }))',
        manifest: { capabilities: ['gates_tools', 'store:read:other'] },
      },
      'throwing-grabber': {
        scene: 'grab-and-throw',
        run: 'ctx.store.get("x", "y")',
        manifest: { capabilities: ['gates_tools', 'store:read:other'] },
      },
      flooder: {
        scene: 'flood',
        run: 'Promise.allSettled(Array.from({ length: 100 }, () => ctx.store.get("x", "y"))).then(() => ({ action: "allow" }))',
        manifest: { capabilities: ['store:read'] },
      },
      'everywhere-thrower': {
        scene: 'defaults',
        run: '{ throw new Error("on purpose"); }',
        manifest: {
          points: [
            'preInput',
            'preToolUse',
            'postToolUse',
            'preOutput',
            'postTurn',
            'onToken',
            'postToolFailure',
          ],
        },
      },
    },
    { limits: { loadMs: 5000 } },
  );
  ({ runtime } = temporary);
});

afterAll(() => temporary.remove());

function call(scene: string): ReturnType<typeof runtime.fire<'preToolUse'>> {
  return runtime.fire(
    'preToolUse',
    { toolName: 'tool', args: { key: 'SECRET' } },
    { sessionId: scene, turnId: 't' },
  );
}

test.each([
  ['throw', 'thrower', 'thrown'],
  ['reject', 'rejecter', 'thrown'],
  ['sleep', 'sleeper', 'timeout'],
  ['spin', 'spinner', 'timeout'],
])(
  '[AM32] [AM33] %s: a closed hook blocks with the fixed reason, and the code tells why',
  async (scene, hook, code) => {
    expect(await call(scene)).toMatchObject({
      action: 'block',
      reason: `Hook "${hook}" failed (fail-closed)`,
      code,
      hook,
    });
  },
);

test('[AM31] the cap is 1500 ms unless a manifest says otherwise, and the verdict comes at the cap', async () => {
  const row = runtime.inventory().hooks.find(({ hook }) => hook === 'patient');
  expect(row?.timeoutMs).toBe(1500);
  const verdict = await call('default-timeout');
  expect(verdict).toMatchObject({ action: 'block', code: 'timeout' });
  expect(verdict.trace[0]?.ms).toBeGreaterThanOrEqual(1490);
  expect(verdict.trace[0]?.ms).toBeLessThan(3000);
});

test('[AM34] the default policy is closed at gates and open at postTurn', async () => {
  const points = runtime
    .inventory()
    .hooks.find(({ hook }) => hook === 'everywhere-thrower')?.points;
  const policies = Object.fromEntries(
    (points ?? []).map(({ point, failPolicy }) => [point, failPolicy]),
  );
  expect(policies).toEqual({
    preInput: 'closed',
    preToolUse: 'closed',
    postToolUse: 'closed',
    preOutput: 'closed',
    postTurn: 'open',
    onToken: 'closed',
    postToolFailure: 'closed',
  });
  const context = { sessionId: 'defaults' };
  expect((await runtime.fire('preOutput', { text: 't' }, context)).action).toBe('block');
  expect((await runtime.fire('onToken', { text: 't' }, context)).action).toBe('suppress');
  expect((await runtime.fire('postTurn', { turn: 1, input: '', output: '' }, context)).action).toBe(
    'allow',
  );
  const replaced = await runtime.fire(
    'postToolFailure',
    { toolName: 'x', args: {}, error: 'SECRET' },
    context,
  );
  expect(replaced).toMatchObject({
    action: 'modify',
    payload: { error: 'Hook "everywhere-thrower" failed (fail-closed)' },
  });
});

test('[AM35] an open hook that fails lets the call pass, with the code in the trace', async () => {
  const verdict = await call('open');
  expect(verdict).toMatchObject({
    action: 'allow',
    trace: [{ hook: 'open-thrower', code: 'thrown' }],
  });
  expect(verdict.code).toBeUndefined();
});

test('an abort hook that fails blocks and ends the run', async () => {
  expect(await call('abort')).toMatchObject({ action: 'block', endsRun: true });
});

test('what stands after a failed closed hook does not run', async () => {
  expect((await call('throw')).notRun).toEqual(['after']);
});

test('a hook that cannot be loaded stays in the chain and fails by its policy', async () => {
  expect(await call('bad-import')).toMatchObject({ action: 'block', code: 'load_error' });
  expect(runtime.inventory().hooks.find(({ hook }) => hook === 'bad-import')).toMatchObject({
    state: 'failing',
    failure: { code: 'load_error' },
  });
  expect(runtime.inventory().health).toBe('degraded');
});

test('a bridge that was not granted fails the run even if the hook takes no notice', async () => {
  expect(await call('grab')).toMatchObject({ action: 'block', code: 'capability' });
  expect(await call('grab-and-catch')).toMatchObject({ action: 'block', code: 'capability' });
  expect(await call('grab-and-throw')).toMatchObject({ action: 'block', code: 'capability' });
});

test('a run that makes more bridge calls than it has credit for fails', async () => {
  expect(await call('flood')).toMatchObject({ action: 'block', code: 'credit' });
});

test('[AM36] every non-allow decision and every failure is logged and recorded, and holds no payload value', async () => {
  await call('throw');
  await call('open');
  const { records } = await runtime.records.query({ session: 'open' });
  expect(records[0]).toMatchObject({
    hook: 'open-thrower',
    point: 'preToolUse',
    action: 'allow',
    code: 'thrown',
    package: 'plain',
    version: '1.0.0',
    sessionId: 'open',
    turnId: 't',
  });
  const lines = temporary.logged().filter(({ event }) => event === 'guardrail_decision');
  expect(lines).toContainEqual(
    expect.objectContaining({
      hook: 'thrower',
      point: 'preToolUse',
      action: 'block',
      code: 'thrown',
      reason: expect.any(String) as string,
    }),
  );
  expect(JSON.stringify([records, temporary.logged()])).not.toContain('SECRET');
});

test('[B03] a module that hangs at its top level is reported and fails; everything else is served', async () => {
  const row = runtime.inventory().hooks.find(({ hook }) => hook === 'hangs-at-load');
  expect(row).toMatchObject({ state: 'failing', failure: { code: 'load_timeout' } });
  expect(await call('hangs-at-load')).toMatchObject({ action: 'block', code: 'load_timeout' });
  expect((await runtime.fire('preToolUse', { toolName: 'x' }, { sessionId: 'none' })).action).toBe(
    'allow',
  );
});

test('failures are counted by hook, point and code', async () => {
  await call('throw');
  const numbers = runtime.metrics.snapshot().hooks.find(({ hook }) => hook === 'thrower');
  expect(numbers?.failures).toMatchObject({ thrown: numbers?.calls });
  expect(runtime.metrics.snapshot().passedDespiteFailure.preToolUse).toBeGreaterThan(0);
});
