import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTemporary, type TemporaryRuntime } from '../runtime/temporary-runtime.ts';
import { echo, play, type StageOptions } from './stages.ts';

let temporary: TemporaryRuntime;

const at = (points: readonly string[], sessions: readonly string[]) => ({
  manifest: { points, when: { sessions } },
});

beforeAll(async () => {
  temporary = await openTemporary({
    gate: {
      run: `payload.args.text === 'bad' ? ({ action: 'block', reason: 'no bad ones' }) : payload.args.text === 'canned' ? ({ action: 'result', result: 'from the cache' }) : payload.args.text === 'steer' ? ({ action: 'rework', feedback: 'ask first' }) : payload.args.text === 'change' ? ({ action: 'modify', payload: { args: { text: 'changed' } } }) : payload.args.text === 'break' ? ({ action: 'modify', payload: { args: { text: 1 } } }) : ({ action: 'allow' })`,
      ...at(['preToolUse'], ['gate']),
    },
    input: {
      run: `payload.text === 'faq' ? ({ action: 'result', result: 'read the manual' }) : ({ action: 'modify', payload: { text: payload.text.replace('4111', '****') } })`,
      ...at(['preInput'], ['input']),
    },
    results: {
      run: `payload.result === 'echo secret' ? ({ action: 'block', reason: 'withheld' }) : ({ action: 'modify', payload: { result: payload.result + '!' } })`,
      ...at(['postToolUse'], ['results']),
    },
    failures: {
      run: `({ action: 'modify', payload: { error: 'it did not work' } })`,
      ...at(['postToolFailure'], ['failures']),
    },
    keeping: {
      run: `({ action: 'modify', payload: { result: { status: 'success', result: 'kept' } } })`,
      ...at(['preStoreToolResult'], ['keeping']),
    },
    output: {
      run: `payload.text.includes('secret') ? ({ action: 'modify', payload: { text: payload.text.replace('secret', '***') } }) : payload.text === 'hide' ? ({ action: 'suppress', text: 'hidden' }) : payload.text === 'bad' ? ({ action: 'block', reason: 'unfit' }) : payload.text.startsWith('draft') ? ({ action: 'rework', feedback: 'finish it' }) : ({ action: 'allow' })`,
      ...at(['preOutput'], ['output', 'job']),
    },
    tokens: {
      run: `payload.text === 'secret' ? ({ action: 'suppress', text: '***' }) : ({ action: 'allow' })`,
      ...at(['onToken'], ['tokens']),
    },
    requests: {
      run: `point === 'preSystemPrompt' ? ({ action: 'modify', payload: { systemPrompt: payload.systemPrompt + ' Be kind.' } }) : point === 'preContext' ? ({ action: 'modify', payload: { messages: payload.messages.slice(-1) } }) : ({ action: 'modify', payload: { temperature: 0.5, tools: payload.tools.filter((tool) => tool.name !== 'hidden') } })`,
      ...at(['preSystemPrompt', 'preContext', 'preModelCall'], ['requests']),
    },
    cache: {
      run: `({ action: 'result', result: 'cached' })`,
      ...at(['preModelCall'], ['cache']),
    },
    inject: {
      run: `point === 'runStart' ? ({ action: 'allow', inject: [{ content: 'kept\\u0007', role: 'system' }, { content: 'once', role: 'user', ephemeral: true }] }) : ({ action: 'allow', inject: [{ content: 'lint: ok', ephemeral: true, appendToLastToolResult: true }] })`,
      ...at(['runStart', 'postToolUse'], ['inject']),
    },
    notes: {
      run: `({ action: 'allow', notice: { text: 'watch out', level: 'warning' } })`,
      ...at(['preTurn'], ['notes']),
    },
    retries: {
      run: `({ action: 'allow', retry: { delayMs: 0, model: 'other' } })`,
      ...at(['preRetry'], ['retries']),
    },
    abortRetries: {
      run: `({ action: 'allow', retry: { abort: true } })`,
      ...at(['preRetry'], ['no-retries']),
    },
    summary: {
      run: `({ action: 'modify', payload: { summary: 'as the hook sums it up' } })`,
      ...at(['preCompact'], ['summary']),
    },
    storage: {
      run: `payload.message.role === 'tool' ? ({ action: 'block', reason: 'not kept' }) : ({ action: 'allow' })`,
      ...at(['preMessageCreate'], ['storage']),
    },
    starts: {
      run: `({ action: 'block', reason: 'closed today' })`,
      ...at(['runStart'], ['starts']),
    },
    turns: {
      run: `payload.turn === 2 ? ({ action: 'block', reason: 'one is enough' }) : ({ action: 'allow' })`,
      ...at(['preTurn'], ['turns']),
    },
    calls: {
      run: `payload.syscall === 'send' ? ({ action: 'modify', payload: { args: { prompt: 'rewritten' } } }) : payload.syscall === 'receive' ? ({ action: 'block', reason: 'not for you' }) : ({ action: 'allow' })`,
      ...at(['preSyscall'], ['syscalls']),
    },
    aborts: {
      module: `export const createHook = () => ({ run: () => { throw new Error('x'); } });`,
      manifest: { points: ['preTurn'], failPolicy: 'abort', when: { sessions: ['aborts'] } },
    },
    stops: {
      module: `export const createHook = () => ({ run: () => { throw new Error('x'); } });`,
      manifest: { points: ['postToolUse'], failPolicy: 'abort', when: { sessions: ['stops'] } },
    },
    budgetReader: {
      run: `({ action: 'allow', notice: { text: String(ctx.agent.depth) + ' ' + String(ctx.agent.parent) + ' ' + payload.isDelegated } })`,
      ...at(['preToolUse'], ['who']),
    },
  });
}, 120_000);

