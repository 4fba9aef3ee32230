import { afterAll, beforeAll, expect, test } from 'vitest';
import { echo, play } from '../../loop/stages.ts';
import { openScenes, type Stage } from '../scenes.ts';
import { mountOf } from './mount.ts';

const CALL = { calls: [{ id: 'c1', name: 'echo', args: { text: 'hi' } }] };
const ANSWER = { text: 'done' };

let stage: Stage;
beforeAll(async () => {
  const at = (event: string, result: string, points: readonly string[]) => ({
    module: mountOf(`hooks.register('${event}', (event, data) => (${result}), { name: 'it' });`),
    points,
  });
  const inject = (text: string, role: string, ephemeral: boolean) =>
    `{ action: 'inject_context', context_injection: '${text}', context_injection_role: '${role}', ephemeral: ${ephemeral} }`;
  const request = ['preModelCall'];
  stage = await openScenes('amplifier', {
    durable: at('prompt:submit', inject('a rule', 'system', false), ['preInput']),
    ephemeral: at('tool:post', inject('todo: 1 left', 'user', true), ['postToolUse']),
    'each-turn': at('execution:start', inject('the clock', 'user', true), ['runStart']),
    mode: {
      module:
        mountOf(`hooks.register('prompt:submit', (event, data) => (data.prompt.includes('leave') ? null
        : ${inject('plan mode', 'system', true)}), { name: 'it' });`),
      points: ['preInput'],
    },
    append: at(
      'tool:post',
      `{ action: 'inject_context', context_injection: 'lint: ok', ephemeral: true,
      append_to_last_tool_result: true }`,
      ['postToolUse'],
    ),
    'append-nowhere': at(
      'prompt:submit',
      `{ action: 'inject_context', context_injection: 'alone', ephemeral: true,
      append_to_last_tool_result: true }`,
      ['preInput'],
    ),
    deny: at(
      'tool:pre',
      `{ action: 'deny', reason: 'not this one', user_message: 'kept from it', user_message_source: 'guard' }`,
      ['preToolUse'],
    ),
    ask: at('tool:pre', `{ action: 'ask_user', approval_prompt: 'Echo?' }`, ['preToolUse']),
    quiet: at('tool:post', `{ user_message: 'Processed 1 file', suppress_output: true }`, [
      'postToolUse',
    ]),
    ids: {
      module: mountOf(`for (const event of ['llm:request', 'llm:response', 'provider:retry'])
        hooks.register(event, async (name, data, ctx) => {
          const known = (await ctx.store.get('ids', 'all')) ?? [];
          await ctx.store.put('ids', 'all', [...known, name + ' ' + data.request_id]);
        }, 0, 'ids');`),
      points: [...request, 'postModelCall', 'preRetry'],
      manifest: { capabilities: ['reads_context', 'reads_output', 'store:read', 'store:write'] },
    },
  });
}, 120_000);
afterAll(() => stage.remove());

const run = (sessionId: string, script: Parameters<typeof play>[1], more: object = {}) =>
  play(stage.runtime, script, { sessionId, systemPrompt: 'sys', tools: [echo()], ...more });

const contents = (request: { messages: readonly { content: unknown }[] } | undefined): unknown[] =>
  (request?.messages ?? []).map(({ content }) => content);

test('[AP41] an injected message is stored with its source, its handler and its time', async () => {
  const { history, requests } = await run('durable', [ANSWER]);
  const kept = (await history.load('durable')).find(({ content }) => content === 'a rule');
  expect(kept).toMatchObject({
    role: 'system',
    metadata: {
      source: 'hook',
      hook: 'durable/it',
      point: 'preInput',
      timestamp: expect.any(String) as string,
    },
  });
  expect(contents(requests[0])).toContain('a rule');
});

