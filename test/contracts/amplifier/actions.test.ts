import { afterAll, beforeAll, expect, test } from 'vitest';
import { openScenes, traceOf, type Stage } from '../scenes.ts';
import { mountOf } from './mount.ts';

const TOOL = { toolName: 'write', args: { path: 'a.txt' } };
const GATE = { points: ['preToolUse'] };
const INJECT = (text: string, more = ''): string =>
  `() => ({ action: 'inject_context', context_injection: '${text}'${more} })`;
const ASK = (prompt: string): string =>
  `() => ({ action: 'ask_user', approval_prompt: '${prompt}' })`;

let stage: Stage;
beforeAll(async () => {
  stage = await openScenes('amplifier', {
    each: {
      module: mountOf(`
        hooks.register('tool:pre', (event, data) => ({
          continue: { action: 'continue' },
          deny: { action: 'deny', reason: 'Test denial' },
          modify: { action: 'modify', data: { ...data, tool_input: { path: 'b.txt' } } },
          inject_context: { action: 'inject_context', context_injection: 'a note' },
          ask_user: { action: 'ask_user', approval_prompt: 'Really?' },
        })[data.tool_name]);`),
      ...GATE,
    },
    'deny-ask-inject': {
      module: mountOf(`
        hooks.register('tool:pre', () => ({ action: 'deny', reason: 'no' }), 5, 'deny');
        hooks.register('tool:pre', ${ASK('Sure?')}, 10, 'ask');
        hooks.register('tool:pre', ${INJECT('text')}, 15, 'inject');`),
      ...GATE,
    },
    'ask-inject-modify': {
      module: mountOf(`
        hooks.register('tool:pre', ${ASK('First?')}, 5, 'ask');
        hooks.register('tool:pre', ${INJECT('text')}, 10, 'inject');
        hooks.register('tool:pre', (event, data) => ({ action: 'modify',
          data: { ...data, tool_input: { path: 'changed' } } }), 15, 'modify');
        hooks.register('tool:pre', ${ASK('Second?')}, 20, 'ask-too');`),
      ...GATE,
    },
    'ask-deny': {
      module: mountOf(`
        hooks.register('tool:pre', ${ASK('Sure?')}, 5, 'ask');
        hooks.register('tool:pre', () => ({ action: 'deny', reason: 'no' }), 10, 'deny');`),
      ...GATE,
    },
    'inject-ask': {
      module: mountOf(`
        hooks.register('tool:pre', ${INJECT('text')}, 5, 'inject');
        hooks.register('tool:pre', ${ASK('Sure?')}, 10, 'ask');`),
      ...GATE,
    },
    'inject-twice': {
      module: mountOf(`
        hooks.register('tool:pre', ${INJECT(
          'first',
          `, context_injection_role: 'user', reason: 'because',
          user_message: 'told', user_message_level: 'warning'`,
        )}, 5, 'a');
        hooks.register('tool:pre', ${INJECT('second', ', ephemeral: true, append_to_last_tool_result: true')}, 10, 'b');`),
      ...GATE,
    },
    'inject-nothing': {
      module: mountOf(`hooks.register('tool:pre', () => ({ action: 'inject_context' }));`),
      ...GATE,
    },
    'modify-chain': {
      module: mountOf(`
        hooks.register('a:b', (event, data) => ({ action: 'modify', data: { only: data.original } }), 5, 'a');
        hooks.register('a:b', (event, data) => ({ action: 'modify', data: { ...data, seen: Object.keys(data).sort() } }), 10, 'b');`),
    },
    'modify-null': {
      module: mountOf(`hooks.register('a:b', () => ({ action: 'modify', data: null }));`),
    },
    'in-place': {
      module: mountOf(`
        hooks.register('a:b', (event, data) => { data.stray = true; return { action: 'continue' }; }, 0, 'a');
        hooks.register('a:b', (event, data) => { data.modified = true; return { action: 'modify', data }; }, 1, 'b');`),
    },
    'throw-local': {
      module: mountOf(`
        hooks.register('a:b', () => { throw new Error('RuntimeError'); }, 5, 'bad');
        hooks.register('a:b', (event, data) => ({ action: 'modify', data: { ...data, still_works: true } }), 10, 'good');`),
      local: true,
    },
    'throw-package': {
      module: mountOf(`
        hooks.register('a:b', () => { throw new Error('RuntimeError'); }, 5, 'bad');
        hooks.register('a:b', () => null, 10, 'good');`),
    },
    cancelled: {
      module: mountOf(`
        class CancelledError extends Error {}
        hooks.register('a:b', async () => { throw new CancelledError(); }, 0, 'h1');
        hooks.register('a:b', async (event, data) => ({ action: 'modify', data: { ...data, h2: true } }), 0, 'h2');
        hooks.register('a:b', async (event, data) => ({ action: 'modify', data: { ...data, h3: true } }), 0, 'h3');`),
      local: true,
    },
    invalid: {
      module: mountOf(`
        const answers = { array: [], text: 'not JSON', number: 7, action: { action: 'maybe' }, data: { action: 'modify', data: 'x' },
          role: { action: 'inject_context', context_injection: 'x', context_injection_role: 'root' }, timeout: { approval_timeout: 'soon' } };
        hooks.register('a:b', (event, data) => answers[data.kind]);`),
    },
    'invalid-local': {
      module: mountOf(`hooks.register('a:b', () => 'not JSON');`),
      local: true,
    },
    shapes: {
      module: mountOf(`
        class HookResult { constructor(fields) { Object.assign(this, fields); } }
        const answers = { none: null, nothing: undefined, plain: { action: 'deny', reason: 'plain' },
          instance: new HookResult({ action: 'deny', reason: 'instance' }), json: '{"action":"deny","reason":"json"}',
          made: new coordinator.HookResult({ action: 'deny', reason: 'made' }),
          extension: { action: 'deny', reason: 'extension', my_own_key: 1 }, empty: {} };
        hooks.register('a:b', (event, data) => answers[data.kind]);`),
    },
    defaults: {
      module: mountOf(`
        hooks.register('tool:pre', () => ({ action: 'deny', reason: JSON.stringify(coordinator.HookResult()) }));`),
      ...GATE,
    },
    'test-handler': {
      module: mountOf(`
        hooks.register('a:b', (event, data) => ({ action: 'modify', data: { ...data, handled: true } }), 0, 'test-handler');`),
    },
  });
}, 120_000);
afterAll(() => stage.remove());

