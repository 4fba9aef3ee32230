import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LiveRuntime } from '../../src/index.ts';
import { openTemporary, type TemporaryRuntime } from './temporary-runtime.ts';

const BLOCK_ALL = '({ action: "block", reason: point })';

let temporary: TemporaryRuntime;
let runtime: LiveRuntime;

beforeAll(async () => {
  temporary = await openTemporary(
    {
      // Points
      everywhere: {
        scene: 'AM13',
        run: '({ action: "allow", notice: { text: point } })',
        manifest: { points: ['preInput', 'preToolUse', 'postToolUse', 'preOutput', 'postTurn'] },
      },
      echo: {
        scene: 'echo',
        run: '({ action: "allow", notice: { text: JSON.stringify(payload) } })',
        manifest: { points: ['preInput', 'preToolUse', 'preOutput', 'postTurn'] },
      },
      // Export shapes
      'factory-object': {
        scene: 'AM20',
        module: `export const createHook = (config) => ({ run: (point) => ({ action: 'allow', notice: { text: 'factory-object ' + point + ' ' + config.word } }) });`,
        manifest: { config: { word: 'w' } },
      },
      'factory-function': {
        scene: 'AM20',
        module: `export function createHook(config) { return () => ({ action: 'allow', notice: { text: 'factory-function ' + config.word } }); }`,
        manifest: { config: { word: 'w' } },
      },
      'default-factory': {
        scene: 'AM20',
        module: `export default (config) => ({ async run() { return { action: 'allow', notice: { text: 'default-factory ' + config.word } }; } });`,
        manifest: { config: { word: 'w' } },
      },
      'plain-object': {
        scene: 'AM20',
        module: `export default { run() { return { action: 'allow', notice: { text: 'plain-object' } }; } };`,
      },
      'bare-run': {
        scene: 'AM20',
        module: `export function run() { return { action: 'allow', notice: { text: 'bare-run' } }; }`,
      },
      'sync-run': { scene: 'AM21', run: '({ action: "allow", notice: { text: "sync" } })' },
      'async-run': {
        scene: 'AM21',
        run: 'new Promise((done) => setTimeout(() => done({ action: "allow", notice: { text: "async" } }), 1))',
      },
      configured: {
        scene: 'AM23',
        module: `export const createHook = (config) => () => ({ action: 'allow', notice: { text: JSON.stringify(config) } });`,
        manifest: { config: { kept: 1, changed: 'from manifest' } },
      },
      // Decisions and order
      late: {
        scene: 'AM25',
        run: '({ action: "modify", payload: { args: { path: payload.args.path + "/late" } } })',
        manifest: { priority: 20 },
      },
      early: {
        scene: 'AM25',
        run: '({ action: "modify", payload: { args: { path: payload.args.path + "/early" } }, note: "first" })',
        manifest: { priority: -1 },
      },
      asker: {
        scene: 'AM26',
        run: '({ action: "ask", reason: "sure?" })',
        manifest: { priority: 1 },
      },
      changer: {
        scene: 'AM26',
        run: '({ action: "modify", payload: { args: { safe: true } } })',
        manifest: { priority: 2 },
      },
      stopper: {
        scene: 'AM26',
        run: 'payload.toolName === "danger" ? { action: "block", reason: "no" } : { action: "allow" }',
        manifest: { priority: 3 },
      },
      rewriter: {
        scene: 'rewrite',
        run: '({ action: "modify", payload: { text: "[" + payload.text + "]" } })',
        manifest: { points: ['preInput', 'preOutput'] },
      },
      // Context
      talker: {
        scene: 'AM37',
        run: '(ctx.log("line one"), { action: "allow", notice: { text: JSON.stringify({ caller: ctx.caller, session: ctx.session, agent: ctx.agent, budget: ctx.budget ?? null, inputs: ctx.inputs, store: typeof ctx.store }) } })',
      },
      permission: {
        scene: 'AM40',
        module: `export const createHook = () => ({ async run(point, payload, ctx) {
          const row = await ctx.store.get('team_members', ctx.caller.userId ?? '');
          if (row === null) throw new Error('no such member');
          return row.role === 'admin' ? { action: 'allow' } : { action: 'block', reason: 'admins only' };
        } });`,
        manifest: {
          capabilities: ['store:read:team_members', 'reads_tool_io', 'gates_tools'],
          failPolicy: 'closed',
        },
      },
      finder: {
        scene: 'AM38',
        run: 'ctx.store.query("team_members", { role: "admin" }).then((rows) => ({ action: "allow", notice: { text: JSON.stringify(rows) } }))',
        manifest: { capabilities: ['store:read'] },
      },
      disabled: { run: BLOCK_ALL },
      'ordered-b': { scene: 'AM41', run: '({ action: "allow" })', manifest: { priority: 1 } },
      'ordered-a': { scene: 'AM41', run: '({ action: "allow" })', manifest: { priority: 2 } },
      blind: {
        scene: 'blind',
        run: '({ action: "allow", notice: { text: Object.keys(payload).join() } })',
        manifest: { capabilities: [] },
      },
      powerless: {
        scene: 'powerless',
        run: BLOCK_ALL,
        manifest: { capabilities: ['reads_tool_io'] },
      },
    },
    {
      hooks: {
        config: { configured: { changed: 'by operator', added: true } },
        disabled: ['disabled'],
        order: ['ordered-a'],
      },
    },
  );
  ({ runtime } = temporary);
  await runtime.store.put('team_members', 'ann', { role: 'admin' });
  await runtime.store.put('team_members', 'bob', { role: 'guest' });
});

