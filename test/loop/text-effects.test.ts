import { expect, test } from 'vitest';
import { at, call, echo, openTheatre } from './stages.ts';

const theatre = openTheatre({
  input: at(
    ['preInput'],
    ['input'],
    `payload.text === 'faq' ? ({ action: 'result', result: 'read the manual' }) : ({ action: 'modify', payload: { text: payload.text.replace('4111', '****') } })`,
  ),
  output: at(
    ['preOutput'],
    ['output', 'job'],
    `payload.text.includes('secret') ? ({ action: 'modify', payload: { text: payload.text.replace('secret', '***') } }) : payload.text === 'hide' ? ({ action: 'suppress', text: 'hidden' }) : payload.text === 'bad' ? ({ action: 'block', reason: 'unfit' }) : payload.text.startsWith('draft') ? ({ action: 'rework', feedback: 'finish it' }) : ({ action: 'allow' })`,
  ),
  tokens: at(
    ['onToken'],
    ['tokens'],
    `payload.text === 'secret' ? ({ action: 'suppress', text: '***' }) : ({ action: 'allow' })`,
  ),
  requests: at(
    ['preSystemPrompt', 'preContext', 'preModelCall'],
    ['requests'],
    `point === 'preSystemPrompt' ? ({ action: 'modify', payload: { systemPrompt: payload.systemPrompt + ' Be kind.' } }) : point === 'preContext' ? ({ action: 'modify', payload: { messages: payload.messages.slice(-1) } }) : ({ action: 'modify', payload: { temperature: 0.5, tools: payload.tools.filter((tool) => tool.name !== 'hidden') } })`,
  ),
  cache: at(['preModelCall'], ['cache'], `({ action: 'result', result: 'cached' })`),
  twins: at(
    ['preModelCall'],
    ['twins'],
    `({ action: 'result', result: { content: '', toolCalls: [1, 2].map(() => ({ id: 'c', type: 'function', function: { name: 'echo', arguments: '{"text":"x"}' } })) } })`,
  ),
  inject: at(
    ['runStart', 'postToolUse'],
    ['inject'],
    `point === 'runStart' ? ({ action: 'allow', inject: [{ content: 'kept\\u0007', role: 'system' }, { content: 'once', role: 'user', ephemeral: true }] }) : ({ action: 'allow', inject: [{ content: 'lint: ok', ephemeral: true, appendToLastToolResult: true }] })`,
  ),
  notes: at(
    ['preTurn'],
    ['notes'],
    `({ action: 'allow', notice: { text: 'watch out', level: 'warning' } })`,
  ),
  retries: at(
    ['preRetry'],
    ['retries'],
    `({ action: 'allow', retry: { delayMs: 0, model: 'other' } })`,
  ),
  abortRetries: at(['preRetry'], ['no-retries'], `({ action: 'allow', retry: { abort: true } })`),
  summary: at(
    ['preCompact'],
    ['summary'],
    `({ action: 'modify', payload: { summary: 'as the hook sums it up' } })`,
  ),
  starts: at(['runStart'], ['starts'], `({ action: 'block', reason: 'closed today' })`),
  turns: at(
    ['preTurn'],
    ['turns'],
    `payload.turn === 2 ? ({ action: 'block', reason: 'one is enough' }) : ({ action: 'allow' })`,
  ),
  aborts: {
    module: `export const createHook = () => ({ run: () => { throw new Error('x'); } });`,
    manifest: { points: ['preTurn'], failPolicy: 'abort', when: { sessions: ['aborts'] } },
  },
});

test('[AM27] [AM28] a changed input is what client, history and model see', async () => {
  const { requests, events, history } = await theatre.play('input', [{ text: 'ok' }], {
    prompt: 'card 4111',
  });
  expect(requests[0]?.messages.at(-1)?.content).toBe('card ****');
  expect(events).toContainEqual({ type: 'input', text: 'card ****' });
  expect(JSON.stringify(await history.load('input'))).not.toContain('4111');
});

