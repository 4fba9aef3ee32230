import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTemporary, type TemporaryRuntime } from '../../runtime/temporary-runtime.ts';
import { echo, play } from '../../loop/stages.ts';
import { script } from './scripts.ts';

let opened: TemporaryRuntime;

beforeAll(async () => {
  opened = await openTemporary({
    attempts: script(
      'attempts',
      ['preModelCall', 'preRetry'],
      'export const before_inference = ({ attempt }) => ({ max_tokens: attempt });\nexport const before_retry = () => ({ delay_ms: 0 });',
    ),
    stars: script(
      'stars',
      ['onToken'],
      "export const on_token = ({ text }) => ({ text: text.replace('secret', '***') });",
    ),
    shouts: script(
      'shouts',
      ['preOutput', 'postTurn'],
      "export const after_assistant_message = (event) => { event.answer = event.answer.toUpperCase(); };\nexport const after_turn = ({ log }) => log('turn');",
    ),
    stubborn: script(
      'stubborn',
      ['preOutput'],
      "export const after_assistant_message = () => ({ rework: 'once more' });",
    ),
    polite: script(
      'polite',
      ['preOutput'],
      "export const after_assistant_message = ({ answer }) => answer.includes('please') ? {} : { rework: 'say please' };",
    ),
    first: script(
      'order',
      ['preOutput'],
      "export const after_assistant_message = ({ answer }) => answer === 'both' ? { rework: 'the first' } : { suppress: true };",
      { priority: 1 },
    ),
    second: script(
      'order',
      ['preOutput'],
      "export const after_assistant_message = () => ({ rework: 'the second' });",
      { priority: 2 },
    ),
    steps: script(
      'steps',
      ['preToolUse', 'postToolUse'],
      "export const before_tool_call = ({ tool, args }) => tool === 'echo' ? { args: { text: args.text + ' checked' } } : {};\nexport const after_tool_result = ({ tool, content }) => tool === 'echo' ? { content: content + '!' } : {};",
    ),
  });
}, 120_000);

afterAll(() => opened.remove());

test('[AO7] [AO10] before_inference is called on every attempt, retries included', async () => {
  const { requests } = await play(opened.runtime, [{ status: 503 }, { text: 'done' }], {
    sessionId: 'attempts',
  });
  expect(requests.map((request) => request.max_tokens)).toEqual([1, 2]);
});

test('[AO16] on_token changes the stream of the client alone: history keeps the original', async () => {
  const { shown, history } = await play(opened.runtime, [{ text: 'a secret' }], {
    sessionId: 'stars',
  });
  expect(shown).toBe('a ***');
  expect((await history.load('stars')).at(-1)?.content).toBe('a secret');
});

test('[AO25] a changed answer is told to the client again, in place of what was streamed', async () => {
  const { shown, result, history } = await play(opened.runtime, [{ text: 'fine' }], {
    sessionId: 'shouts',
  });
  expect([shown, result.text]).toEqual(['FINE', 'FINE']);
  expect((await history.load('shouts')).at(-1)?.content).toBe('FINE');
});

test('[AO26] [AO29] a rejected answer is not kept and the model tries again, twice in a turn at most', async () => {
  const replies = [{ text: 'one' }, { text: 'two' }, { text: 'three' }];
  const { requests, result, history } = await play(opened.runtime, replies, {
    sessionId: 'stubborn',
  });
  expect(requests).toHaveLength(3);
  expect(result.outcome).toBe('blocked');
  const kept = (await history.load('stubborn')).map(({ content }) => content);
  expect(kept).not.toContain('one');
});

test('[AO28] a rejected job_done does not end the process: the model reads the correction as its result', async () => {
  const done = (id: string, text: string) => [{ id, name: 'job_done', args: { answer: text } }];
  const replies = [{ calls: done('1', 'bye') }, { calls: done('2', 'bye, please') }];
  const { requests, result } = await play(opened.runtime, replies, {
    sessionId: 'polite',
    jobDone: true,
  });
  expect(JSON.stringify(requests[1]?.messages)).toContain('say please');
  expect(result.outcome).toBe('job_done');
});

test('[AO27] of two reworks the first in order counts; the others run too, and a rework beats a suppress', async () => {
  const fire = (text: string) => opened.runtime.fire('preOutput', { text }, { sessionId: 'order' });
  expect(await fire('both')).toMatchObject({ action: 'rework', feedback: 'the first' });
  const mixed = await fire('mixed');
  expect(mixed).toMatchObject({ action: 'rework', feedback: 'the second' });
  expect(mixed.trace).toHaveLength(2);
});

test('[AO37] a step of a workflow passes the same before_tool_call and after_tool_result', async () => {
  const calls: unknown[] = [];
  const workflow = {
    name: 'workflow',
    parameters: { type: 'object' },
    run: async (
      _args: unknown,
      run: { callTool(name: string, args: object): Promise<{ content: unknown }> },
    ) => (await run.callTool('echo', { text: 'step' })).content,
  };
  const replies = [{ calls: [{ id: 'w', name: 'workflow', args: {} }] }, { text: 'done' }];
  const { requests, fires } = await play(opened.runtime, replies, {
    sessionId: 'steps',
    tools: [workflow as never, echo(calls)],
  });
  expect(calls).toEqual([{ text: 'step checked' }]);
  expect(requests[1]?.messages.at(-1)?.content).toBe('echo step checked!');
  const step = fires.find(
    ({ point, payload }) => point === 'preToolUse' && payload['toolName'] === 'echo',
  );
  expect(step?.payload['parentToolCallId']).toBe('w');
});
