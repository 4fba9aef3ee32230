import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  openAiModel,
  openHistory,
  runAgent,
  type AgentTool,
  type HistoryStore,
} from '../../src/loop/index.ts';
import type { LiveRuntime } from '../../src/index.ts';
import { openTemporary, type TemporaryRuntime } from '../runtime/temporary-runtime.ts';
import { openScriptedModel } from './scripted-model.ts';
import { echo, play } from './stages.ts';

let temporary: TemporaryRuntime;
let runtime: LiveRuntime;
let history: HistoryStore;

beforeAll(async () => {
  temporary = await openTemporary(
    {
      asks: {
        run: `payload.args.text.startsWith('ask')
          ? ({ action: 'ask', reason: 'sure?', prompt: 'Run it?', timeoutMs: payload.args.text === 'ask briefly' ? 1 : 300_000 })
          : payload.args.text === 'bad' ? ({ action: 'block', reason: 'never' }) : ({ action: 'allow' })`,
      },
      change: {
        run: `payload.args.text.startsWith('ask')
          ? ({ action: 'modify', payload: { args: { text: payload.args.text + '!' } } }) : ({ action: 'allow' })`,
      },
    },
    { approvals: { enabled: true } },
  );
  ({ runtime } = temporary);
  history = await openHistory(':memory:');
}, 120_000);

afterAll(async () => {
  await history.close();
  await temporary.remove();
});

const call = (id: string, text: string) => ({ id, name: 'echo', args: { text } });

/** Runs an agent up to the questions of its calls, as a process does that ends there; gives back what was asked. */
async function leave(
  sessionId: string,
  calls: readonly ReturnType<typeof call>[],
  tools: readonly AgentTool[],
): Promise<readonly string[]> {
  const model = await openScriptedModel([{ calls }]);
  const dead = { ...runtime.approvals, wait: () => new Promise<never>(() => undefined) };
  const asked: string[] = [];
  const kept: ReturnType<typeof history.parked>[] = [];
  void runAgent({
    runtime: { ...runtime, approvals: dead },
    model: openAiModel({ baseUrl: model.baseUrl, model: 'scripted' }),
    history,
    sessionId,
    tools,
    prompt: 'go',
    onEvent(event) {
      if (event.type !== 'approval') return;
      asked.push(event.approval.id);
      kept.push(history.parked(sessionId));
    },
  });
  const questions = calls.filter(({ args }) => args.text.startsWith('ask')).length;
  await vi.waitFor(() => expect(asked).toHaveLength(questions), { timeout: 30_000 });
  // Whoever is asked can answer whatever becomes of the process.
  expect(await Promise.all(kept)).not.toContain(undefined);
  await model.close();
  return asked;
}

const resume = (sessionId: string, tools: readonly AgentTool[]) =>
  play(runtime, [{ text: 'done' }], { sessionId, tools, history, isResumed: true });

const statusOf = async (id: string | undefined) => (await runtime.approvals.show(id ?? '')).status;

test('calls that waited for people when the process ended go on with the answers, each with one result', async () => {
  const ran: unknown[] = [];
  const calls = [call('1', 'ask yes'), call('2', 'ask no'), call('3', 'bad'), call('4', 'free')];
  const [yes, no] = await leave('left', calls, [echo(ran)]);
  expect(ran).toEqual([]);
  await runtime.approvals.approve(yes ?? '', { note: 'be quick' });
  await runtime.approvals.deny(no ?? '');
  const { result, requests, points, fires } = await resume('left', [echo(ran)]);
  expect(result).toMatchObject({ status: 'completed', outcome: 'answer', text: 'done' });
  expect(ran).toEqual([{ text: 'ask yes!' }, { text: 'free' }]);
  expect(requests.map(({ messages }) => messages.slice(-4))).toMatchObject([
    [
      { tool_call_id: '1', content: 'echo ask yes!\n\nNote: be quick' },
      { tool_call_id: '2', content: 'User denied: Run it?' },
      { tool_call_id: '3', content: 'never' },
      { tool_call_id: '4', content: 'echo free' },
    ],
  ]);
  expect(await statusOf(yes)).toBe('used');
  // What was answered is not looked at again; what was not asked about is.
  const looked = fires.filter(({ point }) => point === 'preToolUse');
  expect(looked.map(({ payload }) => payload['toolCallId'])).toEqual(['3', '4']);
  expect(points.filter((point) => point === 'toolCallDone')).toHaveLength(4);
  expect(points).not.toContain('preInput');
  expect(points.filter((point) => point === 'runStart' || point === 'runEnd')).toHaveLength(2);
  expect(fires.find(({ point }) => point === 'sessionStart')?.payload['resumed']).toBe(true);
}, 60_000);