test('a result at preInput is the answer, without a request', async () => {
  const { requests, result, shown } = await theatre.play('input', [], { prompt: 'faq' });
  expect(requests).toEqual([]);
  expect(result).toMatchObject({ outcome: 'answer', text: 'read the manual', turns: 0 });
  expect(shown).toBe('read the manual');
});

test('[AM29] [AO25] a changed answer is what the user sees and what history keeps', async () => {
  const { shown, result, history, events } = await theatre.play('output', [{ text: 'a secret' }]);
  expect(shown).toBe('a ***');
  expect(result.text).toBe('a ***');
  expect((await history.load('output')).at(-1)?.content).toBe('a ***');
  expect(events.filter(({ type }) => type === 'token')).toEqual([
    { type: 'token', text: 'a ***', kind: 'text', finalAnswer: true, replace: true },
  ]);
});

test('a suppressed answer is replaced alike for user and history', async () => {
  const { shown, history } = await theatre.play('output', [{ text: 'hide' }]);
  expect(shown).toBe('hidden');
  expect((await history.load('output')).at(-1)?.content).toBe('hidden');
});

test('[AO26] [AO29] a rejected answer is sent back twice and not kept; the third time is a block', async () => {
  const script = [{ text: 'draft 1' }, { text: 'draft 2' }, { text: 'draft 3' }];
  const { requests, shown, points, history, result } = await theatre.play('output', script);
  expect(requests).toHaveLength(3);
  expect(requests[1]?.messages.slice(-2).map(({ content }) => content)).toEqual([
    'draft 1',
    'finish it',
  ]);
  expect(points.filter((point) => point === 'postTurn')).toHaveLength(1);
  expect(result.outcome).toBe('blocked');
  expect(shown).not.toContain('draft');
  expect(JSON.stringify(await history.load('output'))).not.toContain('draft');
});

test('[AO28] hooks veto a job_done; the correction is its result and the run goes on', async () => {
  const done = (id: string, answer: string) => ({ id, name: 'job_done', args: { answer } });
  const script = [{ calls: [done('1', 'draft')] }, { calls: [done('2', 'a secret')] }];
  const stage = await theatre.play('job', script, { jobDone: true });
  expect(stage.result).toMatchObject({ outcome: 'job_done', text: 'a ***' });
  expect(stage.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content: 'finish it' });
  expect(stage.shown).toBe('a ***');
  const kept = JSON.stringify(await stage.history.load('job'));
  expect(kept).not.toContain('draft');
  expect(kept).not.toContain('secret');
  const outputs = stage.fires.filter(({ point }) => point === 'preOutput');
  expect(outputs.every(({ payload }) => payload['viaJobDone'] === true)).toBe(true);
});

test('[AO15] [AO16] onToken changes the stream of the client alone', async () => {
  const script = [{ chunks: ['a ', 'secret'] }];
  const { shown, result, history } = await theatre.play('tokens', script);
  expect(shown).toBe('a ***');
  expect(result.text).toBe('a secret');
  expect((await history.load('tokens')).at(-1)?.content).toBe('a secret');
});

test('[AO6] [SA25] [HP4] [HP6] what hooks make of a request is confined to it', async () => {
  const hidden = { ...echo(), name: 'hidden' };
  const script = [{ calls: [call('1', 'x')] }, { text: 'done' }];
  const { requests, history } = await theatre.play('requests', script, {
    systemPrompt: 'You help.',
    tools: [echo(), hidden],
  });
  for (const request of requests) {
    expect(request.messages[0]).toMatchObject({ role: 'system', content: 'You help. Be kind.' });
    expect(request.messages).toHaveLength(2);
    expect(request.temperature).toBe(0.5);
    expect(request.tools?.map((tool) => tool.function.name)).toEqual(['echo']);
  }
  expect((await history.load('requests')).map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'tool',
    'assistant',
  ]);
});

