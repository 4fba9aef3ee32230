import { expect, test } from 'vitest';
import type { ApprovalView } from '../../src/approvals/approval.ts';
import { at, call, echo, openTheatre } from './stages.ts';

const ASK = `payload.args.text.startsWith('ask') ? ({ action: 'ask', reason: 'it is costly', prompt: 'Run it?' }) : payload.args.text === 'bad' ? ({ action: 'block', reason: 'never' }) : ({ action: 'allow' })`;

const theatre = openTheatre(
  {
    change: {
      run: `({ action: 'modify', payload: { args: { text: payload.args.text + '!' } } })`,
      manifest: { priority: -1, when: { sessions: ['changed'] } },
    },
    asker: at(['preToolUse'], ['asks', 'notes', 'changed', 'f08', 'parallel', 'stops'], ASK),
    stops: {
      module: `export const run = (point, { args }) => { if (args.text === 'boom') throw new Error('x'); return { action: 'allow' }; };`,
      manifest: { points: ['preToolUse'], failPolicy: 'abort', when: { sessions: ['stops'] } },
    },
    askOutput: at(
      ['preOutput', 'preInput', 'preModelCall', 'postToolUse'],
      ['everywhere'],
      `({ action: 'ask', reason: 'r', prompt: 'Say it?' })`,
    ),
  },
  { approvals: { enabled: true } },
);

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
  const { requests, fires } = await theatre.play('asks', [{ calls }, { text: 'done' }], {
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
  const { requests } = await theatre.play('notes', [{ calls }, { text: 'done' }], {
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
  await theatre.play('changed', [{ calls: [call('1', 'ask yes')] }, { text: 'done' }], {
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
    const { requests } = await theatre.play('f08', script, {
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
  const script = [{ calls: [call('1', 'ask outside')] }, { text: 'done' }];
  const { requests } = await theatre.play('parallel', script, {
    onEvent(event) {
      if (event.type === 'approval') void theatre.runtime.approvals.approve(event.approval.id);
    },
  });
  expect(requests[1]?.messages.at(-1)?.content).toBe('echo ask outside');
});

test('people are asked wherever an ask is legal, and what they deny does not happen', async () => {
  const script = [{ calls: [call('1', 'x')] }, { text: 'hi' }];
  const granted = await theatre.play('everywhere', script, { approve: async () => 'allow' });
  expect(granted.result).toMatchObject({ outcome: 'answer', text: 'hi' });
  expect(granted.events.filter(({ type }) => type === 'approval')).toHaveLength(5);
  const denied = await theatre.play('everywhere', script, { approve: async () => 'no' });
  expect(denied.requests).toEqual([]);
  expect(denied.result).toMatchObject({ outcome: 'blocked', text: 'User denied: Say it?' });
});

test('a question about a call beside one that ends the run is taken back', async () => {
  const { result, events } = await theatre.play(
    'stops',
    [{ calls: [call('1', 'ask yes'), call('2', 'boom')] }],
    { tools: [echo()], approve: () => new Promise(() => undefined) },
  );
  expect(result.status).toBe('error');
  const asked = events.flatMap((event) => (event.type === 'approval' ? [event.approval.id] : []));
  expect(asked).toHaveLength(1);
  expect((await theatre.runtime.approvals.show(asked[0] ?? '')).status).toBe('cancelled');
});
