import { expect, test } from 'vitest';

import { conversationEvents } from '../../src/replay/conversation-events.ts';

function call(id: string, name: string, args: unknown) {
  return { id, type: 'function', function: { name, arguments: args } };
}

function fires(messages: unknown[]) {
  return [...conversationEvents(messages)].map((event) =>
    event.kind === 'fire'
      ? { point: event.fire.point, call: event.call, ...event.fire.payload }
      : { flaw: event.detail, message: event.message, call: event.call },
  );
}

test('a conversation shows its points in the order it was recorded', () => {
  const messages = [
    { role: 'system', content: 'Be kind.' },
    { role: 'user', content: 'Cancel my flight' },
    { role: 'assistant', content: 'Let me look.', tool_calls: [call('a', 'look', '{"id":1}')] },
    { role: 'tool', tool_call_id: 'a', content: 'found' },
    { role: 'assistant', content: 'Done.' },
  ];
  expect(fires(messages)).toEqual([
    { point: 'preInput', call: null, text: 'Cancel my flight', source: 'chat' },
    { point: 'preToolUse', call: 0, toolName: 'look', args: { id: 1 }, toolCallId: 'a' },
    {
      point: 'postToolUse',
      call: 0,
      toolName: 'look',
      args: { id: 1 },
      result: 'found',
      isError: false,
      toolCallId: 'a',
    },
    { point: 'preOutput', call: null, text: 'Done.', channels: ['chat'] },
    {
      point: 'postTurn',
      call: null,
      turn: 1,
      input: 'Cancel my flight',
      output: 'Done.',
      lastMessage: { role: 'assistant', content: 'Done.' },
    },
  ]);
});

test('results find their calls by position where ids come again', () => {
  const messages = [
    {
      role: 'assistant',
      content: null,
      tool_calls: [call('x', 'one', '{}'), call('x', 'two', '{}')],
    },
    { role: 'tool', tool_call_id: 'x', content: 'first' },
    { role: 'tool', tool_call_id: 'x', content: 'second' },
    { role: 'assistant', content: null, tool_calls: [call('x', 'three', '{}')] },
    { role: 'tool', tool_call_id: 'x', content: 'third' },
  ];
  const results = fires(messages).filter((event) => 'result' in event);
  expect(results).toMatchObject([
    { call: 0, toolName: 'one', result: 'first' },
    { call: 1, toolName: 'two', result: 'second' },
    { call: 2, toolName: 'three', result: 'third' },
  ]);
});

test('results of parallel calls find their calls by id when they come in another order', () => {
  const messages = [
    {
      role: 'assistant',
      content: null,
      tool_calls: [call('a', 'one', '{}'), call('b', 'two', '{}')],
    },
    { role: 'tool', tool_call_id: 'b', content: 'of two' },
    { role: 'tool', tool_call_id: 'a', content: 'of one' },
  ];
  const results = fires(messages).filter((event) => 'result' in event);
  expect(results).toMatchObject([
    { call: 1, toolName: 'two', result: 'of two' },
    { call: 0, toolName: 'one', result: 'of one' },
  ]);
});

test.each(['{"a":', '[1]', '"text"', '7', 'null'])(
  'arguments that are no object are a flaw at their call: %s',
  (written) => {
    const events = fires([
      {
        role: 'assistant',
        content: null,
        tool_calls: [call('a', 'bad', written), call('b', 'good', '{}')],
      },
    ]);
    expect(events).toMatchObject([
      { flaw: 'the arguments of the call are no JSON object', call: 0 },
      { point: 'preToolUse', toolName: 'good', call: 1 },
    ]);
  },
);

test.each([
  ['', {}],
  [undefined, {}],
  [{ a: 1 }, { a: 1 }],
])('a call without arguments, or with an object, is a call: %j', (written, args) => {
  const events = fires([
    { role: 'assistant', content: null, tool_calls: [call('a', 't', written)] },
  ]);
  expect(events).toMatchObject([{ point: 'preToolUse', args }]);
});

test('text parts are text, other parts are attachments', () => {
  const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };
  const messages = [
    {
      role: 'user',
      content: [{ type: 'text', text: 'Look' }, image, { type: 'text', text: 'here' }],
    },
    { role: 'assistant', content: [{ type: 'text', text: 'I see' }] },
  ];
  expect(fires(messages)).toMatchObject([
    { point: 'preInput', text: 'Look\nhere', attachments: [image] },
    { point: 'preOutput', text: 'I see' },
    { point: 'postTurn', output: 'I see' },
  ]);
});

test('the older function_call is a tool call', () => {
  const messages = [
    { role: 'assistant', content: null, function_call: { name: 'old', arguments: '{}' } },
    { role: 'function', name: 'old', content: 'ok' },
  ];
  expect(fires(messages)).toMatchObject([
    { point: 'preToolUse', toolName: 'old', call: 0 },
    { point: 'postToolUse', result: 'ok', call: 0 },
  ]);
});

test.each([
  [null, 'a message must be an object'],
  [[], 'a message must be an object'],
  [{ content: 'x' }, '"role" must be system, developer, user, assistant or tool'],
  [
    { role: '__proto__', content: 'x' },
    '"role" must be system, developer, user, assistant or tool',
  ],
  [{ role: 'user' }, '"content" must be a text or an array of parts'],
  [{ role: 'user', content: 5 }, '"content" must be a text or an array of parts'],
  [{ role: 'user', content: [5] }, '"content" must be a text or an array of parts'],
  [{ role: 'tool', content: { a: 1 } }, '"content" of a tool result must be a text'],
  [{ role: 'tool', content: 'orphan' }, 'it is the result of no call'],
  [{ role: 'assistant', tool_calls: {} }, '"tool_calls" must be an array'],
  [{ role: 'assistant', tool_calls: [{ function: {} }] }, '"tool_calls[0]" names no function'],
])('a message that cannot be read is a flaw and the rest goes on: %j', (message, detail) => {
  const events = fires([message, { role: 'user', content: 'next' }]);
  expect(events).toMatchObject([
    { flaw: detail, message: 0 },
    { point: 'preInput', text: 'next' },
  ]);
});

test('an assistant message that says nothing shows no point', () => {
  expect(fires([{ role: 'assistant', content: null }])).toEqual([]);
});
