import { afterAll, beforeAll, expect, test } from 'vitest';
import { POINT_NAMES, POINTS } from '../../../sdk/points.ts';
import { STANDARD_AGENTS_HOOKS } from '../../../sdk/contracts/standard-agents-hooks.ts';
import {
  openTemporary,
  type HookDraft,
  type TemporaryRuntime,
} from '../../runtime/temporary-runtime.ts';
import { defined, hookOf } from './threads.ts';

let opened: TemporaryRuntime;

/** A hook at the point of its type, in the session of its own name. */
function of(hook: string, id: string, execute: string, manifest: object = {}): [string, HookDraft] {
  const point = POINT_NAMES.find((name) => POINTS[name].names.standardAgents?.includes(hook));
  return [id, hookOf(id, point ?? 'preContext', defined(hook, id, execute), { ...manifest })];
}

const local = (name: string, draft: HookDraft): [string, HookDraft] => [
  name,
  { ...draft, home: 'local' },
];
const pair = (id: string, word: string): HookDraft =>
  hookOf(
    'pair',
    'preSystemPrompt',
    defined('after_system_message', id, `(state, text) => text + ' ${word}'`),
  );
const throwing = "async () => { throw new Error('no'); }";

beforeAll(async () => {
  opened = await openTemporary(
    Object.fromEntries([
      of(
        'after_thread_created',
        'thread_created',
        "async (state, context) => console.log('created', state.threadId, Object.keys(context).join())",
      ),
      of(
        'after_subagent_created',
        'subagent_created',
        'async (state, child, context) => console.log(state.threadId, child.threadId, child.agentId, context.source.kind)',
      ),
      of('after_system_message', 'system_sync', "(state, text) => text + ' Be kind.'"),
      of('after_system_message', 'system_null', 'async () => null'),
      of('after_system_message', 'system_number', '() => 7', { failPolicy: 'closed' }),
      of(
        'filter_messages',
        'no_silent',
        'async (state, messages) => messages.filter((message) => !message.silent)',
      ),
      of(
        'filter_messages',
        'sees_all',
        'async (state, messages) => { console.log(JSON.stringify(messages)); return messages; }',
      ),
      of('filter_messages', 'no_array', 'async () => undefined', { failPolicy: 'closed' }),
      of(
        'filter_messages',
        'keeps_pairs',
        "async (state, messages) => messages.filter(({ role }) => role !== 'user')",
      ),
      of(
        'filter_messages',
        'injects',
        "async (state, messages) => { await state.injectMessage({ role: 'system', content: 'for the next one' }); return messages; }",
      ),
      of(
        'prefilter_llm_history',
        'llm_format',
        'async (state, messages) => { console.log(JSON.stringify(messages)); return messages; }',
      ),
      of('prefilter_llm_history', 'gate', throwing),
      of(
        'prefilter_llm_history',
        'adds',
        "async (state, messages) => [...messages, { role: 'user', content: 'extra', tool_call_id: undefined }]",
      ),
      of('before_create_message', 'no_row', throwing),
      of('after_create_message', 'created_fails', throwing),
      of(
        'before_update_message',
        'update',
        "async (state, messageId, updates) => ({ ...updates, content: messageId + ' ' + updates.content })",
      ),
      of('before_update_message', 'no_update', throwing),
      of('after_update_message', 'updated_fails', throwing),
      of(
        'tool_call_started',
        'started',
        'async (state, call, progress, context) => { console.log(call.type, JSON.stringify(call.function), progress, context.source.kind); return { ignored: true }; }',
      ),
      of(
        'tool_call_done',
        'done',
        "async (state, call, result) => { console.log(call.id, result.status, result.result ?? result.error); return 'ignored'; }",
      ),
      of(
        'after_tool_call_success',
        'success_replaces',
        "async (state, call, result) => ({ status: 'success', result: result.result + '!', attachments: result.attachments })",
      ),
      of(
        'after_tool_call_success',
        'success_drops',
        "async (state, call, result) => ({ status: 'success', result: result.result })",
      ),
      of('after_tool_call_success', 'success_shape', "async () => ({ result: 'no status' })", {
        failPolicy: 'closed',
      }),
      of(
        'after_tool_call_failure',
        'failure_replaces',
        "async (state, call, result) => { console.log(result.status, result.stack); return { status: 'error', error: 'try later' }; }",
      ),
      of(
        'after_tool_call_failure',
        'failure_recovers',
        "async () => ({ status: 'success', result: 'from the cache' })",
      ),
      of(
        'before_store_tool_result',
        'stores',
        'async (state, call, result) => ({ ...result, checked: call.function.name })',
      ),
      local('sa_nonfatal', of('filter_messages', 'sa_nonfatal', throwing)[1]),
      local('sa_prevents', of('before_create_message', 'sa_prevents', throwing)[1]),
      local('LogToolCalls', of('tool_call_done', 'LogToolCalls', 'async () => {}')[1]),
      [
        'unknown_type',
        hookOf('x', 'preContext', defined('filter_message', 'unknown_type', 'async () => []')),
      ],
      ['no_execute', hookOf('x', 'preContext', defined('filter_messages', 'no_execute', '7'))],
      [
        'other_name',
        hookOf('x', 'preContext', defined('filter_messages', 'another_id', 'async () => []')),
      ],
      [
        'other_point',
        hookOf('x', 'preToolUse', defined('filter_messages', 'other_point', 'async () => []')),
      ],
      ['pair_one', pair('pair_one', 'One.')],
      ['pair_two', pair('pair_two', 'Two.')],
      ['bare', hookOf('x', 'preContext', 'export default async () => [];')],
    ]),
  );
}, 120_000);