afterAll(() => temporary.remove());

/** Fires a tool call in a scene. */
function call(
  scene: string,
  payload: { toolName?: string; args?: Record<string, unknown> } = {},
  context: object = {},
): ReturnType<typeof runtime.fire<'preToolUse'>> {
  return runtime.fire(
    'preToolUse',
    { toolName: 'tool', args: {}, ...payload },
    { sessionId: scene, ...context },
  );
}

function texts(verdict: { readonly notices: readonly { readonly text: string }[] }): string[] {
  return verdict.notices.map(({ text }) => text);
}

test('[AM13] [AM22] one hook receives each of the five points through the same run', async () => {
  const context = { sessionId: 'AM13' };
  const verdicts = [
    await runtime.fire('preInput', { text: 'hi' }, context),
    await runtime.fire('preToolUse', { toolName: 'x' }, context),
    await runtime.fire('postToolUse', { toolName: 'x', result: 'r' }, context),
    await runtime.fire('preOutput', { text: 'bye' }, context),
    await runtime.fire('postTurn', { turn: 1, input: 'hi', output: 'bye' }, context),
  ];
  expect(verdicts.flatMap(texts)).toEqual([
    'preInput',
    'preToolUse',
    'postToolUse',
    'preOutput',
    'postTurn',
  ]);
});

test('[AM16] source and channels have their defaults when the caller names none', async () => {
  const input = await runtime.fire('preInput', { text: 'hi' }, { sessionId: 'echo' });
  const output = await runtime.fire('preOutput', { text: 'hi' }, { sessionId: 'echo' });
  expect(JSON.parse(texts(input)[0] ?? '')).toMatchObject({ source: 'chat' });
  expect(JSON.parse(texts(output)[0] ?? '')).toMatchObject({ channels: ['chat'] });
});

test('[AM17] isDelegated and planModeActive are there, false unless the caller says so', async () => {
  const plain = await call('echo');
  const delegated = await runtime.fire(
    'preToolUse',
    { toolName: 'x', isDelegated: true },
    { sessionId: 'echo' },
  );
  expect(JSON.parse(texts(plain)[0] ?? '')).toMatchObject({
    isDelegated: false,
    planModeActive: false,
  });
  expect(JSON.parse(texts(delegated)[0] ?? '')).toMatchObject({ isDelegated: true });
});