test('[AO9] a result at preModelCall is the answer, and nothing is sent', async () => {
  const { requests, result } = await theatre.play('cache', []);
  expect(requests).toEqual([]);
  expect(result.text).toBe('cached');
});

test('calls that a hook gives in the place of the model are held to what those of a model are', async () => {
  const { result, fires } = await theatre.play('twins', []);
  expect(result).toMatchObject({ status: 'error', error: { code: 'model_answer' } });
  expect(fires.some(({ point }) => point === 'preToolUse')).toBe(false);
});

test('[AP40] [AP41] [AP43] [AP44] durable text is kept once, ephemeral text is in one request', async () => {
  const script = [{ calls: [call('1', 'x')] }, { text: 'done' }];
  const { requests, history } = await theatre.play('inject', script);
  const texts = requests.map(({ messages }) => messages.map(({ content }) => content));
  expect(texts[0]).toEqual(['hello', 'kept', 'once']);
  expect(texts[1]).toEqual(['hello', 'kept', '', 'echo x\n\nlint: ok']);
  const kept = await history.load('inject');
  expect(kept.find(({ content }) => content === 'kept')?.metadata).toMatchObject({
    source: 'hook',
    hook: 'inject',
    point: 'runStart',
  });
  expect(JSON.stringify(kept)).not.toContain('once');
});

test('[AP53] a notice is shown with its level and whose it is', async () => {
  const { events } = await theatre.play('notes', [{ text: 'hi' }]);
  expect(events).toContainEqual({
    type: 'notice',
    text: 'watch out',
    level: 'warning',
    source: 'hook:notes',
  });
});

test('[AO10] a hook moves the next attempt to another model, or ends the attempts', async () => {
  const { requests } = await theatre.play('retries', [{ status: 503 }, { text: 'hi' }]);
  expect(requests.map(({ model }) => model)).toEqual(['scripted', 'other']);
  const ended = await theatre.play('no-retries', [{ status: 503 }, { text: 'hi' }]);
  expect(ended.requests).toHaveLength(1);
  expect(ended.result).toMatchObject({ status: 'error', error: { code: 'model_request' } });
});

test('[AO17] a hook sums up in the place of the model', async () => {
  const script = [{ calls: [call('1', 'x'.repeat(2000))] }, { text: 'hi' }];
  const { requests, history } = await theatre.play('summary', script, {
    compaction: { maxTokens: 200, keepMessages: 2 },
  });
  expect(requests).toHaveLength(2);
  expect(requests[1]?.messages[0]).toMatchObject({
    role: 'system',
    content: 'as the hook sums it up',
  });
  const kept = await history.load('summary');
  expect(kept.find(({ role }) => role === 'assistant')?.toolCalls).toHaveLength(1);
  expect(kept.filter(({ role }) => role === 'tool')).toHaveLength(1);
});

test('a block at runStart or preTurn ends the run with its reason', async () => {
  const start = await theatre.play('starts', []);
  expect(start.result).toMatchObject({ outcome: 'blocked', text: 'closed today' });
  expect(start.points).toContain('runEnd');
  const turn = await theatre.play('turns', [{ calls: [call('1', 'x')] }]);
  expect(turn.result).toMatchObject({ outcome: 'blocked', text: 'one is enough', turns: 2 });
});

test('a hook whose failure is to end the run ends it, and what was open is closed', async () => {
  const { result, points } = await theatre.play('aborts', [{ text: 'hi' }]);
  expect(result.status).toBe('error');
  expect(points.slice(-3)).toEqual(['error', 'runEnd', 'sessionEnd']);
});

test('[HP18] a run ends after its rounds with the last text', async () => {
  const { result } = await theatre.play(
    'rounds',
    () => ({ text: 'more', calls: [call('1', 'x')] }),
    {
      maxTurns: 3,
    },
  );
  expect(result).toMatchObject({ outcome: 'max_turns', turns: 3, text: 'more' });
});