afterAll(() => opened.remove());

const run = async (
  id: string,
  point: Parameters<typeof opened.runtime.test>[0]['point'],
  payload: object,
) => {
  const report = await opened.runtime.test({
    point,
    payload,
    context: { sessionId: id, agent: { id: 'helper' } },
  });
  return {
    report,
    lines: report.logs.map(({ line }) => line),
    output: report.output as Record<string, unknown>,
  };
};
const failure = (name: string): string | undefined =>
  opened.runtime.inventory().hooks.find(({ hook }) => hook === name)?.failure?.detail;

test('[SA1] the 14 hooks are rows of ours, one point each', () => {
  const names = POINT_NAMES.flatMap((point) => POINTS[point].names.standardAgents ?? []);
  expect(names).toHaveLength(14);
  expect(Object.keys(STANDARD_AGENTS_HOOKS).toSorted()).toEqual([...names].toSorted());
});

test('[SA3] an unknown hook, an id that is not snake_case or not the name in hook.json: each is told', () => {
  expect(failure('unknown_type')).toContain('"hook" names none of the hooks of Standard Agents');
  expect(failure('LogToolCalls')).toContain('"id" must be snake_case');
  expect(failure('other_name')).toContain('the id "another_id" differs from the name "other_name"');
  expect(failure('no_execute')).toContain('"execute" of hook "no_execute" is not a function');
  expect(failure('other_point')).toContain('a filter_messages hook is bound to preContext alone');
  expect(failure('bare')).toContain('not what defineHook({ hook, id, execute }) returns');
});

test('[SA4] several hooks of one type run in their order, each with its own id', async () => {
  const verdict = await opened.runtime.fire(
    'preSystemPrompt',
    { systemPrompt: 'Help.' },
    { sessionId: 'pair' },
  );
  expect(verdict.payload.systemPrompt).toBe('Help. One. Two.');
  expect(verdict.trace.map(({ hook }) => hook)).toEqual(['pair_one', 'pair_two']);
});

test('[SA15] thread hooks get the state first and the execution context last', async () => {
  expect(
    (await run('thread_created', 'sessionStart', { sessionId: 'thread_created' })).lines,
  ).toEqual(['created thread_created source']);
  const started = { toolCallId: 'c1', toolName: 'edit', partialArgs: '{"pa', progress: 'a.html' };
  expect((await run('started', 'toolCallStarted', started)).lines).toEqual([
    'function {"name":"edit","arguments":"{\\"pa"} a.html agent',
  ]);
});