test.each([
  ['continue', { action: 'allow' }],
  ['deny', { action: 'block', reason: 'Test denial' }],
  ['modify', { action: 'modify', payload: { args: { path: 'b.txt' } } }],
  ['inject_context', { action: 'allow', inject: [{ content: 'a note', role: 'system' }] }],
  ['ask_user', { action: 'ask' }],
])('[AP7] the action %s has its effect', async (action, expected) => {
  const payload = { toolName: action, args: { path: 'a.txt' } };
  expect(await stage.fire('each', 'preToolUse', payload)).toMatchObject(expected);
});

test('[AP8] [AP9] deny beats ask_user and inject_context, and no later handler runs', async () => {
  const verdict = await stage.fire('deny-ask-inject', 'preToolUse', TOOL);
  expect(verdict).toMatchObject({ action: 'block', reason: 'no', inject: [] });
  expect(traceOf(verdict)).toEqual(['deny-ask-inject/deny block']);
  expect(verdict.notRun).toEqual(['deny-ask-inject/ask', 'deny-ask-inject/inject']);
});

test('[AP10] ask_user stops no later handler, and the first one is asked', async () => {
  const verdict = await stage.fire('ask-inject-modify', 'preToolUse', TOOL);
  expect(verdict).toMatchObject({ action: 'ask', hook: 'ask-inject-modify/ask' });
  expect(verdict.trace).toHaveLength(4);
  expect(await stage.runtime.approvals.show(verdict.approval?.id ?? '')).toMatchObject({
    question: { prompt: 'First?' },
  });
});

test('[AP11] a later deny beats an earlier ask_user', async () => {
  const verdict = await stage.fire('ask-deny', 'preToolUse', TOOL);
  expect(verdict).toMatchObject({ action: 'block', reason: 'no' });
});

test('ask_user beats inject_context, whichever comes first', async () => {
  expect((await stage.fire('inject-ask', 'preToolUse', TOOL)).action).toBe('ask');
  expect((await stage.fire('ask-inject-modify', 'preToolUse', TOOL)).action).toBe('ask');
});

test('[AP12] [AP13] [AP13b] injections all go in, in the order of handlers, each with its own settings and message', async () => {
  const verdict = await stage.fire('inject-twice', 'preToolUse', TOOL);
  expect(verdict.inject).toEqual([
    {
      content: 'first',
      role: 'user',
      ephemeral: false,
      appendToLastToolResult: false,
      hook: 'inject-twice/a',
    },
    {
      content: 'second',
      role: 'system',
      ephemeral: true,
      appendToLastToolResult: true,
      hook: 'inject-twice/b',
    },
  ]);
  expect(verdict.notices).toEqual([{ text: 'told', level: 'warning', hook: 'inject-twice/a' }]);
});

test('[AP14] inject_context without a text adds nothing', async () => {
  const verdict = await stage.fire('inject-nothing', 'preToolUse', TOOL);
  expect(verdict).toMatchObject({ action: 'allow', inject: [] });
});

