import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ApprovalView } from '../../src/approvals/approval.ts';
import { openAiModel, openAgentSession, openHistory } from '../../src/loop/index.ts';
import {
  openTemporary,
  type TemporaryConfig,
  type TemporaryRuntime,
} from '../runtime/temporary-runtime.ts';
import { openScriptedModel } from './scripted-model.ts';
import { echo, play } from './stages.ts';

let temporary: TemporaryRuntime;

const ASK = `payload.args.text.startsWith('ask') ? ({ action: 'ask', reason: 'it is costly', prompt: 'Run it?' }) : payload.args.text === 'bad' ? ({ action: 'block', reason: 'never' }) : ({ action: 'allow' })`;

const CONFIG: TemporaryConfig & { readonly approvals: object } = { approvals: { enabled: true } };

beforeAll(async () => {
  temporary = await openTemporary(
    {
      change: {
        run: `({ action: 'modify', payload: { args: { text: payload.args.text + '!' } } })`,
        manifest: { priority: -1, when: { sessions: ['changed'] } },
      },
      asker: {
        run: ASK,
        manifest: { when: { sessions: ['asks', 'notes', 'changed', 'f08', 'parallel'] } },
      },
      askOutput: {
        run: `({ action: 'ask', reason: 'r', prompt: 'Say it?' })`,
        manifest: {
          points: ['preOutput', 'preInput', 'preModelCall', 'postToolUse'],
          when: { sessions: ['everywhere'] },
        },
      },
      mark: {
        run: `point === 'preInput' ? ({ action: 'allow', inject: [{ content: 'for ' + ctx.session.id, ephemeral: true }], outputs: { who: ctx.session.id } }) : ({ action: 'allow', notice: { text: String(ctx.inputs.who) + ' ' + ctx.caller.userId } })`,
        manifest: {
          points: ['preInput', 'preModelCall'],
          outputs: ['who'],
          inputs: ['who'],
          when: { users: ['u0', 'u1', 'u2', 'u3', 'u4', 'u5'] },
        },
      },
    },
    CONFIG,
  );
}, 120_000);

afterAll(() => temporary.remove());

const call = (id: string, text: string) => ({ id, name: 'echo', args: { text } });

function answering(answers: Readonly<Record<string, string | { answer: string; note: string }>>) {
  const seen: ApprovalView[] = [];
  const approve = async (view: ApprovalView) => {
    seen.push(view);
    const args = view.question?.payload['args'] as { text: string } | undefined;
    return answers[args?.text ?? ''] ?? 'deny';
  };
  return { seen, approve };
}

test('an approved, a denied, a blocked and a free call of one answer have one result each', async () => {
  const ran: unknown[] = [];
  const { approve } = answering({ 'ask yes': 'Allow once', 'ask no': 'Deny' });
  const calls = [call('1', 'ask yes'), call('2', 'ask no'), call('3', 'bad'), call('4', 'free')];
  const { requests, fires } = await play(temporary.runtime, [{ calls }, { text: 'done' }], {
    sessionId: 'asks',
    tools: [echo(ran)],
    approve,
  });
  expect(requests[1]?.messages.slice(-4).map(({ content }) => content)).toEqual([
    'echo ask yes',
    'User denied: Run it?',
    'never',
    'echo free',
  ]);
  expect(ran).toEqual([{ text: 'ask yes' }, { text: 'free' }]);
  const events = fires
    .filter(({ point }) => point === 'event')
    .map(({ payload }) => payload['name']);
  expect(events.filter((name) => name === 'approval:required')).toHaveLength(2);
  expect(events).toEqual(expect.arrayContaining(['approval:denied', 'approval:granted']));
});

test('[F06] what a person writes to an answer reaches the model, granted or denied', async () => {
  const { approve } = answering({
    'ask yes': { answer: 'allow', note: 'but be quick' },
    'ask no': { answer: 'no', note: 'use the test account' },
  });
  const calls = [call('1', 'ask yes'), call('2', 'ask no')];
  const { requests } = await play(temporary.runtime, [{ calls }, { text: 'done' }], {
    sessionId: 'notes',
    tools: [echo()],
    approve,
  });
  expect(requests[1]?.messages.slice(-2).map(({ content }) => content)).toEqual([
    'echo ask yes\n\nNote: but be quick',
    'User denied: Run it?\n\nNote: use the test account',
  ]);
});

test('[C03] [F03] the person is shown the call as hooks left it, and exactly that runs', async () => {
  const ran: unknown[] = [];
  const { seen, approve } = answering({ 'ask yes!': 'Allow' });
  await play(temporary.runtime, [{ calls: [call('1', 'ask yes')] }, { text: 'done' }], {
    sessionId: 'changed',
    tools: [echo(ran)],
    approve,
  });
  expect(seen[0]?.question?.changes).toEqual([
    { hook: 'change', path: '/args/text', before: 'ask yes', after: 'ask yes!' },
  ]);
  expect(ran).toEqual([{ text: 'ask yes!' }]);
});

test.each([true, false])(
  '[F08] a denied call has its result in the next request (stream: %s)',
  async (stream) => {
    const ran: unknown[] = [];
    const { approve } = answering({});
    const script = [{ calls: [call('1', 'ask')] }, { text: 'done' }];
    const { requests } = await play(temporary.runtime, script, {
      sessionId: 'f08',
      tools: [echo(ran)],
      approve,
      stream,
    });
    expect(ran).toEqual([]);
    expect(requests[1]?.messages.slice(-2)).toMatchObject([
      { role: 'assistant', tool_calls: [{ id: '1' }] },
      { role: 'tool', tool_call_id: '1', content: 'User denied: Run it?' },
    ]);
  },
);