test('after_subagent_created runs on the parent with the state of the child', async () => {
  const { lines } = await run('subagent_created', 'postSpawn', {
    childId: 'child-1',
    depth: 1,
    agent: 'billing',
  });
  expect(lines).toEqual(['subagent_created child-1 billing agent']);
});

test('[SA22] after_system_message: a string replaces, also from a function that is not async; null leaves as it is', async () => {
  const prompt = { systemPrompt: 'Help.' };
  expect((await run('system_sync', 'preSystemPrompt', prompt)).output).toMatchObject({
    systemPrompt: 'Help. Be kind.',
  });
  expect((await run('system_null', 'preSystemPrompt', prompt)).report).toMatchObject({
    modified: false,
  });
  const { report } = await run('system_number', 'preSystemPrompt', prompt);
  expect(report).toMatchObject({ blocked: true, code: 'invalid_decision' });
  expect(report.hooks[0]?.detail).toBe(
    'after_system_message returned a number; it returns a string, null or undefined',
  );
});

const silent = [
  { role: 'user', content: 'hi', id: 'm1' },
  { role: 'system', content: 'note', silent: true },
  { role: 'assistant', content: '', toolCalls: [{ id: 'c1', name: 'x', args: {} }] },
];

test('[SA24] filter_messages sees HookMessages, silent ones included, and what it returns is the history of the request', async () => {
  const { lines } = await run('sees_all', 'preContext', { messages: silent });
  expect(JSON.parse(lines[0] ?? '')).toEqual([
    { id: 'm1', role: 'user', content: 'hi', created_at: 0 },
    { id: 'message_1', role: 'system', content: 'note', silent: true, created_at: 0 },
    {
      id: 'message_2',
      role: 'assistant',
      content: '',
      tool_calls: JSON.stringify(silent[2]?.toolCalls),
      created_at: 0,
    },
  ]);
  const { output } = await run('no_silent', 'preContext', { messages: silent });
  expect(output['messages']).toEqual([silent[0], silent[2]]);
  const { report } = await run('no_array', 'preContext', { messages: silent });
  expect(report.hooks[0]?.detail).toBe(
    'filter_messages returned undefined; it returns HookMessage[]',
  );
});

test('[SA44] tool calls and their results keep what ties them together through a filter', async () => {
  const pair = [
    { role: 'user', content: 'hi' },
    silent[2],
    { role: 'tool', content: 'done', toolCallId: 'c1' },
  ];
  const { output } = await run('keeps_pairs', 'preContext', { messages: pair });
  expect(output['messages']).toEqual(pair.slice(1));
});

test('[SA26] [SA30] a message that is injected in a request hook is stored by the loop, not put into this request', async () => {
  const { report } = await run('injects', 'preContext', { messages: silent });
  expect(report.modified).toBe(false);
  expect(report.verdict.inject).toMatchObject([
    { content: 'for the next one', role: 'system', ephemeral: false },
  ]);
});

test('[SA27] prefilter_llm_history sees chat messages, and what it returns is the request', async () => {
  const { lines } = await run('llm_format', 'preModelCall', {
    messages: [{ role: 'tool', content: 'x', toolCallId: 'c1' }],
  });
  expect(JSON.parse(lines[0] ?? '')).toEqual([{ role: 'tool', content: 'x', tool_call_id: 'c1' }]);
  const { output } = await run('adds', 'preModelCall', { messages: [] });
  expect(output['messages']).toEqual([{ role: 'user', content: 'extra' }]);
});

test('[SA29] prefilter_llm_history refuses a request by throwing', async () => {
  const { report } = await run('gate', 'preModelCall', { messages: [] });
  expect(report).toMatchObject({ blocked: true, code: 'thrown' });
});

test('[SA31] a before_create_message that throws keeps the message from being stored', async () => {
  const { report } = await run('no_row', 'preMessageCreate', {
    message: { role: 'user', content: 'hi' },
  });
  expect(report.blocked).toBe(true);
});