test('a question that nobody answered meanwhile is put to a person again', async () => {
  const ran: unknown[] = [];
  await leave('open', [call('1', 'ask')], [echo(ran)]);
  const asked: unknown[] = [];
  await play(runtime, [{ text: 'done' }], {
    sessionId: 'open',
    tools: [echo(ran)],
    history,
    isResumed: true,
    async approve({ question }) {
      asked.push(question?.payload['args']);
      return 'allow';
    },
  });
  expect(asked).toEqual([{ text: 'ask!' }]);
  expect(ran).toEqual([{ text: 'ask!' }]);
}, 60_000);

test('a question whose time ran out meanwhile is a denial', async () => {
  const ran: unknown[] = [];
  await leave('brief', [call('1', 'ask briefly'), call('2', 'free')], [echo(ran)]);
  const { requests } = await resume('brief', [echo(ran)]);
  expect(requests[0]?.messages.slice(-2).map(({ content }) => content)).toEqual([
    expect.stringMatching(/^Approval timeout - denied by default/) as string,
    'echo free',
  ]);
  expect(ran).toEqual([{ text: 'free' }]);
}, 60_000);

test('of two processes that take up the same calls one runs them, and a grant counts once', async () => {
  const ran: unknown[] = [];
  const [id = ''] = await leave('twice', [call('1', 'ask'), call('2', 'free')], [echo(ran)]);
  const both = Promise.all([resume('twice', [echo(ran)]), resume('twice', [echo(ran)])]);
  await runtime.approvals.approve(id);
  const results = (await both).map(({ result }) => result);
  expect(results.map(({ status }) => status).toSorted()).toEqual(['completed', 'error']);
  expect(results.find(({ status }) => status === 'error')?.error).toMatchObject({
    code: 'session_busy',
  });
  expect(ran).toEqual([{ text: 'ask!' }, { text: 'free' }]);
}, 60_000);

test('calls that had begun when the process ended do not run again', async () => {
  const ran: unknown[] = [];
  const [id = ''] = await leave('begun', [call('1', 'ask'), call('2', 'free')], [echo(ran)]);
  await runtime.approvals.approve(id);
  const { messageId = '' } = (await history.parked('begun')) ?? {};
  expect(await history.unpark(messageId)).toBe(true);
  const { requests } = await resume('begun', [echo(ran)]);
  expect(ran).toEqual([]);
  expect(requests[0]?.messages.slice(-2).map(({ content }) => content)).toEqual([
    'Error: the run ended before this call had a result',
    'Error: the run ended before this call had a result',
  ]);
}, 60_000);

test('another input ends the calls that waited, and takes their questions back', async () => {
  const ran: unknown[] = [];
  const [id] = await leave('moved-on', [call('1', 'ask'), call('2', 'free')], [echo(ran)]);
  const tools = [echo(ran)];
  const { requests } = await play(runtime, [{ text: 'hi' }], {
    sessionId: 'moved-on',
    tools,
    history,
  });
  expect(await statusOf(id)).toBe('cancelled');
  expect(ran).toEqual([]);
  expect(requests[0]?.messages.map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'tool',
    'tool',
    'user',
  ]);
}, 60_000);

test('a grant is of no use to another call or session, and stays good for its own', async () => {
  const ran: unknown[] = [];
  const [id = ''] = await leave('late', [call('1', 'ask')], [echo(ran)]);
  await runtime.approvals.approve(id);
  const redeem = await runtime.approvals.redeem(id, { toolName: 'echo', args: { text: 'else' } });
  expect(redeem).toMatchObject({ ok: false, code: 'approval_mismatch' });
  const other = await runtime.approvals.recall(id, { sessionId: 'else', toolCallId: '1' });
  expect(other).toBeUndefined();
  await resume('late', [echo(ran)]);
  expect(ran).toEqual([{ text: 'ask!' }]);
}, 60_000);

test('a session whose last input has its answer has nothing to go on with', async () => {
  const options = { sessionId: 'settled', history };
  await play(runtime, [{ text: 'hi' }], options);
  const { result } = await play(runtime, [], { ...options, isResumed: true });
  expect(result).toMatchObject({ status: 'error', error: { code: 'session_settled' } });
  expect((await history.load('settled')).map(({ role }) => role)).toEqual(['user', 'assistant']);
}, 60_000);

test('an input that the model never answered goes on', async () => {
  await history.insert('unanswered', { id: 'u1', role: 'user', content: 'question' });
  const { result, requests } = await resume('unanswered', []);
  expect(result.text).toBe('done');
  expect(requests[0]?.messages).toMatchObject([{ role: 'user', content: 'question' }]);
}, 60_000);
