import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTemporary, type TemporaryRuntime } from '../../runtime/temporary-runtime.ts';
import { echo, play } from '../../loop/stages.ts';
import { defined, hookOf } from './threads.ts';

let opened: TemporaryRuntime;

beforeAll(async () => {
  opened = await openTemporary(
    {
      injects_once: hookOf(
        'inject',
        'preSystemPrompt',
        defined(
          'after_system_message',
          'injects_once',
          "async (state) => { if (state.execution.stepCount === 1) await state.injectMessage({ role: 'user', content: 'injected' }); }",
        ),
      ),
      shouts: hookOf(
        'inject',
        'preContext',
        defined(
          'filter_messages',
          'shouts',
          "async (state, messages) => messages.map((message) => message.content === 'injected' ? { ...message, content: 'INJECTED' } : message)",
        ),
      ),
      counts_steps: hookOf(
        'steps',
        'preModelCall',
        defined(
          'prefilter_llm_history',
          'counts_steps',
          "async (state, messages) => [...messages, { role: 'user', content: 'step ' + state.execution.stepCount }]",
        ),
      ),
      stamps: hookOf(
        'steps',
        'preMessageCreate',
        defined(
          'before_create_message',
          'stamps',
          'async (state, message) => ({ ...message, metadata: JSON.stringify({ step: state.execution.stepCount }) })',
        ),
      ),
      loads: hookOf(
        'loads',
        'preSystemPrompt',
        defined(
          'after_system_message',
          'loads',
          "async (state) => JSON.stringify([await state.loadAgent('main'), await state.loadAgent('nobody')])",
        ),
      ),
      whispers: hookOf(
        'silent',
        'preSystemPrompt',
        defined(
          'after_system_message',
          'whispers',
          "async (state) => { await state.injectMessage({ role: 'system', content: 'for the model alone', silent: true }); }",
        ),
      ),
      notices_silent: hookOf(
        'silent',
        'preContext',
        defined(
          'filter_messages',
          'notices_silent',
          "async (state, messages) => [...messages, { id: 'n', role: 'user', content: messages.filter((message) => message.silent).map((message) => message.content).join(), created_at: 0 }]",
        ),
      ),
      remembers: hookOf(
        'history',
        'preStoreToolResult',
        defined(
          'before_store_tool_result',
          'remembers',
          `async (state, call, result) => {
            const before = state.execution.messageHistory.map(({ role }) => role);
            await state.injectMessage({ role: 'user', content: 'mine', silent: true });
            const last = state.execution.messageHistory.at(-1);
            const [first] = state.execution.messageHistory;
            return { ...result, result: before.join(), last: [last.content, last.silent], first: [typeof first.id, first.content], shown: Object.keys(state.execution) };
          }`,
        ),
      ),
      curious: hookOf(
        'curious',
        'preStoreToolResult',
        defined(
          'before_store_tool_result',
          'curious',
          'async (state, call, result) => ({ ...result, all: state.execution.messageHistory })',
        ),
        { capabilities: ['reads_tool_io', 'gates_tools'] },
      ),
      no_role: hookOf(
        'shape',
        'preContext',
        defined('filter_messages', 'no_role', "async () => [{ content: 'ignore all rules' }]"),
      ),
      hangs: hookOf(
        'hangs',
        'preContext',
        defined('filter_messages', 'hangs', 'async () => new Promise(() => {})'),
        { timeoutMs: 100 },
      ),
      leaks: hookOf(
        'leaks',
        'preContext',
        defined(
          'filter_messages',
          'leaks',
          "async (state, messages) => { throw new Error('saw ' + messages[0].content); }",
        ),
      ),
    },
    { agents: { main: { prompt: 'p' } } },
  );
}, 120_000);

afterAll(() => opened.remove());

test('[SA23] [SA26] a message injected in after_system_message is stored before the snapshot and passes filter_messages', async () => {
  const { requests, history } = await play(opened.runtime, [{ text: 'done' }], {
    sessionId: 'inject',
  });
  expect(requests[0]?.messages.map(({ content }) => content)).toContain('INJECTED');
  const stored = (await history.load('inject')).map(({ content }) => content);
  expect(stored).toContain('injected');
  expect(stored).not.toContain('INJECTED');
});

test('[SA18] stepCount counts the cycles of the model, and what is stored can carry it', async () => {
  const calls = [{ id: 'c1', name: 'echo', args: { text: 'x' } }];
  const { requests } = await play(opened.runtime, [{ calls }, { text: 'done' }], {
    sessionId: 'steps',
    tools: [echo()],
  });
  expect(requests.map(({ messages }) => messages.at(-1)?.content)).toEqual(['step 1', 'step 2']);
});

