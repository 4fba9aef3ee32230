import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LiveRuntime, Verdict } from '../../src/index.ts';
import { openTemporary, type TemporaryRuntime } from '../runtime/temporary-runtime.ts';

let temporary: TemporaryRuntime;
let runtime: LiveRuntime;

const INPUT = { points: ['preInput'] };

beforeAll(async () => {
  temporary = await openTemporary(
    {
      'slow-blocker': {
        scene: 'B01',
        home: 'parallel',
        run: 'new Promise((done) => setTimeout(() => done({ action: "block", reason: "x" }), 200))',
        manifest: { timeoutMs: 1500 },
      },
      'never-settles': {
        scene: 'B02 never',
        home: 'never',
        run: 'new Promise(() => {})',
        manifest: { timeoutMs: 300 },
      },
      'never-ends': {
        scene: 'B02 loop',
        home: 'loop',
        module: 'export const run = () => { while (true) {} };',
        manifest: { timeoutMs: 300 },
      },
      'hangs-at-load': {
        scene: 'B03 loop',
        home: 'load-loop',
        module: 'while (true) {}\nexport const run = () => ({ action: "allow" });',
      },
      'waits-at-load': {
        scene: 'B03 wait',
        home: 'load-wait',
        module: 'await new Promise(() => {});\nexport const run = () => ({ action: "allow" });',
      },
      'endless-regex': {
        scene: 'B04',
        home: 'regex',
        module:
          'export const run = (p, x) => { const re = /sk-[a-z]+/; const m = []; let k; while ((k = re.exec(x.text))) m.push(k); return { action: "allow" }; };',
        manifest: { ...INPUT, timeoutMs: 1500 },
      },
      'reaches-out': {
        scene: 'B06',
        home: 'reach',
        module: `export const run = function () {
        const p = this?.constructor?.constructor?.('return process')?.();
        return { action: 'block', reason: String(p?.env?.HOME) };
      };`,
        manifest: INPUT,
      },
      'asks-globals': {
        scene: 'B06 globals',
        home: 'reach',
        run: '({ action: "allow", notice: { text: [typeof process, typeof fetch, typeof WebAssembly, typeof ctx.fetch, typeof ctx.secret].join() } })',
        manifest: { ...INPUT, capabilities: [] },
      },
      'imports-late': {
        scene: 'B06 late',
        home: 'reach',
        run: 'import("node:child_process").then(() => ({ action: "allow" }))',
        manifest: INPUT,
      },
      'imports-node': {
        scene: 'B06 import',
        home: 'node-import',
        module: `import fs from 'node:fs';\nexport const run = () => ({ action: 'allow', notice: { text: typeof fs } });`,
        manifest: INPUT,
      },
      'partial-redactor': {
        scene: 'B09',
        home: 'partial',
        module: `export const run = async (p, x) => { const text = x.text.replace(/[0-9]{3}-[0-9]{2}-[0-9]{4}/, '[SSN]'); if (text) throw new Error('analyser answered 500'); return { action: 'modify', payload: { text } }; };`,
        manifest: INPUT,
      },
      'missing-import': {
        scene: 'B10',
        home: 'missing',
        module: `import yaml from 'not-installed';\nexport const run = () => ({ action: 'allow', notice: { text: typeof yaml } });`,
      },
      stopper: { scene: 'B11', home: 'parallel', run: '({ action: "block", reason: "policy" })' },
      bystander: {
        scene: 'calm',
        home: 'calm',
        run: '({ action: "allow", notice: { text: "served" } })',
        manifest: INPUT,
      },
    },
    { limits: { loadMs: 5000 } },
  );
  ({ runtime } = temporary);
});

afterAll(() => temporary.remove());

function call(scene: string): Promise<Verdict<'preToolUse'>> {
  return runtime.fire(
    'preToolUse',
    { toolName: 'Bash', args: { command: 'rm -rf x' } },
    { sessionId: scene },
  );
}

function say(scene: string, text = 'hi'): Promise<Verdict<'preInput'>> {
  return runtime.fire('preInput', { text }, { sessionId: scene });
}

test('[B01] twenty calls at once are all blocked: the clock starts with the hook, not with the wait', async () => {
  const verdicts = await Promise.all(Array.from({ length: 20 }, () => call('B01')));
  expect(verdicts.map(({ action, reason }) => `${action} ${reason}`)).toEqual(
    Array(20).fill('block x'),
  );
});

