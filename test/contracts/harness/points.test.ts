import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Point } from '../../../sdk/points.ts';
import { openScenes, type Stage } from '../scenes.ts';

const ALL: readonly Point[] = ['preTurn', 'preModelCall', 'preToolUse', 'postToolUse', 'postTurn'];
const TOOL = { toolName: 'get', args: { id: 1 }, toolCallId: 'tu_1' };
const CALL = {
  messages: [{ role: 'user', content: 'hi' }],
  systemPrompt: 'sys',
  tools: [{ name: 'a' }],
};

const object = (hooks: string): string => `export default { ${hooks} };`;

/** Throws what it saw, so that a test reads it in the records. */
const SAW = `(context) => { console.log(JSON.stringify(context)); }`;

let stage: Stage;
beforeAll(async () => {
  const at = (module: string, more: object = {}) => ({ module, points: ALL, ...more });
  stage = await openScenes('harness', {
    one: at(object(`beforeToolExecution: async () => ({ authorize: false })`)),
    contexts: at(
      object(`
        beforeTurn: ${SAW},
        beforeProviderCall: ({ messages, systemPrompt, tools, ...rest }) => {
          console.log(JSON.stringify({ messages, systemPrompt, tools, ...rest })); return { messages, systemPrompt, tools }; },
        beforeToolExecution: (context) => { console.log(JSON.stringify(context)); return { authorize: true }; },
        afterToolExecution: (context) => { console.log(JSON.stringify(context)); return context.output; },
        afterTurn: ${SAW},`),
    ),
    'throw-local': at(object(`beforeTurn: () => { throw new Error('over budget'); }`), {
      local: true,
    }),
    'throw-observer': at(object(`afterTurn: () => { throw new Error('disk full'); }`), {
      local: true,
    }),
    'throw-tool': at(object(`beforeToolExecution: () => { throw new Error('x'); }`), {
      local: true,
    }),
    'throw-package': at(object(`beforeToolExecution: () => { throw new Error('x'); }`)),
    'throw-manifest': at(object(`beforeToolExecution: () => { throw new Error('x'); }`), {
      local: true,
      manifest: { failPolicy: 'open' },
    }),
    request: at(
      object(`beforeProviderCall: async ({ messages, systemPrompt, tools }) => ({
        messages: [...messages, { role: 'system', content: 'today' }], systemPrompt: systemPrompt + '+', tools: [], toolChoice: 'none' })`),
    ),
    'request-same': at(
      object(
        `beforeProviderCall: async (context) => ({ messages: context.messages, systemPrompt: context.systemPrompt })`,
      ),
      { manifest: { capabilities: ['reads_context'] } },
    ),
    'request-scratch': at(object(`beforeProviderCall: async (messages) => messages.slice(-1)`)),
    'request-context': at(
      object(
        `beforeProviderCall: async (context) => ({ messages: context.messages.slice(-1), systemPrompt: 'new' })`,
      ),
    ),
    'request-in-a-row': at(
      object(
        `beforeTurn: async (turn, messages) => {}, beforeProviderCall: async (messages) => messages.concat({ role: 'user', content: 'more' })`,
      ),
    ),
    refuse: at(
      object(`beforeToolExecution: () => ({ authorize: false, mockResult: 'Ask a manager.' })`),
    ),
    'refuse-scratch': at(
      object(
        `beforeToolExecution: (name, args) => ({ authorize: false, result: 'Not ' + name + args.id })`,
      ),
    ),
    'refuse-bare-scratch': at(
      object(`beforeToolExecution: (name, args) => ({ authorize: false })`),
    ),
    'refuse-unsaid': at(object(`beforeToolExecution: () => ({})`)),
    mock: at(
      object(`beforeToolExecution: () => ({ authorize: true, mockResult: 'mocked result' })`),
    ),
    steer: at(
      object(
        `beforeToolExecution: () => ({ authorize: true, steer: true, feedback: 'try trains' })`,
      ),
    ),
    'steer-bare': at(
      object(`beforeToolExecution: () => ({ authorize: false, mockResult: 'no', steer: true })`),
    ),
    stamp: at(
      object(`afterToolExecution: async ({ output }) => output.replace(/DNI [\\d.]+/g, 'DNI ***')`),
    ),
    'stamp-nothing': at(object(`afterToolExecution: async () => undefined`)),
    'stamp-empty': at(object(`afterToolExecution: async (name, output) => ''`)),
    'stamp-empty-python': at(object(`after_tool_execution: (name, output) => ''`)),
    'stamp-json': at(object(`afterToolExecution: ({ output }) => output + '!'`)),
    'bad-answer': at(object(`beforeToolExecution: () => 'yes'`)),
    mutate: at(
      object(
        `beforeToolExecution: async ({ input }) => { input.id = 42; return { authorize: true }; }`,
      ),
    ),
    merged: at(`
      const log = [];
      const a = {
        beforeTurn: () => { log.push('a.before'); },
        beforeProviderCall: ({ systemPrompt, messages }) => ({ messages, systemPrompt: systemPrompt + '+a', tools: [{ name: 'a' }] }),
        beforeToolExecution: () => ({ authorize: true, mockResult: 'A' }),
        afterToolExecution: ({ output }) => output + '-a',
        afterTurn: () => { log.push('a.after'); },
      };
      const b = {
        beforeTurn: () => { log.push('b.before'); },
        beforeProviderCall: ({ systemPrompt, messages }) => ({ messages, systemPrompt: systemPrompt + '+b', tools: [], toolChoice: 'none' }),
        beforeToolExecution: ({ toolName }) => (toolName === 'steered'
          ? { authorize: true, steer: true, feedback: 'stop' } : { authorize: false, mockResult: 'B' }),
        afterToolExecution: ({ output }) => output + '-b',
        afterTurn: () => { log.push('b.after'); console.log(log.join(' ')); },
      };
      export default [a, b];`),
    'no-object': at(`export default 7;`),
    'no-hooks': at(`export default {};`),
    'no-function': at(`export default { beforeTurn: true };`),
    'unknown-hook': at(`export default { beforeTool: () => {} };`),
    'in-list': at(`export default [{ afterTurn() {} }, null];`),
    factory: at(
      `export default ({ text }) => ({ beforeToolExecution: () => ({ authorize: false, mockResult: text }) });`,
      {
        manifest: { config: { text: 'configured' } },
      },
    ),
  });
}, 120_000);
afterAll(() => stage.remove());