test('[AM20] every export shape is a hook', async () => {
  const verdict = await call('AM20');
  expect(texts(verdict).toSorted()).toEqual([
    'bare-run',
    'default-factory w',
    'factory-function w',
    'factory-object preToolUse w',
    'plain-object',
  ]);
});

test('[AM21] run may be sync or async', async () => {
  expect(texts(await call('AM21')).toSorted()).toEqual(['async', 'sync']);
});

test('[AM23] [AM43] the config is the manifest’s with the operator’s over it, key by key', async () => {
  const [text] = texts(await call('AM23'));
  expect(JSON.parse(text ?? '')).toEqual({ kept: 1, changed: 'by operator', added: true });
});

test('[AM25] [AM30] hooks run in ascending priority, each on the arguments that the one before left', async () => {
  const verdict = await call('AM25', { args: { path: '' } });
  expect(verdict).toMatchObject({
    action: 'modify',
    isModified: true,
    payload: { args: { path: '/early/late' } },
  });
  expect(verdict.trace.map(({ hook }) => hook)).toEqual(['early', 'late']);
});

test('[AM24] [AM26] a block beats an ask beats a modify, and changes are kept', async () => {
  const blocked = await call('AM26', { toolName: 'danger' });
  expect(blocked).toMatchObject({
    action: 'block',
    reason: 'no',
    hook: 'stopper',
    payload: { args: { safe: true } },
  });
  const report = await runtime.test({
    point: 'preToolUse',
    payload: { toolName: 'calm' },
    context: { sessionId: 'AM26' },
  });
  expect(report).toMatchObject({ action: 'ask', reason: 'sure?', modified: true });
});

test('an ask that nobody is there to answer is a block', async () => {
  const verdict = await call('AM26');
  expect(verdict).toMatchObject({
    action: 'block',
    reason: 'No approval system available',
    code: 'no_approver',
    hook: 'asker',
  });
  expect(verdict.approval).toBeUndefined();
});

test('[AM27] [AM28] a changed input is in the verdict, and that it changed', async () => {
  const verdict = await runtime.fire('preInput', { text: 'hi' }, { sessionId: 'rewrite' });
  expect(verdict).toMatchObject({
    action: 'modify',
    isModified: true,
    payload: { text: '[hi]', source: 'chat' },
  });
});

test('[AM29] a changed output is in the verdict, for history to keep', async () => {
  const verdict = await runtime.fire('preOutput', { text: 'bye' }, { sessionId: 'rewrite' });
  expect(verdict.payload).toEqual({ text: '[bye]', channels: ['chat'] });
});

test('[AM14] [AM15] what the access rules get to see is the call as hooks rewrote it', async () => {
  const verdict = await call('AM25', { toolName: 'files', args: { path: 'home' } });
  expect(verdict.payload).toMatchObject({ toolName: 'files', args: { path: 'home/early/late' } });
});

test('[AM18] whether any hook is loaded can be told, so that a loop knows to hold its text back', () => {
  const { hooks } = runtime.inventory();
  expect(hooks.some(({ state }) => state === 'live')).toBe(true);
});

test('[AM37] [AM39] ctx has log and the caller, always an object with a source', async () => {
  const anonymous = JSON.parse(texts(await call('AM37'))[0] ?? '') as object;
  expect(anonymous).toMatchObject({
    caller: { source: 'chat' },
    session: { id: 'AM37' },
    agent: { id: 'main', depth: 0, tools: [] },
    budget: null,
    inputs: {},
  });
  const caller = { userId: 'ann', source: 'webhook', orgId: 'acme', isAdmin: true };
  const known = await call(
    'AM37',
    {},
    {
      caller,
      turnId: 't1',
      agent: { id: 'sub', parent: 'main', depth: 1, tools: ['x'] },
      budget: { total: 3, spent: 1, remaining: 2 },
    },
  );
  expect(JSON.parse(texts(known)[0] ?? '')).toMatchObject({
    caller: { userId: 'ann', source: 'webhook', orgId: 'acme' },
    session: { id: 'AM37', turn: 't1' },
    agent: { id: 'sub', parent: 'main', depth: 1, tools: ['x'] },
    budget: { total: 3, spent: 1, remaining: 2 },
  });
  expect(texts(known)[0]).not.toContain('isAdmin');
});

