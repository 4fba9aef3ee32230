import { expect, test } from 'vitest';
import { at, call, echo, openTheatre } from './stages.ts';

const theatre = openTheatre({
  gate: at(
    ['preToolUse'],
    ['gate'],
    `payload.args.text === 'bad' ? ({ action: 'block', reason: 'no bad ones' }) : payload.args.text === 'canned' ? ({ action: 'result', result: 'from the cache' }) : payload.args.text === 'steer' ? ({ action: 'rework', feedback: 'ask first' }) : payload.args.text === 'change' ? ({ action: 'modify', payload: { args: { text: 'changed' } } }) : payload.args.text === 'break' ? ({ action: 'modify', payload: { args: { text: 1 } } }) : ({ action: 'allow' })`,
  ),
  results: at(
    ['postToolUse'],
    ['results'],
    `payload.result === 'echo secret' ? ({ action: 'block', reason: 'withheld' }) : ({ action: 'modify', payload: { result: payload.result + '!' } })`,
  ),
  failures: at(
    ['postToolFailure'],
    ['failures'],
    `({ action: 'modify', payload: { error: 'it did not work' } })`,
  ),
  keeping: at(
    ['preStoreToolResult'],
    ['keeping'],
    `({ action: 'modify', payload: { result: { status: 'success', result: 'kept' } } })`,
  ),
  storage: at(
    ['preMessageCreate'],
    ['storage'],
    `payload.message.role === 'tool' ? ({ action: 'block', reason: 'not kept' }) : ({ action: 'allow' })`,
  ),
  calls: at(
    ['preSyscall'],
    ['syscalls'],
    `payload.syscall === 'send' ? ({ action: 'modify', payload: { args: { prompt: 'rewritten' } } }) : payload.syscall === 'receive' ? ({ action: 'block', reason: 'not for you' }) : ({ action: 'allow' })`,
  ),
  stops: {
    module: `export const createHook = () => ({ run: () => { throw new Error('x'); } });`,
    manifest: { points: ['postToolUse'], failPolicy: 'abort', when: { sessions: ['stops'] } },
  },
});

test('[AO4] a refused, a canned, a changed and a plain call of one answer have one result each', async () => {
  const ran: unknown[] = [];
  const calls = [call('1', 'bad'), call('2', 'canned'), call('3', 'change'), call('4', 'ok')];
  const { requests, fires } = await theatre.play('gate', [{ calls }, { text: 'done' }], {
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
  const { requests } = await theatre.play(
    'gate',
    [{ calls: [call('1', 'break')] }, { text: 'done' }],
    {
      tools: [echo(ran)],
    },
  );
  expect(ran).toEqual([]);
  expect(requests[1]?.messages.at(-1)?.content).toContain('cannot run');
});

test('[HP10] a steered call cancels those beside it and the feedback follows them', async () => {
  const ran: unknown[] = [];
  const calls = [call('1', 'ok'), call('2', 'steer')];
  const { requests } = await theatre.play('gate', [{ calls }, { text: 'done' }], {
    tools: [echo(ran)],
  });
  expect(ran).toEqual([]);
  expect(requests[1]?.messages.slice(-3).map(({ role, content }) => [role, content])).toEqual([
    ['tool', "Cancelled due to user steering on tool 'echo'."],
    ['tool', 'ask first'],
    ['user', '[User Steering Feedback]: ask first'],
  ]);
});

test('[HP12] the model reads results as postToolUse leaves them; a blocked one is withheld', async () => {
  const calls = [call('1', 'secret'), call('2', 'plain')];
  const { requests } = await theatre.play('results', [{ calls }, { text: 'done' }]);
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
  const { requests } = await theatre.play('failures', script, { tools: [fail] });
  expect(requests[1]?.messages.at(-1)?.content).toBe('it did not work');
});

test('[SA39] what is kept of a result is what the model reads', async () => {
  const { requests } = await theatre.play('keeping', [
    { calls: [call('1', 'x')] },
    { text: 'done' },
  ]);
  expect(requests[1]?.messages.at(-1)?.content).toBe('kept');
});

test('[SA31] a result that may not be kept leaves its reason, so that no call is without one', async () => {
  const { requests, result } = await theatre.play('storage', [
    { calls: [call('1', 'x')] },
    { text: 'd' },
  ]);
  expect(result.outcome).toBe('answer');
  expect(requests[1]?.messages.at(-1)).toMatchObject({ tool_call_id: '1', content: 'not kept' });
});

test('[AO11] hooks rewrite what goes to a sub-agent and withhold what comes back', async () => {
  const spawn = { id: '1', name: 'agent__helper', args: { prompt: 'help' } };
  const script = [{ calls: [spawn] }, { text: 'from the helper' }, { text: 'done' }];
  const { requests } = await theatre.play('syscalls', script, {
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
  const { fires } = await theatre.play('delegates', script, {
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
  const { requests, fires } = await theatre.play('gate', script, {
    tools: [echo(), outer as never],
  });
  expect(requests[1]?.messages.at(-1)?.content).toBe('no bad ones');
  const nested = fires.filter(({ payload }) => payload['parentToolCallId'] === '1');
  expect(nested.map(({ point }) => point)).toEqual([
    'toolCallStarted',
    'preToolUse',
    'postToolUse',
    'toolCallDone',
  ]);
});

test('a run that ends in the middle of a batch leaves no call without its end, and goes on later', async () => {
  const calls = [call('1', 'x'), call('2', 'y')];
  const first = await theatre.play('stops', [{ calls }]);
  expect(first.result.status).toBe('error');
  const done = first.fires.filter(({ point }) => point === 'toolCallDone');
  expect(done.map(({ payload }) => payload['toolCallId'])).toEqual(['1', '2']);
  const { history } = first;
  const { requests } = await theatre.play('stops', [{ text: 'hi' }], { history });
  const results = requests[0]?.messages.filter(({ role }) => role === 'tool');
  expect(results?.map(({ tool_call_id: id }) => id)).toEqual(['1', '2']);
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
  const { fires } = await theatre.play(
    'progress',
    [{ calls, argumentPieces: 20 }, { text: 'done' }],
    {
      tools: [write, echo()],
    },
  );
  const started = fires.filter(({ point }) => point === 'toolCallStarted');
  expect(started.map(({ payload }) => [payload['toolCallId'], payload['progress']])).toEqual([
    ['1', 'index.html'],
    ['2', undefined],
  ]);
  expect(String(started[0]?.payload['partialArgs']).length).toBeLessThan(100);
});
