import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LiveRuntime } from '../../../src/index.ts';
import { openTemporary, type TemporaryRuntime } from '../../runtime/temporary-runtime.ts';
import { script } from './scripts.ts';

let opened: TemporaryRuntime;
let runtime: LiveRuntime;

beforeAll(async () => {
  opened = await openTemporary({
    neutral: script('neutral', ['preToolUse'], 'export function before_tool_call() { return {}; }'),
    chain_a: script(
      'args',
      ['preToolUse'],
      "export const before_tool_call = ({ args }) => ({ args: { msg: args.msg === 'x' ? 'y' : 'lost' } });",
    ),
    chain_b: script(
      'args',
      ['preToolUse'],
      'export const before_tool_call = ({ args }) => ({ deny: `saw ${args.msg}` });',
    ),
    both: script(
      'both',
      ['preToolUse'],
      "export const before_tool_call = () => ({ deny: 'no', result: 'canned' });",
    ),
    denied: script(
      'denied',
      ['preToolUse'],
      'export const before_tool_call = ({ tool }) => ({ deny: `${tool} is not for you` });',
    ),
    result_text: script(
      'result_text',
      ['postToolUse'],
      "export const after_tool_result = ({ content, is_error }) => ({ content: content.replace('secret', '***'), is_error: !is_error });",
    ),
    inference: script(
      'inference',
      ['preModelCall'],
      `export const before_inference = ({ request }) => ({
        model: 'small', temperature: 0, max_tokens: 100,
        messages: [...request.messages, { role: 'user', content: 'short, please' }],
        tools: request.tools.slice(0, 1),
      });`,
    ),
    cached: script(
      'cached',
      ['preModelCall'],
      "export const before_inference = () => ({ response: 'from the cache' });",
    ),
    refused: script(
      'refused',
      ['preModelCall'],
      "export const before_inference = () => ({ deny: 'no budget' });",
    ),
    retry: script(
      'retry',
      ['preRetry'],
      "export const before_retry = ({ attempt, max_attempts, mid_stream }) => attempt >= max_attempts ? { abort: true } : { delay_ms: 10, model: mid_stream ? 'spare' : 'same' };",
    ),
    syscall: script(
      'syscall',
      ['preSyscall'],
      "export const before_syscall = ({ syscall, args }) => syscall === 'Send' ? { args: { ...args, text: 'hush' } } : { deny: `${syscall} is off` };",
    ),
    token: script(
      'token',
      ['onToken'],
      "export const on_token = ({ text, final_answer }) => final_answer ? { text: text.replaceAll('secret', '***') } : { suppress: true };",
    ),
    evict: script(
      'evict',
      ['preCompact'],
      'export const before_context_evict = ({ evicted, summary }) => ({ summary: `${summary} +${evicted.length}`, keep: [1] });',
    ),
    user: script(
      'user',
      ['preInput'],
      "export const before_user_message = async ({ message }) => message === 'faq' ? { answer: '42' } : { message: message.trim(), context: ['a fact', 'another'] };",
    ),
    answer: script(
      'answer',
      ['preOutput'],
      `export function after_assistant_message(event) {
        if (event.answer === 'bad') return { rework: 'say it better' };
        if (event.answer === 'hidden') return { suppress: true };
        if (event.answer === 'swap') return { suppress: 'something else' };
        event.answer = event.answer.toUpperCase();
      }`,
    ),
    misfit: script(
      'misfit',
      ['preToolUse'],
      "export const before_tool_call = () => ({ denied: 'typo' });",
      { failPolicy: 'closed' },
    ),
    mistyped: script(
      'mistyped',
      ['preToolUse'],
      'export const before_tool_call = () => ({ deny: true });',
      { failPolicy: 'closed' },
    ),
  });
  runtime = opened.runtime;
}, 120_000);

afterAll(() => opened.remove());

const tool = { toolName: 'echo', args: { msg: 'x' } };

test('[AO2] an empty outcome is neutral', async () => {
  const verdict = await runtime.fire('preToolUse', tool, { sessionId: 'neutral' });
  expect(verdict).toMatchObject({ action: 'allow', isModified: false });
  expect(verdict.trace).toHaveLength(1);
});

test('[AO3] hooks of before_tool_call run in the order of registration, each on the args of the one before', async () => {
  const verdict = await runtime.fire('preToolUse', tool, { sessionId: 'args' });
  expect(verdict).toMatchObject({ action: 'block', reason: 'saw y', hook: 'chain_b' });
});

test('[AO4] in one outcome of before_tool_call result takes priority over deny', async () => {
  const verdict = await runtime.fire('preToolUse', tool, { sessionId: 'both' });
  expect(verdict).toMatchObject({ action: 'result', result: 'canned', isError: false });
});

test('before_tool_call: deny keeps the tool from running, with its text as the reason', async () => {
  const verdict = await runtime.fire('preToolUse', tool, { sessionId: 'denied' });
  expect(verdict).toMatchObject({ action: 'block', reason: 'echo is not for you' });
});

test('after_tool_result: content and is_error replace what the model reads', async () => {
  const verdict = await runtime.fire(
    'postToolUse',
    { toolName: 'echo', result: 'the secret', isError: true },
    { sessionId: 'result_text' },
  );
  expect(verdict.payload).toMatchObject({ result: 'the ***', isError: false });
});