test('[AP15] modify hands the whole object to the next handler, nothing is merged', async () => {
  const { payload } = await stage.event('modify-chain', 'a:b', { original: 1, other: 2 });
  expect(payload.data).toEqual({ only: 1, seen: ['only', 'timestamp'] });
});

test('[AP16] modify without data changes nothing', async () => {
  const verdict = await stage.event('modify-null', 'a:b', { original: 1 });
  expect(verdict).toMatchObject({
    action: 'allow',
    isModified: false,
    payload: { data: { original: 1 } },
  });
});

test('[AP17] a chain of changes goes on with them: it is told by isModified, whatever its action is called', async () => {
  const verdict = await stage.event('modify-chain', 'a:b', { original: 1 });
  expect(verdict).toMatchObject({ isModified: true, notRun: [] });
});

test('[AP18] changes are kept when another handler asks or injects', async () => {
  const verdict = await stage.fire('ask-inject-modify', 'preToolUse', TOOL);
  expect(verdict).toMatchObject({
    action: 'ask',
    payload: { args: { path: 'changed' } },
    inject: [{ content: 'text' }],
  });
});

test('what a handler changes in place counts only when it returns it', async () => {
  const { payload } = await stage.event('in-place', 'a:b', { original: true });
  expect(payload.data).toEqual({ original: true, modified: true });
});

test('[AP19] [AP66] a local handler that throws is logged and the next one runs', async () => {
  const verdict = await stage.event('throw-local', 'a:b');
  expect(verdict).toMatchObject({ action: 'modify', payload: { data: { still_works: true } } });
  expect(verdict.trace[0]).toMatchObject({ hook: 'throw-local/bad', code: 'thrown' });
  const line = stage.logged().find(({ hook }) => hook === 'throw-local/bad');
  expect(line).toMatchObject({ level: 'warn', event: 'guardrail_decision', code: 'thrown' });
});

test('a handler of a package that throws at a gate is closed, as its manifest says nothing else', async () => {
  const verdict = await stage.event('throw-package', 'a:b');
  expect(verdict).toMatchObject({
    action: 'block',
    reason: 'Hook "throw-package/bad" failed (fail-closed)',
  });
});

test('[AP20] a cancelled handler does not skip the rest', async () => {
  const { payload, trace } = await stage.event('cancelled', 'a:b');
  expect(payload.data).toEqual({ h2: true, h3: true });
  expect(trace).toHaveLength(3);
});

test.each(['array', 'text', 'number', 'action', 'data', 'role', 'timeout'])(
  '[AP21] an answer that is no result, by its %s, denies',
  async (kind) => {
    expect(await stage.event('invalid', 'a:b', { kind })).toMatchObject({
      action: 'block',
      reason: 'Hook handler returned invalid response',
    });
  },
);

test('[AP21] an answer that is no result denies for a local hook too', async () => {
  expect(await stage.event('invalid-local', 'a:b')).toMatchObject({
    action: 'block',
    reason: 'Hook handler returned invalid response',
  });
});

test('[AP22] a handler that returns nothing continues', async () => {
  expect((await stage.event('shapes', 'a:b', { kind: 'none' })).action).toBe('allow');
  expect((await stage.event('shapes', 'a:b', { kind: 'nothing' })).action).toBe('allow');
  expect((await stage.event('shapes', 'a:b', { kind: 'empty' })).action).toBe('allow');
});

test.each(['plain', 'instance', 'json', 'made'])(
  '[AP23] a handler may return a plain object, an instance or JSON text: %s',
  async (kind) => {
    expect(await stage.event('shapes', 'a:b', { kind })).toMatchObject({
      action: 'block',
      reason: kind,
    });
  },
);

test('[AP35] a result has every field with its default', async () => {
  const { reason } = await stage.fire('defaults', 'preToolUse', TOOL);
  expect(JSON.parse(reason ?? '')).toEqual({
    action: 'continue',
    data: null,
    reason: null,
    context_injection: null,
    context_injection_role: 'system',
    ephemeral: false,
    approval_prompt: null,
    approval_options: null,
    approval_timeout: 300,
    approval_default: 'deny',
    suppress_output: false,
    user_message: null,
    user_message_level: 'info',
    user_message_source: null,
    append_to_last_tool_result: false,
    context_injections: [],
  });
});

test('[AP57] keys that the contract does not know leave the result valid', async () => {
  const verdict = await stage.event('shapes', 'a:b', { kind: 'extension' });
  expect(verdict).toMatchObject({ action: 'block', reason: 'extension' });
});

test('a modify handler is listed, handles and continues with its data', async () => {
  const verdict = await stage.event('test-handler', 'a:b');
  expect(verdict.payload.data).toEqual({ handled: true });
  expect(traceOf(verdict)).toEqual(['test-handler/test-handler modify']);
});