afterAll(() => temporary.remove());

const call = (id: string, text: unknown) => ({ id, name: 'echo', args: { text } });

function scene(sessionId: string, script: Parameters<typeof play>[1], options: StageOptions = {}) {
  return play(temporary.runtime, script, { sessionId, tools: [echo()], ...options });
}

test('[AO4] a refused, a canned, a changed and a plain call of one answer have one result each', async () => {
  const ran: unknown[] = [];
  const calls = [call('1', 'bad'), call('2', 'canned'), call('3', 'change'), call('4', 'ok')];
  const { requests, fires } = await scene('gate', [{ calls }, { text: 'done' }], {
    tools: [echo(ran)],
  });
  expect(ran).toEqual([{ text: 'changed' }, { text: 'ok' }]);
  const results = requests[1]?.messages.filter(({ role }) => role === 'tool');
  expect(results?.map(({ tool_call_id: id, content }) => [id, content])).toEqual([
    ['1', 'no bad ones'],
    ['2', 'from the cache'],
    ['3', 'echo changed'],
    ['4', 'echo ok'],
  ]);
  const seen = fires.filter(({ point }) => point === 'postToolUse').map(({ payload }) => payload);
  expect(seen.map(({ refused, isError }) => [refused, isError])).toEqual([
    [true, true],
    [undefined, false],
    [undefined, false],
    [undefined, false],
  ]);
  const done = fires.filter(({ point }) => point === 'toolCallDone');
  expect(done.map(({ payload }) => payload['status'])).toEqual([
    'error',
    'success',
    'success',
    'success',
  ]);
});

test('arguments that a hook breaks never reach the tool', async () => {
  const ran: unknown[] = [];
  const { requests } = await scene('gate', [{ calls: [call('1', 'break')] }, { text: 'done' }], {
    tools: [echo(ran)],
  });
  expect(ran).toEqual([]);
  expect(requests[1]?.messages.at(-1)?.content).toContain('cannot run');
});

test('[HP10] a steered call cancels those beside it and the feedback follows them', async () => {
  const ran: unknown[] = [];
  const calls = [call('1', 'ok'), call('2', 'steer')];
  const { requests } = await scene('gate', [{ calls }, { text: 'done' }], { tools: [echo(ran)] });
  expect(ran).toEqual([]);
  expect(requests[1]?.messages.slice(-3).map(({ role, content }) => [role, content])).toEqual([
    ['tool', "Cancelled due to user steering on tool 'echo'."],
    ['tool', 'ask first'],
    ['user', '[User Steering Feedback]: ask first'],
  ]);
});

test('[AM27] [AM28] a changed input is what client, history and model see', async () => {
  const { requests, events, history } = await scene('input', [{ text: 'ok' }], {
    prompt: 'card 4111',
  });
  expect(requests[0]?.messages.at(-1)?.content).toBe('card ****');
  expect(events).toContainEqual({ type: 'input', text: 'card ****' });
  expect(JSON.stringify(await history.load('input'))).not.toContain('4111');
});

test('a result at preInput is the answer, without a request', async () => {
  const { requests, result, shown } = await scene('input', [], { prompt: 'faq' });
  expect(requests).toEqual([]);
  expect(result).toMatchObject({ outcome: 'answer', text: 'read the manual', turns: 0 });
  expect(shown).toBe('read the manual');
});

