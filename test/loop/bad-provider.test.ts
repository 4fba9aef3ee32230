import { expect, test } from 'vitest';
import { openTemporary } from '../runtime/temporary-runtime.ts';
import type { Reply } from './scripted-model.ts';
import { echo, openTheatre, play, WATCHER } from './stages.ts';

const theatre = openTheatre({ watcher: WATCHER });

const call = (id: string, args: unknown, name = 'echo') => ({ id, name, args });

/** Answers that cannot be used: what they are told as. */
const UNUSABLE: Record<string, { reply: Reply; code: string; detail: string; isTried?: number }> = {
  'duplicate call ids': {
    reply: { calls: [call('1', { text: 'a' }), call('1', { text: 'b' })] },
    code: 'model_answer',
    detail: 'the same id',
    isTried: 1,
  },
  'an empty choice': { reply: {}, code: 'model_answer', detail: 'it is empty', isTried: 3 },
  'a 200 with an error body': {
    reply: { body: '{"error":{"message":"overloaded, card 4111"}}' },
    code: 'model_',
    detail: '',
    isTried: 3,
  },
  'a 200 with something that is no JSON': {
    reply: { body: '<html>' },
    code: 'model_',
    detail: '',
    isTried: 3,
  },
  'no choice at all': { reply: { body: '{"choices":[]}' }, code: 'model_', detail: '', isTried: 3 },
  'a refusal': { reply: { status: 403 }, code: 'model_request', detail: 'HTTP 403', isTried: 1 },
};

test.each(
  Object.entries(UNUSABLE).flatMap(([name, row]) =>
    [true, false].map((stream) => ({ name, stream, ...row })),
  ),
)(
  '$name (stream: $stream) is one clear error, and the session goes on',
  async (row) => {
    const { reply, stream, code, detail, isTried } = row;
    const sessionId = `${row.name}-${stream}`;
    const bad = await play(theatre.runtime, () => reply, { sessionId, stream, tools: [echo()] });
    const { history } = bad;
    expect(bad.result.status).toBe('error');
    const error = bad.result.error as Error & { code: string };
    expect(error.code).toContain(code);
    expect(error.message).toContain(detail);
    expect(error.message).not.toContain('4111');
    expect(bad.requests).toHaveLength(isTried ?? 1);
    expect(bad.points.filter((point) => point === 'error')).toHaveLength(1);
    expect(bad.points.slice(-3)).toEqual(['postTurn', 'runEnd', 'sessionEnd']);
    expect((await history.load(sessionId)).map(({ role }) => role)).toEqual(['user']);
    const good = await play(theatre.runtime, [{ text: 'hi' }], { sessionId, stream, history });
    expect(good.result).toMatchObject({ outcome: 'answer', text: 'hi' });
    expect(good.fires[0]?.payload).toMatchObject({ resumed: true });
    await history.close();
  },
  60_000,
);

test.each([
  { isEndless: true, stream: true },
  { isEndless: 'line', stream: true },
  { isEndless: true, stream: false },
] as const)(
  'an answer without an end is cut off, and nothing of it is kept ($isEndless, stream: $stream)',
  async ({ isEndless, stream }) => {
    const options = { maxAnswerChars: 50_000, stream };
    const endless = await play(theatre.runtime, [{ isEndless }], options);
    expect(endless.result).toMatchObject({ status: 'error', error: { code: 'model_answer' } });
    const kept = await endless.history.load(endless.result.sessionId);
    expect(kept.map(({ role }) => role)).toEqual(['user']);
  },
  120_000,
);

test('[HP23] arguments that are no JSON and unknown tools are results that the model reads', async () => {
  const ran: unknown[] = [];
  const calls = [
    call('1', '{"text": '),
    call('2', '[1]'),
    call('3', {}, 'nothing'),
    call('4', { text: 1 }),
    call('5', { text: 'ok' }),
  ];
  const { requests, fires } = await play(theatre.runtime, [{ calls }, { text: 'done' }], {
    tools: [echo(ran)],
  });
  expect(requests[1]?.messages.filter(({ role }) => role === 'tool').map((m) => m.content)).toEqual(
    [
      'Error: the arguments are not a JSON object',
      'Error: the arguments are not a JSON object',
      'Unknown tool: nothing',
      expect.stringContaining('Error: the arguments do not fit') as string,
      'echo ok',
    ],
  );
  expect(ran).toEqual([{ text: 'ok' }]);
  const of = (point: string) => fires.filter((fire) => fire.point === point).length;
  expect([of('postToolFailure'), of('postToolUse'), of('toolCallDone')]).toEqual([4, 5, 5]);
});

test('a stream that breaks off in the middle is taken back on the screen before the next attempt', async () => {
  const free = await openTemporary({});
  try {
    const script = [{ chunks: ['half an '], isCut: true }, { text: 'whole' }];
    const { shown, events, result } = await play(free.runtime, script);
    expect(events[0]).toMatchObject({ type: 'token', text: 'half an ' });
    expect(shown).toBe('whole');
    expect(result.text).toBe('whole');
  } finally {
    await free.remove();
  }
}, 120_000);

test('calls of an answer that breaks off have their end, once each', async () => {
  const script = [
    { calls: [call('1', { text: 'a' })], isCut: true },
    { calls: [call('2', { text: 'b' })] },
    { text: 'done' },
  ];
  const { fires } = await play(theatre.runtime, script, { tools: [echo()] });
  const ids = (point: string) =>
    fires.filter((fire) => fire.point === point).map(({ payload }) => payload['toolCallId']);
  expect(ids('toolCallStarted')).toEqual(['1', '2']);
  expect(ids('toolCallDone')).toEqual(['1', '2']);
});