const tool = (scene: string, more: object = {}) =>
  stage.fire(scene, 'preToolUse', { ...TOOL, ...more });
const result = (scene: string, value: unknown, more: object = {}) =>
  stage.fire(scene, 'postToolUse', { ...TOOL, result: value, ...more });

test('[HP1] each of the five points is optional, and one that is not set is skipped', async () => {
  expect((await tool('one')).action).toBe('block');
  const turn = await stage.fire('one', 'preTurn', { turn: 1, messages: [] });
  expect(turn).toMatchObject({ action: 'allow', isModified: false });
  expect((await stage.fire('one', 'preModelCall', CALL)).action).toBe('allow');
  expect((await result('one', 'text')).action).toBe('allow');
  expect((await stage.fire('one', 'postTurn', { turn: 1, input: '', output: '' })).action).toBe(
    'allow',
  );
});

test('[HP1] every point gives its hook the context of the contract', async () => {
  const seen = async (point: Point, payload: object): Promise<unknown> => {
    const { logs } = await stage.runtime.test({ point, payload, hookName: 'contexts' });
    return JSON.parse(logs[0]?.line ?? 'null') as unknown;
  };
  const messages = [{ role: 'user', content: 'hi' }];
  const usage = { inputTokens: 1, outputTokens: 2 };
  expect(await seen('preTurn', { turn: 2, accumulatedTurns: 7, messages, usage })).toEqual({
    turn: 2,
    accumulatedTurns: 7,
    messages,
    sessionUsage: usage,
    cwd: '.',
  });
  expect(await seen('preModelCall', CALL)).toEqual({ ...CALL, cwd: '.' });
  expect(await seen('preToolUse', TOOL)).toEqual({
    toolName: 'get',
    input: { id: 1 },
    toolUseId: 'tu_1',
    cwd: '.',
  });
  expect(await seen('postToolUse', { ...TOOL, result: 'x', durationMs: 3, isError: true })).toEqual(
    {
      toolName: 'get',
      input: { id: 1 },
      output: 'x',
      durationMs: 3,
      isError: true,
      cwd: '.',
    },
  );
  const lastMessage = { role: 'assistant', content: 'bye' };
  expect(await seen('postTurn', { turn: 2, input: 'hi', output: 'bye', lastMessage })).toEqual({
    turn: 2,
    lastMessage,
    cwd: '.',
  });
});