test('[HP12] the model reads results as postToolUse leaves them; a blocked one is withheld', async () => {
  const calls = [call('1', 'secret'), call('2', 'plain')];
  const { requests } = await scene('results', [{ calls }, { text: 'done' }]);
  expect(requests[1]?.messages.slice(-2).map(({ content }) => content)).toEqual([
    'withheld',
    'echo plain!',
  ]);
});

test('[SA40] a hook replaces the text of a failure', async () => {
  const fail = {
    name: 'fail',
    parameters: { type: 'object' },
    run: () => Promise.reject(new Error('at /home/x')),
  };
  const script = [{ calls: [{ id: '1', name: 'fail', args: {} }] }, { text: 'done' }];
  const { requests } = await scene('failures', script, { tools: [fail] });
  expect(requests[1]?.messages.at(-1)?.content).toBe('it did not work');
});

test('[SA39] what is kept of a result is what the model reads', async () => {
  const { requests } = await scene('keeping', [{ calls: [call('1', 'x')] }, { text: 'done' }]);
  expect(requests[1]?.messages.at(-1)?.content).toBe('kept');
});

test('[SA31] a result that may not be kept leaves its reason, so that no call is without one', async () => {
  const { requests, result } = await scene('storage', [{ calls: [call('1', 'x')] }, { text: 'd' }]);
  expect(result.outcome).toBe('answer');
  expect(requests[1]?.messages.at(-1)).toMatchObject({ tool_call_id: '1', content: 'not kept' });
});

test('[AM29] [AO25] a changed answer is what the user sees and what history keeps', async () => {
  const { shown, result, history, events } = await scene('output', [{ text: 'a secret' }]);
  expect(shown).toBe('a ***');
  expect(result.text).toBe('a ***');
  expect((await history.load('output')).at(-1)?.content).toBe('a ***');
  expect(events.filter(({ type }) => type === 'token')).toEqual([
    { type: 'token', text: 'a ***', kind: 'text', finalAnswer: true, replace: true },
  ]);
});

test('a suppressed answer is replaced alike for user and history', async () => {
  const { shown, history } = await scene('output', [{ text: 'hide' }]);
  expect(shown).toBe('hidden');
  expect((await history.load('output')).at(-1)?.content).toBe('hidden');
});

test('[AO26] [AO29] a rejected answer is sent back twice and not kept; the third time is a block', async () => {
  const script = [{ text: 'draft 1' }, { text: 'draft 2' }, { text: 'draft 3' }];
  const { requests, shown, points, history, result } = await scene('output', script);
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
  const stage = await scene('job', script, { jobDone: true });
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
  const { shown, result, history } = await scene('tokens', script);
  expect(shown).toBe('a ***');
  expect(result.text).toBe('a secret');
  expect((await history.load('tokens')).at(-1)?.content).toBe('a secret');
});