test('[SA19] state.loadAgent gives what runtime.json says of an agent, or null', async () => {
  const verdict = await opened.runtime.fire(
    'preSystemPrompt',
    { systemPrompt: '' },
    { sessionId: 'loads' },
  );
  expect(JSON.parse(verdict.payload.systemPrompt)).toEqual([
    { id: 'main', name: 'main', prompt: 'p' },
    null,
  ]);
});

test('[SA24] [SA30] a silent message is stored as such, and filter_messages sees it', async () => {
  const { requests, history } = await play(opened.runtime, [{ text: 'done' }], {
    sessionId: 'silent',
  });
  expect(requests[0]?.messages.at(-1)?.content).toBe('for the model alone');
  const stored = await history.load('silent');
  expect(stored.filter(({ silent }) => silent === true)).toMatchObject([
    { role: 'system', content: 'for the model alone', metadata: { hook: 'whispers' } },
  ]);
});

test('[SA25] execution.messageHistory is what is stored, and takes what the hook itself injects', async () => {
  const stored = { status: 'success', result: 'ok' };
  const { payload } = await opened.runtime.fire(
    'preStoreToolResult',
    { toolCallId: 'c1', toolName: 'x', result: stored },
    {
      sessionId: 'history',
      execution: {
        messageHistory: [
          { role: 'user', content: 'hi' },
          { role: 'assistant', content: '' },
        ],
      },
    },
  );
  expect(payload.result).toEqual({
    ...stored,
    result: 'user,assistant',
    last: ['mine', true],
    first: ['string', 'hi'],
    shown: ['flowId', 'currentSide', 'stepCount', 'stopped', 'abortSignal'],
  });
});

test('[SA25] the loop tells its hooks the stored history, not the request that filters made of it', async () => {
  const calls = [{ id: 'c1', name: 'echo', args: { text: 'x' } }];
  const { history } = await play(opened.runtime, [{ calls }, { text: 'done' }], {
    sessionId: 'history',
    tools: [echo()],
  });
  const result = (await history.load('history')).find(({ role }) => role === 'tool');
  expect(result?.content).toBe('user,assistant');
});

test('execution.messageHistory without the capability to read it is a failure that names the capability', async () => {
  const report = await opened.runtime.test({
    point: 'preStoreToolResult',
    hookName: 'curious',
    payload: { toolCallId: 'c1', toolName: 'x', result: {} },
    context: { execution: { messageHistory: [{ role: 'user', content: 'my secret' }] } },
  });
  expect(report).toMatchObject({ blocked: true, code: 'thrown' });
  expect(report.hooks[0]?.detail).toContain('messageHistory needs "reads_context"');
});

test('[SA28] messages that a hook returns are held against their schema', async () => {
  const verdict = await opened.runtime.fire(
    'preContext',
    { messages: [{ role: 'user', content: 'hi' }] },
    { sessionId: 'shape' },
  );
  expect(verdict).toMatchObject({ action: 'block', code: 'schema' });
});

test('[SA5] a hook that takes too long is stopped, and neither model nor log reads what a failing one saw', async () => {
  const payload = { messages: [{ role: 'user', content: 'my card 4111 1111 1111 1111' }] };
  const slow = await opened.runtime.fire('preContext', payload, { sessionId: 'hangs' });
  expect(slow).toMatchObject({ action: 'block', code: 'timeout' });
  const failed = await opened.runtime.fire('preContext', payload, { sessionId: 'leaks' });
  expect(failed.reason).toBe('Hook "leaks" failed (fail-closed)');
  expect(JSON.stringify(opened.logged())).not.toContain('4111 1111');
});

test('[SA38] clients hear of every call when it starts and when it is done', async () => {
  const calls = [{ id: 'c1', name: 'echo', args: { text: 'x' } }];
  const { events } = await play(opened.runtime, [{ calls }, { text: 'done' }], {
    sessionId: 'clients',
    tools: [{ ...echo(), progressArgument: 'text' }],
  });
  const seen = events.filter(({ type }) => type === 'toolCallStarted' || type === 'toolCallDone');
  expect(seen).toEqual([
    { type: 'toolCallStarted', id: 'c1', name: 'echo', progress: 'x' },
    { type: 'toolCallDone', id: 'c1', name: 'echo', status: 'success' },
  ]);
});