test('[AM38] ctx.store finds rows by a filter, and is absent without the capability', async () => {
  expect(JSON.parse(texts(await call('AM38'))[0] ?? '')).toEqual([{ role: 'admin' }]);
  expect(JSON.parse(texts(await call('AM37'))[0] ?? '')).toMatchObject({ store: 'undefined' });
});

test('[AM40] a permission hook allows by role, and a failed read does not fail open', async () => {
  const as = (userId: string): ReturnType<typeof call> => call('AM40', {}, { caller: { userId } });
  expect(await as('ann')).toMatchObject({ action: 'allow' });
  expect(await as('bob')).toMatchObject({ action: 'block', reason: 'admins only' });
  expect(await as('eve')).toMatchObject({
    action: 'block',
    code: 'thrown',
    reason: 'Hook "permission" failed (fail-closed)',
  });
});

test('[AM41] hooks.order sets the order of the chain', async () => {
  const { trace } = await call('AM41');
  expect(trace.map(({ hook }) => hook)).toEqual(['ordered-a', 'ordered-b']);
});

test('[AM42] a disabled hook does not run and is listed as such', async () => {
  expect((await call('none')).trace).toEqual([]);
  expect(runtime.inventory().absent).toMatchObject([{ hook: 'disabled', reason: 'disabled' }]);
});

test('without reads_tool_io the content is absent; without gates_tools acting is a failure', async () => {
  expect(texts(await call('blind', { args: { secret: 1 } }))).toEqual([
    'timestamp,toolName,isDelegated,planModeActive',
  ]);
  expect(await call('powerless')).toMatchObject({
    action: 'block',
    code: 'capability',
    reason: 'Hook "powerless" failed (fail-closed)',
  });
});

test('a hook gets the time and the request id of the host, whatever the caller wrote', async () => {
  const payload = { text: 'hi', timestamp: 'yesterday', requestId: 'by caller' };
  const verdict = await runtime.fire('preInput', payload, { sessionId: 'echo', requestId: 'r1' });
  const seen = JSON.parse(texts(verdict)[0] ?? '') as { timestamp: string; requestId: string };
  expect(Object.keys(seen).slice(0, 2)).toEqual(['timestamp', 'requestId']);
  expect(seen.requestId).toBe('r1');
  expect(Math.abs(Date.parse(seen.timestamp) - Date.now())).toBeLessThan(60_000);
  expect(verdict.payload).toEqual({ text: 'hi', source: 'chat' });
});

test('a payload that does not fit is refused before any hook runs', async () => {
  const wrong = runtime.fire('preInput', { text: 5 } as never, { sessionId: 'echo' });
  await expect(wrong).rejects.toMatchObject({ code: 'payload_invalid' });
});

test('an unknown point is refused with the nearest name', async () => {
  await expect(runtime.fire('preToolUze' as 'preToolUse', { toolName: 'x' })).rejects.toMatchObject(
    { code: 'point_unknown', data: { nearest: 'preToolUse' } },
  );
});

test('a point without hooks passes whatever comes', async () => {
  const verdict = await runtime.fire('preCompact', { evicted: [], summary: 's' });
  expect(verdict).toMatchObject({
    action: 'allow',
    isModified: false,
    trace: [],
    notRun: [],
    payload: { summary: 's' },
  });
});

test('every verdict has an id of its own', async () => {
  const verdicts = await Promise.all(Array.from({ length: 20 }, () => call('none')));
  expect(new Set(verdicts.map(({ id }) => id)).size).toBe(20);
});