const request = {
  model: 'large',
  systemPrompt: 'Be kind',
  messages: [{ role: 'user', content: 'hello' }],
  tools: [{ name: 'a' }, { name: 'b' }],
  maxTokens: 5,
  temperature: 1,
};

test('[AO5] [AO6] before_inference is given the assembled request and may override each of its fields', async () => {
  const { payload } = await runtime.fire('preModelCall', request, { sessionId: 'inference' });
  expect(payload).toMatchObject({
    model: 'small',
    systemPrompt: 'Be kind',
    messages: [
      { role: 'user', content: 'hello' },
      { role: 'user', content: 'short, please' },
    ],
    tools: [{ name: 'a' }],
    maxTokens: 100,
    temperature: 0,
  });
});

test('[AO9] before_inference also answers in place of the model, or denies the call', async () => {
  const answered = await runtime.fire('preModelCall', request, { sessionId: 'cached' });
  expect(answered).toMatchObject({ action: 'result', result: 'from the cache' });
  const denied = await runtime.fire('preModelCall', request, { sessionId: 'refused' });
  expect(denied).toMatchObject({ action: 'block', reason: 'no budget' });
});

test('[AO10] before_retry stops a retry, or changes its delay and model, mid-stream too', async () => {
  const failure = { error: '529', attempt: 1, maxAttempts: 3, delayMs: 900, model: 'm' };
  const context = { sessionId: 'retry' };
  const open = await runtime.fire('preRetry', failure, context);
  expect(open).toMatchObject({ action: 'allow', retry: { delayMs: 10, model: 'same' } });
  const midStream = await runtime.fire('preRetry', { ...failure, midStream: true }, context);
  expect(midStream.retry).toEqual({ delayMs: 10, model: 'spare' });
  const last = await runtime.fire('preRetry', { ...failure, attempt: 3 }, context);
  expect(last.retry).toEqual({ abort: true });
});

test('[AO11] before_syscall sees calls between agents, send and receive among them, and refuses or rewrites them', async () => {
  const context = { sessionId: 'syscall' };
  const sent = await runtime.fire(
    'preSyscall',
    { syscall: 'Send', args: { text: 'hi' }, target: 'b' },
    context,
  );
  expect(sent.payload.args).toEqual({ text: 'hush' });
  const received = await runtime.fire('preSyscall', { syscall: 'Recv' }, context);
  expect(received).toMatchObject({ action: 'block', reason: 'Recv is off' });
});

test('[AO15] on_token sees each chunk, with final_answer false for what is no answer', async () => {
  const context = { sessionId: 'token' };
  const answer = await runtime.fire('onToken', { text: 'a secret' }, context);
  expect(answer.payload.text).toBe('a ***');
  const service = await runtime.fire('onToken', { text: 'working', finalAnswer: false }, context);
  expect(service.action).toBe('suppress');
});

test('[AO17] before_context_evict sees what is evicted and the summary, and may give its own', async () => {
  const { payload } = await runtime.fire(
    'preCompact',
    {
      evicted: [
        { role: 'user', content: 'a' },
        { role: 'user', content: 'b' },
      ],
      summary: 'so far',
    },
    { sessionId: 'evict' },
  );
  expect(payload).toMatchObject({
    summary: 'so far +2',
    evicted: [{ role: 'user', content: 'a' }],
  });
});

test('[AO22] before_user_message rewrites the message, adds context, or answers at once', async () => {
  const context = { sessionId: 'user' };
  const rewritten = await runtime.fire('preInput', { text: ' hi ' }, context);
  expect(rewritten.payload.text).toBe('hi');
  expect(rewritten.inject.map(({ content }) => content)).toEqual(['a fact', 'another']);
  const answered = await runtime.fire('preInput', { text: 'faq' }, context);
  expect(answered).toMatchObject({ action: 'result', result: '42' });
});

test('[AO23] [AO24] after_assistant_message may change the answer in place', async () => {
  const verdict = await runtime.fire('preOutput', { text: 'fine' }, { sessionId: 'answer' });
  expect(verdict).toMatchObject({ action: 'modify', payload: { text: 'FINE' } });
});

test('after_assistant_message: rework and suppress', async () => {
  const context = { sessionId: 'answer' };
  const fire = (text: string) => runtime.fire('preOutput', { text }, context);
  expect(await fire('bad')).toMatchObject({ action: 'rework', feedback: 'say it better' });
  expect(await fire('hidden')).toMatchObject({ action: 'suppress' });
  expect(await fire('swap')).toMatchObject({ action: 'suppress', text: 'something else' });
});

test('an outcome field that the point does not have is named, and so is one of the wrong type', async () => {
  const unknown = await runtime.fire('preToolUse', tool, { sessionId: 'misfit' });
  expect(unknown).toMatchObject({ action: 'block', code: 'invalid_decision' });
  const wrong = await runtime.fire('preToolUse', tool, { sessionId: 'mistyped' });
  expect(wrong).toMatchObject({ action: 'block', code: 'invalid_decision' });
  const lines = opened
    .logged()
    .map((line) => JSON.stringify(line))
    .join('\n');
  expect(lines).toContain('before_tool_call has no outcome field');
  expect(lines).toContain('it has args, deny, result, outputs');
  expect(lines).toContain('before_tool_call.deny must be a string');
});