test('[AP43] [AP45a] an ephemeral injection goes with one request and is not stored', async () => {
  const { history, requests } = await run('ephemeral', [CALL, ANSWER]);
  expect(contents(requests[1])).toContain('todo: 1 left');
  expect((await history.load('ephemeral')).map(({ content }) => content)).not.toContain(
    'todo: 1 left',
  );
});

test('[AP45g] every request is built whole: what was dropped here is gone there', async () => {
  const { requests } = await run('ephemeral', [CALL, CALL, ANSWER]);
  expect(
    requests.map((request) => contents(request).filter((text) => text === 'todo: 1 left').length),
  ).toEqual([0, 1, 1]);
});

test('the same ephemeral injection on every turn never adds up', async () => {
  const { history } = await run('each-turn', [ANSWER]);
  const { requests } = await run('each-turn', [ANSWER], { history });
  expect(contents(requests[0]).filter((text) => text === 'the clock')).toHaveLength(1);
});

test('[AP45d] [AP45e] a system injection is taken back by leaving it out, and the system prompt is always sent', async () => {
  const first = await run('mode', [ANSWER], { prompt: 'enter' });
  const second = await run('mode', [ANSWER], { prompt: 'leave', history: first.history });
  expect(contents(first.requests[0])).toContain('plan mode');
  expect(contents(second.requests[0])).not.toContain('plan mode');
  for (const { requests } of [first, second]) expect(contents(requests[0])[0]).toBe('sys');
});

test('[AP45f] what the model repeats in its answer stays in the history', async () => {
  const { history } = await run('each-turn', [{ text: 'as the clock says' }], {
    history: undefined,
  });
  expect((await history.load('each-turn')).at(-1)?.content).toBe('as the clock says');
});

test('[AP44] an appended injection stands behind the last tool result, or is a message of its own', async () => {
  const appended = await run('append', [CALL, ANSWER]);
  expect(contents(appended.requests[1]).at(-1)).toBe('echo hi\n\nlint: ok');
  const alone = await run('append-nowhere', [ANSWER]);
  expect(contents(alone.requests[0]).at(-1)).toBe('alone');
});

test('[AP66b] the model reads why a call was denied, and the user what the hook says', async () => {
  const { requests, events } = await run('deny', [CALL, ANSWER]);
  expect(contents(requests[1]).at(-1)).toBe('not this one');
  expect(events).toContainEqual({
    type: 'notice',
    text: 'kept from it',
    level: 'info',
    source: 'hook:guard',
  });
});

test('[AP48] [AP50] the model reads that the user denied it', async () => {
  const { requests } = await run('ask', [CALL, ANSWER], { approve: async () => 'Deny' });
  expect(contents(requests[1]).at(-1)).toBe('User denied: Echo?');
  const granted = await run('ask', [CALL, ANSWER], { approve: async () => 'Allow once' });
  expect(contents(granted.requests[1]).at(-1)).toBe('echo hi');
});

test('[AP55] suppress_output hides neither the result of the tool nor the message', async () => {
  const { requests, events } = await run('quiet', [CALL, ANSWER]);
  expect(contents(requests[1]).at(-1)).toBe('echo hi');
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'notice', text: 'Processed 1 file' }),
  );
});

test('[AP58a] [AP58b] [AP58d] the request, its retry and its answer have one id in the loop', async () => {
  await run('ids', [{ status: 503 }, ANSWER]);
  const seen = (await stage.runtime.store.get('ids', 'all')) as string[];
  const ids = new Set(seen.map((line) => line.split(' ')[1]));
  expect(seen.map((line) => line.split(' ')[0])).toContain('provider:retry');
  expect(ids.size).toBe(1);
});

test('session:start is told once, and session:end last, with the id and how it ended', async () => {
  const { fires } = await run('durable', [ANSWER]);
  expect(fires.filter(({ point }) => point === 'sessionStart')).toHaveLength(1);
  expect(fires.at(-1)).toMatchObject({
    point: 'sessionEnd',
    payload: { sessionId: 'durable', status: 'completed' },
  });
});
