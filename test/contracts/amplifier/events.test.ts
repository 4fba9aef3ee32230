import { afterAll, beforeAll, expect, test } from 'vitest';
import { POINTS, POINT_NAMES, type Point } from '../../../sdk/points.ts';
import { openScenes, type Stage } from '../scenes.ts';
import { mountOf } from './mount.ts';

/** All 42, in the order of the contract's own table. */
const CANONICAL = [
  'session:start',
  'session:end',
  'session:fork',
  'session:resume',
  'prompt:submit',
  'prompt:complete',
  'plan:start',
  'plan:end',
  'provider:request',
  'provider:response',
  'provider:retry',
  'provider:error',
  'provider:throttle',
  'provider:tool_sequence_repaired',
  'provider:resolve',
  'llm:request',
  'llm:response',
  'content_block:start',
  'content_block:delta',
  'content_block:end',
  'thinking:delta',
  'thinking:final',
  'tool:pre',
  'tool:post',
  'tool:error',
  'context:pre_compact',
  'context:post_compact',
  'context:compaction',
  'context:include',
  'orchestrator:complete',
  'execution:start',
  'execution:end',
  'user:notification',
  'artifact:write',
  'artifact:read',
  'policy:violation',
  'approval:required',
  'approval:granted',
  'approval:denied',
  'cancel:requested',
  'cancel:completed',
  'module:on_session_ready_failed',
];

/** Fires that stand for an event with a point of its own, and the data that its handlers are given. */
const FIRES: Readonly<Record<string, readonly [point: Point, payload: object, data: object]>> = {
  'session:start': ['sessionStart', { sessionId: 's' }, { session_id: 's' }],
  'session:resume': ['sessionStart', { sessionId: 's', resumed: true }, { session_id: 's' }],
  'session:end': [
    'sessionEnd',
    { sessionId: 's', status: 'error' },
    { session_id: 's', status: 'error' },
  ],
  'session:fork': [
    'postSpawn',
    { childId: 'c', parentId: 'p', depth: 1, agent: 'a' },
    { session_id: 'c', parent_id: 'p', depth: 1, agent: 'a' },
  ],
  'prompt:submit': ['preInput', { text: 'hi' }, { prompt: 'hi' }],
  'prompt:complete': [
    'postTurn',
    { turn: 2, input: 'a', output: 'b' },
    { prompt: 'a', response: 'b' },
  ],
  'orchestrator:complete': [
    'postTurn',
    { turn: 2, input: 'a', output: 'b' },
    { orchestrator: 'signalbox', turn_count: 2, status: 'success' },
  ],
  'execution:start': ['runStart', { prompt: 'hi' }, { prompt: 'hi' }],
  'execution:end': [
    'runEnd',
    { response: 'x', status: 'cancelled' },
    { response: 'x', status: 'cancelled' },
  ],
  'provider:request': [
    'preModelCall',
    { messages: [], model: 'm' },
    { provider: 'host', messages: [], model: 'm' },
  ],
  'llm:request': ['preModelCall', { messages: [], model: 'm' }, { messages: [], model: 'm' }],
  'provider:response': [
    'postModelCall',
    { response: { role: 'assistant' } },
    { provider: 'host', response: { role: 'assistant' } },
  ],
  'llm:response': [
    'postModelCall',
    { response: { role: 'assistant' } },
    { response: { role: 'assistant' } },
  ],
  'provider:retry': [
    'preRetry',
    { error: 'e', attempt: 1, maxAttempts: 2, delayMs: 3, model: 'm' },
    { error: 'e', attempt: 1, max_attempts: 2, delay_ms: 3, model: 'm', mid_stream: false },
  ],
  'provider:error': ['error', { message: 'e', where: 'model' }, { error: 'e', where: 'model' }],
  'content_block:delta': ['onToken', { text: 't' }, { text: 't', kind: 'text' }],
  'thinking:delta': ['onToken', { text: 't', kind: 'thinking' }, { text: 't', kind: 'thinking' }],
  'tool:pre': [
    'preToolUse',
    { toolName: 'n', args: { a: 1 } },
    { tool_name: 'n', tool_input: { a: 1 } },
  ],
  'tool:post': [
    'postToolUse',
    { toolName: 'n', args: { a: 1 }, result: 'r', isError: true },
    { tool_name: 'n', tool_input: { a: 1 }, tool_result: 'r', is_error: true },
  ],
  'tool:error': [
    'postToolFailure',
    { toolName: 'n', args: { a: 1 }, error: 'e' },
    { tool_name: 'n', tool_input: { a: 1 }, error: 'e' },
  ],
  'context:pre_compact': [
    'preCompact',
    { evicted: [], summary: 's' },
    { evicted: [], summary: 's' },
  ],
  'context:post_compact': [
    'postCompact',
    { summary: 's', removed: 1 },
    { summary: 's', removed: 1 },
  ],
  'context:compaction': ['postCompact', { summary: 's', removed: 1 }, { summary: 's', removed: 1 }],
};