test('[HP2] the return of a point that only watches changes nothing', async () => {
  const verdict = await stage.fire('merged', 'postTurn', { turn: 1, input: 'a', output: 'b' });
  expect(verdict).toMatchObject({ action: 'allow', isModified: false });
});

test('[HP3] a throw of beforeTurn stops the run', async () => {
  const verdict = await stage.fire('throw-local', 'preTurn', { turn: 1, messages: [] });
  expect(verdict).toMatchObject({ action: 'block', code: 'thrown', endsRun: true });
});

test('[HP4] [HP5] beforeProviderCall gives the request that is sent, with tools and their choice', async () => {
  const { payload } = await stage.fire('request', 'preModelCall', CALL);
  expect(payload).toMatchObject({
    messages: [...CALL.messages, { role: 'system', content: 'today' }],
    systemPrompt: 'sys+',
    tools: [],
    toolChoice: 'none',
  });
});

test('[HP4] a request that comes back as it was is no change and needs no capability to act', async () => {
  const verdict = await stage.fire('request-same', 'preModelCall', CALL);
  expect(verdict).toMatchObject({ action: 'allow', isModified: false });
});

test.each(['request-scratch', 'request-context'])(
  '[HP5] beforeProviderCall takes the messages or the context, whatever it is written for: %s',
  async (scene) => {
    const messages = [
      { role: 'user', content: 'a' },
      { role: 'user', content: 'b' },
    ];
    const { payload } = await stage.fire(scene, 'preModelCall', { ...CALL, messages });
    expect(payload).toMatchObject({
      messages: [{ role: 'user', content: 'b' }],
      tools: CALL.tools,
    });
  },
);

test('[HP5] beside hooks with arguments in a row it gets the messages alone', async () => {
  const { payload } = await stage.fire('request-in-a-row', 'preModelCall', CALL);
  expect(payload).toMatchObject({
    messages: [...CALL.messages, { role: 'user', content: 'more' }],
  });
});

test('[HP6] fewer tools come back: the others are hidden this turn', async () => {
  const { payload } = await stage.fire('request', 'preModelCall', CALL);
  expect(payload).toMatchObject({ tools: [] });
});

test('[HP7] beforeToolExecution authorizes, refuses, answers or steers', async () => {
  expect((await tool('contexts')).action).toBe('allow');
  expect((await tool('refuse')).action).toBe('block');
  expect((await tool('mock')).action).toBe('result');
  expect((await tool('steer')).action).toBe('rework');
});

test('[HP8] a refusal has the text of the hook, or a default', async () => {
  expect((await tool('refuse')).reason).toBe('Ask a manager.');
  expect((await tool('one')).reason).toBe('Execution rejected by user policy.');
  expect((await tool('refuse-scratch')).reason).toBe('Not get1');
  expect((await tool('refuse-bare-scratch')).reason).toBe('Rejected by policy.');
});

test('[HP8] an answer that does not authorize refuses', async () => {
  expect(await tool('refuse-unsaid')).toMatchObject({ action: 'block' });
});

test('[HP9] an authorized call with a canned result does not run, and that is no error', async () => {
  expect(await tool('mock')).toMatchObject({
    action: 'result',
    result: 'mocked result',
    isError: false,
  });
});

test('[HP10] steering has the feedback of the hook, or a default', async () => {
  expect(await tool('steer')).toMatchObject({ action: 'rework', feedback: 'try trains' });
  expect(await tool('steer-bare')).toMatchObject({
    feedback: 'Execution cancelled by user feedback.',
  });
});

test('[HP11] steering beats a refusal', async () => {
  expect((await tool('steer-bare')).action).toBe('rework');
});

test('[HP12] afterToolExecution changes what the model reads, of refused calls too, and leaves isError', async () => {
  const { payload } = await result('stamp', 'DNI 12.345.678', { isError: true, refused: true });
  expect(payload).toMatchObject({ result: 'DNI ***', isError: true });
});

