import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LiveRuntime } from '../../src/index.ts';
import { openTemporary, type TemporaryRuntime } from './temporary-runtime.ts';

let temporary: TemporaryRuntime;
let runtime: LiveRuntime;

beforeAll(async () => {
  temporary = await openTemporary(
    {
      redactor: {
        run: '(ctx.log("redacted"), { action: "modify", payload: { args: { ...payload.args, mail: "[mail]" } } })',
        manifest: { priority: 1 },
      },
      guard: {
        run: 'payload.args.stop ? (ctx.log("stopped"), { action: "block", reason: "no" }) : { action: "allow" }',
        manifest: { priority: 2 },
      },
      writer: {
        module:
          'let calls = 0; export const createHook = () => async (point, payload, ctx) => { calls += 1; await ctx.store.put("seen", "key", { calls }); return { action: "allow", notice: { text: String(calls) }, outputs: { calls } }; };',
        manifest: {
          priority: 3,
          capabilities: ['store:write:seen', 'gates_tools'],
          outputs: ['calls'],
        },
      },
      observer: {
        run: '({ action: "allow", notice: { text: "turn over" } })',
        manifest: { points: ['postTurn'] },
      },
      shadowed: {
        run: '({ action: "block", reason: "shadow" })',
        manifest: { points: ['preInput'] },
      },
      broken: {
        home: 'broken',
        module: 'export const nothing = 1;',
        manifest: { points: ['preOutput'] },
      },
    },
    { hooks: { mode: { shadowed: 'shadow' } } },
  );
  ({ runtime } = temporary);
});

afterAll(() => temporary.remove());

const CALL = { toolName: 'send', args: { mail: 'a@b.co' } };

test('[AM50] a named hook runs alone, without a name the whole chain does', async () => {
  const one = await runtime.test({
    point: 'preToolUse',
    hookName: 'guard',
    payload: { ...CALL, args: { stop: true } },
  });
  expect(one.hooks.map(({ name }) => name)).toEqual(['guard']);
  expect(one).toMatchObject({ action: 'block', blocked: true, modified: false, reason: 'no' });
  const all = await runtime.test({ point: 'preToolUse', payload: CALL });
  expect(all.hooks.map(({ name }) => name)).toEqual(['redactor', 'guard', 'writer']);
});

test('[AM51] the report has the decision, both payloads, what ran and what did not, and the lines of ctx.log', async () => {
  const report = await runtime.test({
    point: 'preToolUse',
    payload: { ...CALL, args: { mail: 'a@b.co', stop: true } },
  });
  expect(report).toMatchObject({
    action: 'block',
    reason: 'no',
    input: { toolName: 'send', args: { mail: 'a@b.co', stop: true } },
    output: { toolName: 'send', args: { mail: '[mail]', stop: true } },
    modified: true,
    blocked: true,
    hooks: [
      { name: 'redactor', action: 'modify' },
      { name: 'guard', action: 'block', reason: 'no' },
    ],
    notRun: ['writer'],
    logs: [
      { hook: 'redactor', line: 'redacted' },
      { hook: 'guard', line: 'stopped' },
    ],
  });
});

test('[AM52] a test leaves no trace and gives the same each time', async () => {
  const before = await runtime.records.query();
  const metrics = runtime.metrics.snapshot();
  const context = { sessionId: 'live', turnId: 't' };
  const reports = [
    await runtime.test({ point: 'preToolUse', payload: CALL, context }),
    await runtime.test({ point: 'preToolUse', payload: CALL, context }),
  ];
  expect(reports.map(({ verdict }) => verdict.notices.map(({ text }) => text))).toEqual([
    ['1'],
    ['1'],
  ]);
  expect(await runtime.store.get('seen', 'key')).toBeNull();
  await runtime.records.flush();
  expect(await runtime.records.query()).toEqual(before);
  expect(await runtime.records.uses()).toEqual([]);
  expect(runtime.metrics.snapshot()).toEqual(metrics);
  expect(temporary.logged().filter(({ event }) => event === 'guardrail_decision')).toEqual([]);
});

test('[AM19] postTurn can be exercised by a test', async () => {
  const report = await runtime.test({
    point: 'postTurn',
    payload: { turn: 1, input: 'a', output: 'b' },
  });
  expect(report.verdict.notices).toMatchObject([{ text: 'turn over', hook: 'observer' }]);
});

test('a hook in shadow mode can be tested by name and is not part of the chain', async () => {
  const named = await runtime.test({
    point: 'preInput',
    hookName: 'shadowed',
    payload: { text: 'hi' },
  });
  const chain = await runtime.test({ point: 'preInput', payload: { text: 'hi' } });
  expect(named.action).toBe('block');
  expect(chain).toMatchObject({ action: 'allow', hooks: [] });
});

test('[A11] a module without a hook is a load error in the test, and in the inventory', async () => {
  const report = await runtime.test({
    point: 'preOutput',
    hookName: 'broken',
    payload: { text: 'hi' },
  });
  expect(report).toMatchObject({
    action: 'block',
    code: 'load_error',
    hooks: [{ name: 'broken', code: 'load_error' }],
  });
});

test('what cannot be tested is refused with a hint', async () => {
  await expect(
    runtime.test({ point: 'preToolUse', hookName: 'gard', payload: CALL }),
  ).rejects.toMatchObject({ code: 'hook_unknown', data: { nearest: 'guard' } });
  await expect(
    runtime.test({ point: 'preInput', hookName: 'guard', payload: { text: 'hi' } }),
  ).rejects.toMatchObject({ code: 'request_invalid' });
  await expect(
    runtime.test({ point: 'postTool' as 'preInput', payload: CALL }),
  ).rejects.toMatchObject({ code: 'point_unknown' });
  await expect(runtime.test({ point: 'preToolUse', payload: { args: [] } })).rejects.toMatchObject({
    code: 'payload_invalid',
  });
});

test('a point without hooks gives an allow that names none', async () => {
  const report = await runtime.test({
    point: 'preCompact',
    payload: { evicted: [], summary: 's' },
  });
  expect(report).toMatchObject({
    action: 'allow',
    hooks: [],
    notRun: [],
    logs: [],
    modified: false,
    blocked: false,
  });
});