test('a question is answered from outside the loop as well', async () => {
  const { runtime } = temporary;
  const { requests } = await play(
    runtime,
    [{ calls: [call('1', 'ask outside')] }, { text: 'done' }],
    {
      sessionId: 'parallel',
      tools: [echo()],
      onEvent(event) {
        if (event.type === 'approval') void runtime.approvals.approve(event.approval.id);
      },
    },
  );
  expect(requests[1]?.messages.at(-1)?.content).toBe('echo ask outside');
});

test('people are asked wherever an ask is legal, and what they deny does not happen', async () => {
  const script = [{ calls: [call('1', 'x')] }, { text: 'hi' }];
  const options = { sessionId: 'everywhere', tools: [echo()] };
  const granted = await play(temporary.runtime, script, {
    ...options,
    approve: async () => 'allow',
  });
  expect(granted.result).toMatchObject({ outcome: 'answer', text: 'hi' });
  expect(granted.events.filter(({ type }) => type === 'approval')).toHaveLength(5);
  const denied = await play(temporary.runtime, script, { ...options, approve: async () => 'no' });
  expect(denied.requests).toEqual([]);
  expect(denied.result).toMatchObject({ outcome: 'blocked', text: 'User denied: Say it?' });
});

test('sessions at the same time never see what belongs to another', async () => {
  const { runtime } = temporary;
  const stages = await Promise.all(
    Array.from({ length: 6 }, (_, index) =>
      play(runtime, [{ text: `answer ${index}` }], {
        sessionId: `many${index}`,
        caller: { userId: `u${index}` },
        prompt: `prompt ${index}`,
      }),
    ),
  );
  for (const [index, { requests, events, result }] of stages.entries()) {
    expect(requests[0]?.messages.map(({ content }) => content)).toEqual([
      `prompt ${index}`,
      `for many${index}`,
    ]);
    expect(events).toContainEqual({
      type: 'notice',
      text: `many${index} u${index}`,
      level: 'info',
      source: 'hook:mark',
    });
    expect(result.text).toBe(`answer ${index}`);
  }
}, 120_000);

test('[AP58a] each model call has an id of its own, on its request, retries and answer alone', async () => {
  const script = [{ status: 500 }, { calls: [call('1', 'x')] }, { text: 'hi' }];
  const { fires } = await play(temporary.runtime, script, { tools: [echo()] });
  const idsOf = (points: readonly string[]) =>
    fires.filter(({ point }) => points.includes(point)).map(({ context }) => context.requestId);
  const [first, ...rest] = idsOf(['preModelCall', 'preRetry', 'postModelCall']);
  expect(first).toMatch(/^[0-9a-f-]{36}$/);
  expect(rest.slice(0, 3)).toEqual([first, first, first]);
  expect(rest[3]).not.toBe(first);
  expect(rest[4]).toBe(rest[3]);
  const others = fires.filter(
    ({ point }) => !['preModelCall', 'preRetry', 'postModelCall'].includes(point),
  );
  expect(others.every(({ context }) => context.requestId === undefined)).toBe(true);
  const failed = await play(temporary.runtime, [{ status: 400 }]);
  const [asked, error] = failed.fires
    .filter(({ point }) => ['preModelCall', 'error'].includes(point))
    .map(({ context }) => context.requestId);
  expect(error).toBe(asked);
});

test('a session takes one input at a time, goes on with its history, and starts and ends once', async () => {
  const server = await openScriptedModel(() => ({ text: 'hi' }));
  const history = await openHistory(':memory:');
  const points: string[] = [];
  const { runtime } = temporary;
  const session = await openAgentSession({
    runtime: {
      ...runtime,
      fire(point, payload, context) {
        points.push(point);
        return runtime.fire(point, payload, context);
      },
    },
    model: openAiModel({ baseUrl: server.baseUrl, model: 'scripted' }),
    history,
  });
  const first = session.send('one');
  await expect(session.send('two')).rejects.toMatchObject({ code: 'session_busy' });
  await first;
  await session.send('two');
  expect(server.requests[1]?.messages.map(({ content }) => content)).toEqual(['one', 'hi', 'two']);
  const [message] = session.messages();
  await session.update(message?.id ?? '', { content: 'uno' });
  expect(points).toEqual(expect.arrayContaining(['preMessageUpdate', 'postMessageUpdate']));
  await session.send('three');
  expect(server.requests[2]?.messages[0]?.content).toBe('uno');
  await session.end();
  expect(points.filter((point) => point === 'sessionStart')).toHaveLength(1);
  expect(points.filter((point) => point === 'sessionEnd')).toHaveLength(1);
  await history.close();
  await server.close();
});

test('a history that broke off between a call and its result is mended when the session is resumed', async () => {
  const history = await openHistory(':memory:');
  await history.insert('broken', { id: 'm1', role: 'user', content: 'go' });
  await history.insert('broken', {
    id: 'm2',
    role: 'assistant',
    content: '',
    toolCalls: [{ id: 'c', type: 'function', function: { name: 'echo', arguments: '{}' } }],
  });
  const { requests, fires } = await play(temporary.runtime, [{ text: 'hi' }], {
    sessionId: 'broken',
    history,
  });
  expect(requests[0]?.messages.map(({ role, tool_call_id: id }) => [role, id])).toEqual([
    ['user', undefined],
    ['assistant', undefined],
    ['tool', 'c'],
    ['user', undefined],
  ]);
  expect(fires.map(({ payload }) => payload['name'])).toContain('provider:tool_sequence_repaired');
  await history.close();
});