test('[AO6] [SA25] [HP4] [HP6] what hooks make of a request is confined to it', async () => {
  const hidden = { ...echo(), name: 'hidden' };
  const script = [{ calls: [call('1', 'x')] }, { text: 'done' }];
  const { requests, history } = await scene('requests', script, {
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
  const { requests, result } = await scene('cache', []);
  expect(requests).toEqual([]);
  expect(result.text).toBe('cached');
});

test('[AP40] [AP41] [AP43] [AP44] durable text is kept once, ephemeral text is in one request', async () => {
  const script = [{ calls: [call('1', 'x')] }, { text: 'done' }];
  const { requests, history } = await scene('inject', script);
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
  const { events } = await scene('notes', [{ text: 'hi' }]);
  expect(events).toContainEqual({
    type: 'notice',
    text: 'watch out',
    level: 'warning',
    source: 'hook:notes',
  });
});

test('[AO10] a hook moves the next attempt to another model, or ends the attempts', async () => {
  const { requests } = await scene('retries', [{ status: 503 }, { text: 'hi' }]);
  expect(requests.map(({ model }) => model)).toEqual(['scripted', 'other']);
  const ended = await scene('no-retries', [{ status: 503 }, { text: 'hi' }]);
  expect(ended.requests).toHaveLength(1);
  expect(ended.result).toMatchObject({ status: 'error', error: { code: 'model_request' } });
});

test('[AO17] a hook sums up in the place of the model', async () => {
  const script = [{ calls: [call('1', 'x'.repeat(2000))] }, { text: 'hi' }];
  const { requests, history } = await scene('summary', script, {
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
  const start = await scene('starts', []);
  expect(start.result).toMatchObject({ outcome: 'blocked', text: 'closed today' });
  expect(start.points).toContain('runEnd');
  const turn = await scene('turns', [{ calls: [call('1', 'x')] }]);
  expect(turn.result).toMatchObject({ outcome: 'blocked', text: 'one is enough', turns: 2 });
});

test('[AO11] hooks rewrite what goes to a sub-agent and withhold what comes back', async () => {
  const spawn = { id: '1', name: 'agent__helper', args: { prompt: 'help' } };
  const script = [{ calls: [spawn] }, { text: 'from the helper' }, { text: 'done' }];
  const { requests } = await scene('syscalls', script, {
    agents: { helper: { description: 'helps', systemPrompt: 'You are the helper.' } },
  });
  expect(requests[1]?.messages.map(({ content }) => content)).toEqual([
    'You are the helper.',
    'rewritten',
  ]);
  expect(requests[2]?.messages.at(-1)).toMatchObject({ role: 'tool', content: 'not for you' });
});

test('[AM17] a call of a sub-agent says whose it is, how deep, and for which call', async () => {
  const spawn = { id: 'p', name: 'agent__helper', args: { prompt: 'help' } };
  const script = [{ calls: [spawn] }, { calls: [call('c', 'x')] }, { text: 'r' }, { text: 'done' }];
  const { fires } = await scene('delegates', script, {
    agents: { helper: { description: 'helps', tools: [echo()] } },
    planModeActive: true,
  });
  const calls = fires.filter(({ point }) => point === 'preToolUse');
  expect(calls[0]?.payload).toMatchObject({ isDelegated: false, planModeActive: true });
  expect(calls[1]?.payload).toMatchObject({ isDelegated: true, parentToolCallId: 'p' });
  expect(calls[1]?.context.agent).toMatchObject({ parent: 'main', depth: 1, template: 'helper' });
});

test('[AM54] a call that a tool makes passes the hooks, with the call that it belongs to', async () => {
  const outer = {
    name: 'outer',
    parameters: { type: 'object' },
    run: async (
      _: unknown,
      run: { callTool: (name: string, args: object) => Promise<{ content: unknown }> },
    ) => (await run.callTool('echo', { text: 'bad' })).content,
  };
  const script = [{ calls: [{ id: '1', name: 'outer', args: {} }] }, { text: 'done' }];
  const { requests, fires } = await scene('gate', script, { tools: [echo(), outer as never] });
  expect(requests[1]?.messages.at(-1)?.content).toBe('no bad ones');
  const nested = fires.filter(({ payload }) => payload['parentToolCallId'] === '1');
  expect(nested.map(({ point }) => point)).toEqual([
    'toolCallStarted',
    'preToolUse',
    'postToolUse',
    'toolCallDone',
  ]);
});

test('a hook whose failure is to end the run ends it, and what was open is closed', async () => {
  const { result, points } = await scene('aborts', [{ text: 'hi' }]);
  expect(result.status).toBe('error');
  expect(points.slice(-3)).toEqual(['error', 'runEnd', 'sessionEnd']);
});

test('a run that ends in the middle of a batch leaves no call without its end, and goes on later', async () => {
  const calls = [call('1', 'x'), call('2', 'y')];
  const first = await scene('stops', [{ calls }]);
  expect(first.result.status).toBe('error');
  const done = first.fires.filter(({ point }) => point === 'toolCallDone');
  expect(done.map(({ payload }) => payload['toolCallId'])).toEqual(['1', '2']);
  const { history } = first;
  const { requests } = await scene('stops', [{ text: 'hi' }], { history });
  const results = requests[0]?.messages.filter(({ role }) => role === 'tool');
  expect(results?.map(({ tool_call_id: id }) => id)).toEqual(['1', '2']);
});

test('[HP18] a run ends after its rounds with the last text', async () => {
  const { result } = await scene('rounds', () => ({ text: 'more', calls: [call('1', 'x')] }), {
    maxTurns: 3,
  });
  expect(result).toMatchObject({ outcome: 'max_turns', turns: 3, text: 'more' });
});

test('[SA36] [SA37] a call is told of once, with its progress as soon as that has streamed', async () => {
  const write = {
    name: 'write',
    parameters: { type: 'object' },
    progressArgument: 'path',
    run: () => 'ok',
  };
  const args = { path: 'index.html', body: 'x'.repeat(200) };
  const calls = [{ id: '1', name: 'write', args }, call('2', 'x')];
  const { fires } = await scene('progress', [{ calls, argumentPieces: 20 }, { text: 'done' }], {
    tools: [write, echo()],
  });
  const started = fires.filter(({ point }) => point === 'toolCallStarted');
  expect(started.map(({ payload }) => [payload['toolCallId'], payload['progress']])).toEqual([
    ['1', 'index.html'],
    ['2', undefined],
  ]);
  expect(String(started[0]?.payload['partialArgs']).length).toBeLessThan(100);
});