test('[HP12] a result that is no text reaches the hook as JSON', async () => {
  expect((await result('stamp-json', { a: 1 })).payload).toMatchObject({ result: '{"a":1}!' });
});

test('[HP14] a hook has no bus: it emits no events of its own', async () => {
  const report = await stage.runtime.test({
    point: 'preToolUse',
    payload: TOOL,
    hookName: 'contexts',
  });
  expect(JSON.parse(report.logs[0]?.line ?? '')).not.toHaveProperty('bus');
});

test('[HP16] what a local hook throws ends the run, at every point', async () => {
  expect(await tool('throw-tool')).toMatchObject({ action: 'block', endsRun: true });
  const after = await stage.fire('throw-observer', 'postTurn', { turn: 1, input: '', output: '' });
  expect(after).toMatchObject({ endsRun: true });
});

test("[HP16] a package's hook follows its point, and a manifest says otherwise where it does", async () => {
  const closed = await tool('throw-package');
  expect(closed).toMatchObject({
    action: 'block',
    reason: 'Hook "throw-package" failed (fail-closed)',
  });
  expect(closed.endsRun).toBeUndefined();
  expect((await tool('throw-manifest')).action).toBe('allow');
});

test('[HP19] hook objects of one module merge: in order, chained, both asked', async () => {
  const { payload } = await stage.fire('merged', 'preModelCall', CALL);
  expect(payload).toMatchObject({ systemPrompt: 'sys+a+b', tools: [], toolChoice: 'none' });
  expect(await tool('merged')).toMatchObject({ action: 'block', reason: 'A' });
  expect(await tool('merged', { toolName: 'steered' })).toMatchObject({
    action: 'rework',
    feedback: 'stop',
  });
  expect((await result('merged', 'x')).payload).toMatchObject({ result: 'x-a-b' });
});

test('[HP19] beforeTurn and afterTurn of all objects run in order', async () => {
  const context = { sessionId: 'merged' };
  await stage.runtime.fire('preTurn', { turn: 1, messages: [] }, context);
  const { logs } = await stage.runtime.test({
    point: 'postTurn',
    payload: { turn: 1, input: '', output: '' },
    hookName: 'merged',
    context,
  });
  // A test has module state of its own: what a turn before it left is not there.
  expect(logs.map(({ line }) => line)).toEqual(['a.after b.after']);
});

test('[HP20] the reason of a refusal is what the model is told', async () => {
  expect((await tool('refuse')).reason).toBe('Ask a manager.');
});

test('[HP22] arguments that a hook changes in place are those that run', async () => {
  expect(await tool('mutate')).toMatchObject({ action: 'modify', payload: { args: { id: 42 } } });
});

test('[HP24] a throw of beforeToolExecution ends the run, as the prose says, and is no tool output', async () => {
  expect(await tool('throw-tool')).toMatchObject({ endsRun: true, code: 'thrown' });
});

test('[HP25] an empty text is kept, but for the names of Python, where it is none', async () => {
  expect((await result('stamp-empty', 'text')).payload).toMatchObject({ result: '' });
  expect((await result('stamp-empty-python', 'text')).payload).toMatchObject({ result: 'text' });
  expect((await result('stamp-nothing', 'text')).payload).toMatchObject({ result: 'text' });
});

test('an answer of a wrong shape is a failure, never a permission', async () => {
  expect(await tool('bad-answer')).toMatchObject({ action: 'block', code: 'invalid_decision' });
});

test('the default export may be a function of the config', async () => {
  expect((await tool('factory')).reason).toBe('configured');
});

const NAMES = 'beforeTurn, beforeProviderCall, beforeToolExecution, afterToolExecution, afterTurn';

test.each([
  ['no-object', `the default export is no object of hooks: ${NAMES}`],
  ['no-hooks', `none of the hooks is set: ${NAMES}`],
  ['no-function', 'beforeTurn is not a function'],
  ['unknown-hook', `"beforeTool" is no hook: they are ${NAMES}`],
  ['in-list', `the default export is no object of hooks: ${NAMES}`],
])('a module with a fault, %s, is told in the words of its contract', (scene, detail) => {
  expect(stage.failureOf(scene)).toEqual({ code: 'load_error', detail });
});