test.each([
  ['B02 never', 'never-settles'],
  ['B02 loop', 'never-ends'],
])('[B02] %s: blocked at the cap, with the reason that is fixed', async (scene, hook) => {
  const started = performance.now();
  const verdict = await call(scene);
  expect(verdict).toMatchObject({
    action: 'block',
    code: 'timeout',
    reason: `Hook "${hook}" failed (fail-closed)`,
  });
  expect(performance.now() - started).toBeLessThan(5000);
});

test.each([
  ['B03 loop', 'hangs-at-load'],
  ['B03 wait', 'waits-at-load'],
])('[B03] %s: loading has a limit of its own, and the others are served', async (scene, hook) => {
  expect(runtime.inventory().hooks.find((row) => row.hook === hook)).toMatchObject({
    state: 'failing',
    failure: { code: 'load_timeout' },
  });
  expect(await call(scene)).toMatchObject({ action: 'block', code: 'load_timeout' });
  expect((await say('calm')).notices).toMatchObject([{ text: 'served' }]);
});

test('[B04] a loop that eats memory ends by its limits; calls in flight elsewhere go on', async () => {
  const [eaten, ...others] = await Promise.all([
    say('B04', 'sk-abc'),
    ...Array.from({ length: 5 }, () => say('calm')),
  ]);
  expect(eaten).toMatchObject({
    action: 'block',
    reason: 'Hook "endless-regex" failed (fail-closed)',
  });
  expect(['memory', 'timeout', 'crash']).toContain(eaten?.code);
  expect(others.flatMap(({ notices }) => notices.map(({ text }) => text))).toEqual(
    Array(5).fill('served'),
  );
  expect(await say('B04', 'nothing to find')).toMatchObject({ action: 'allow' });
});

test('[B06] no process, environment, file or network without a grant', async () => {
  expect((await say('B06')).reason).not.toContain(process.env['HOME'] ?? '/root');
  expect((await say('B06 globals')).notices[0]?.text).toBe(
    'undefined,undefined,undefined,undefined,undefined',
  );
  expect(await say('B06 late')).toMatchObject({ action: 'block' });
  expect(await say('B06 import')).toMatchObject({ action: 'block', code: 'load_error' });
});

test.each(['reaches-out', 'imports-late', 'imports-node', 'asks-globals'])(
  '[B06] the test of %s runs in the same sandbox and comes to the same',
  async (hookName) => {
    const scenes: Record<string, string> = {
      'reaches-out': 'B06',
      'imports-late': 'B06 late',
      'imports-node': 'B06 import',
      'asks-globals': 'B06 globals',
    };
    const live = await say(scenes[hookName] ?? '');
    const report = await runtime.test({ point: 'preInput', hookName, payload: { text: 'hi' } });
    const { action, reason, code, notices } = report.verdict;
    expect({ action, reason, code, notices }).toEqual({
      action: live.action,
      reason: live.reason,
      code: live.code,
      notices: live.notices,
    });
  },
);

test('[B09] a redactor whose helper fails blocks, passes no half of its work on, and is counted', async () => {
  const text = 'Patient John Smith, SSN 078-05-1120, card 4111-1111-1111-1111';
  const verdict = await say('B09', text);
  expect(verdict).toMatchObject({
    action: 'block',
    reason: 'Hook "partial-redactor" failed (fail-closed)',
    isModified: false,
    payload: { text },
  });
  const numbers = runtime.metrics.snapshot().hooks.find(({ hook }) => hook === 'partial-redactor');
  expect(numbers?.failures).toEqual({ thrown: 1 });
});

test('[B10] an import that cannot be found is a failure from the start, not a hook that does nothing', async () => {
  const row = runtime.inventory().hooks.find(({ hook }) => hook === 'missing-import');
  expect(row).toMatchObject({
    state: 'failing',
    failure: { code: 'load_error', detail: expect.stringContaining('not-installed') as string },
  });
  expect(await call('B10')).toMatchObject({ action: 'block', code: 'load_error' });
  const report = await runtime.test({
    point: 'preToolUse',
    hookName: 'missing-import',
    payload: { toolName: 'Bash' },
  });
  expect(report.hooks).toMatchObject([{ name: 'missing-import', code: 'load_error' }]);
});

test('[B11] a guard that timed out can be told from a policy block and from a person who refused', async () => {
  const failed = await call('B02 never');
  const policy = await call('B11');
  expect(failed).toMatchObject({
    code: 'timeout',
    reason: 'Hook "never-settles" failed (fail-closed)',
  });
  expect(policy).toMatchObject({ action: 'block', reason: 'policy' });
  expect(policy.code).toBeUndefined();
  const { records } = await runtime.records.query({ session: 'B02 never' });
  expect(records[0]).toMatchObject({
    hook: 'never-settles',
    code: 'timeout',
    reason: expect.stringContaining('300 ms') as string,
  });
});
