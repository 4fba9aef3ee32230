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