let stage: Stage;
beforeAll(async () => {
  stage = await openScenes('amplifier', {
    watcher: {
      module: mountOf(`
        for (const event of ${JSON.stringify([...CANONICAL, 'session:config', 'mine:own'])})
          hooks.register(event, async (name, data, ctx) => {
            await ctx.store.put('seen', event, { name, data });
          });`),
      points: POINT_NAMES.filter((point) => POINTS[point].names.amplifier !== undefined),
      manifest: {
        capabilities: [
          'reads_input',
          'reads_output',
          'reads_tool_io',
          'reads_context',
          'store:write',
        ],
      },
    },
    changer: {
      module: mountOf(`
        hooks.register('prompt:submit', (e, data) => ({ action: 'modify', data: { ...data, prompt: 'changed', stray: 1 } }));
        hooks.register('tool:post', (e, data) => ({ action: 'modify', data: { tool_result: 'changed' } }));
        hooks.register('tool:error', (e, data) => ({ action: 'modify', data: { ...data, error: 'changed' } }));
        hooks.register('provider:request', (e, data) => ({ action: 'modify', data: { ...data, system_prompt: 'changed' } }));
        hooks.register('content_block:delta', (e, data) => ({ action: 'modify', data: { ...data, text: 'changed' } }));
        hooks.register('context:pre_compact', (e, data) => ({ action: 'modify', data: { ...data, summary: 'changed' } }));
        hooks.register('session:start', () => ({ action: 'deny', reason: 'too late' }));`),
      points: [
        'preInput',
        'postToolUse',
        'postToolFailure',
        'preModelCall',
        'onToken',
        'preCompact',
        'sessionStart',
      ],
    },
    blind: {
      module: mountOf(
        `hooks.register('tool:pre', (e, data) => ({ action: 'deny', reason: JSON.stringify(Object.keys(data).sort()) }));`,
      ),
      points: ['preToolUse'],
      manifest: { capabilities: ['gates_tools'] },
    },
  });
}, 120_000);
afterAll(() => stage.remove());

test('the contract has 42 events, every one of them at a point', () => {
  const known = POINT_NAMES.flatMap((point) => POINTS[point].names.amplifier ?? []);
  expect(CANONICAL).toHaveLength(42);
  expect([...known].toSorted()).toEqual([...CANONICAL, 'session:config'].toSorted());
});

test.each([...CANONICAL, 'session:config', 'mine:own'])(
  'a handler of %s is called with the data of the contract',
  async (event) => {
    const [point, payload, data] = FIRES[event] ?? [
      'event',
      { name: event, data: { a: 1 } },
      { a: 1 },
    ];
    await stage.fire('watcher', point, payload);
    const seen = await stage.runtime.store.get('seen', event);
    expect(seen).toMatchObject({
      name: event,
      data: { ...data, timestamp: expect.any(String) as string },
    });
  },
);

test.each([
  ['preInput', { text: 'a' }, { text: 'changed' }],
  ['postToolUse', { toolName: 'n', args: {}, result: 'a' }, { result: 'changed' }],
  ['postToolFailure', { toolName: 'n', args: {}, error: 'a' }, { error: 'changed' }],
  ['preModelCall', { messages: [], systemPrompt: 'a' }, { systemPrompt: 'changed' }],
  ['onToken', { text: 'a' }, { text: 'changed' }],
  ['preCompact', { evicted: [], summary: 'a' }, { summary: 'changed' }],
] as const)('changed data at %s becomes the payload', async (point, before, after) => {
  const { payload } = await stage.fire('changer', point, before);
  expect(payload).toMatchObject({ ...before, ...after });
});

test('tool:post is not told of a call that was refused', async () => {
  const refused = { toolName: 'n', args: {}, result: 'no', refused: true };
  expect((await stage.fire('changer', 'postToolUse', refused)).isModified).toBe(false);
});

test('a denial where nothing can be stopped passes, and a line says so', async () => {
  expect((await stage.fire('changer', 'sessionStart', { sessionId: 's' })).action).toBe('allow');
  const report = await stage.runtime.test({
    point: 'sessionStart',
    payload: { sessionId: 's' },
    hookName: 'changer',
  });
  expect(report.logs.map(({ line }) => line)).toEqual(['deny has no effect at sessionStart']);
});

test('without the capability to read, names are there and contents are not', async () => {
  const { reason } = await stage.fire('blind', 'preToolUse', {
    toolName: 'n',
    args: { secret: 1 },
  });
  expect(JSON.parse(reason ?? '')).toEqual([
    'is_delegated',
    'plan_mode_active',
    'timestamp',
    'tool_name',
  ]);
});