test('[SA32] [SA34] an after_create_message or after_update_message that throws changes nothing', async () => {
  for (const [id, point] of [
    ['created_fails', 'postMessageCreate'],
    ['updated_fails', 'postMessageUpdate'],
  ] as const) {
    const { report } = await run(id, point, { message: { role: 'user', content: 'hi' } });
    expect(report).toMatchObject({ action: 'allow', modified: false, blocked: false });
  }
});

test('[SA33] before_update_message returns the updates, and prevents them by throwing', async () => {
  const change = { messageId: 'm1', updates: { content: 'new' } };
  expect((await run('update', 'preMessageUpdate', change)).output).toMatchObject({
    updates: { content: 'm1 new' },
  });
  expect((await run('no_update', 'preMessageUpdate', change)).report.blocked).toBe(true);
});

test('[SA35] [SA37] tool_call_started may see a fragment of the arguments, and what it returns is ignored', async () => {
  const { lines, report } = await run('started', 'toolCallStarted', {
    toolCallId: 'c1',
    toolName: 'edit',
  });
  expect(lines).toEqual(['function {"name":"edit","arguments":""} undefined agent']);
  expect(report).toMatchObject({ action: 'allow', modified: false });
});

test('[SA40] after_tool_call_success and _failure: a result replaces the original', async () => {
  const call = { toolName: 'x', args: { a: 1 }, result: 'ok', toolCallId: 'c1' };
  expect((await run('success_replaces', 'postToolUse', call)).output).toMatchObject({
    result: 'ok!',
    isError: false,
  });
  const failed = await run('failure_replaces', 'postToolFailure', {
    toolName: 'x',
    error: 'ECONNRESET',
    stack: 'at x',
  });
  expect(failed.output).toMatchObject({ error: 'try later' });
  expect(failed.lines).toEqual(['error at x']);
  const shape = await run('success_shape', 'postToolUse', call);
  expect(shape.report.hooks[0]?.detail).toContain(
    'it returns a HookToolResult with a status of success or error, or null',
  );
});

test('after_tool_call_success is not called for an error, and no failure becomes a success', async () => {
  const error = await run('success_replaces', 'postToolUse', {
    toolName: 'x',
    result: 'no',
    isError: true,
  });
  expect(error.report.modified).toBe(false);
  const recovered = await run('failure_recovers', 'postToolFailure', {
    toolName: 'x',
    error: 'no',
  });
  expect(recovered.output).toMatchObject({ error: 'from the cache' });
});

test('[SA39] before_store_tool_result gives the object to store', async () => {
  const result = { status: 'success', result: 'ok' };
  const { output } = await run('stores', 'preStoreToolResult', {
    toolCallId: 'c1',
    toolName: 'edit',
    result,
  });
  expect(output['result']).toEqual({ ...result, checked: 'edit' });
});

test('[SA41] tool_call_done sees success and failure alike, and what it returns is ignored', async () => {
  const done = (status: string) =>
    run('done', 'toolCallDone', { toolCallId: 'c1', toolName: 'x', status, result: 'r' });
  expect((await done('success')).lines).toEqual(['c1 success r']);
  expect((await done('error')).lines).toEqual(['c1 error r']);
});

test('[SA42] attachments stay where the result names them again, and go where it does not', async () => {
  const call = { toolName: 'x', args: {}, result: 'ok', attachments: [{ path: 'a.png' }] };
  expect((await run('success_replaces', 'postToolUse', call)).output).toMatchObject({
    attachments: [{ path: 'a.png' }],
  });
  expect((await run('success_drops', 'postToolUse', call)).output).not.toHaveProperty(
    'attachments',
  );
});

test('[SA6] a failure of a local hook is not fatal to the turn, save where it prevents what it guards', async () => {
  const filtered = await run('sa_nonfatal', 'preContext', { messages: silent });
  expect(filtered.report).toMatchObject({ action: 'allow', modified: false });
  expect(filtered.report.hooks).toMatchObject([{ code: 'thrown' }]);
  const created = await run('sa_prevents', 'preMessageCreate', { message: { role: 'user' } });
  expect(created.report.blocked).toBe(true);
});
