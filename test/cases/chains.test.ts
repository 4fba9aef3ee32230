import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LiveRuntime } from '../../src/index.ts';
import { openTemporary, type TemporaryRuntime } from '../runtime/temporary-runtime.ts';

let temporary: TemporaryRuntime;
let runtime: LiveRuntime;

beforeAll(async () => {
  temporary = await openTemporary({
    A: {
      scene: 'C01',
      home: 'one',
      run: 'new Promise((done) => setTimeout(() => done({ action: "modify", payload: { args: { command: "FROM_A", before: payload.args.command } } }), Math.random() * 6))',
      manifest: { priority: 10 },
    },
    B: {
      scene: 'C01',
      home: 'two',
      run: 'new Promise((done) => setTimeout(() => done({ action: "modify", payload: { args: { command: "FROM_B", before: payload.args.command } } }), Math.random() * 6))',
      manifest: { priority: 20 },
    },
    redactor: {
      scene: 'C03',
      run: '({ action: "modify", payload: { args: { ...payload.args, body: payload.args.body.replace(/[0-9-]{11}/, "[REDACTED]") } } })',
      manifest: { priority: 1 },
    },
    confirmer: {
      scene: 'C03',
      run: '({ action: "ask", reason: "please confirm" })',
      manifest: { priority: 2 },
    },
    rewriter: {
      scene: 'C05',
      run: '({ action: "modify", payload: { toolName: "send", args: { to: 42, n: "NaN" } } })',
    },
    retargeter: {
      scene: 'C05 retarget',
      run: '({ action: "modify", payload: { toolName: "delete_all", args: {} } })',
    },
    typist: {
      scene: 'C05 point',
      run: '({ action: "modify", payload: { text: { not: "text" } } })',
      manifest: { points: ['preInput'] },
    },
    mailer: {
      scene: 'C08',
      module: `const hide = (text) => text.replace(/[a-z]+@[a-z.]+/g, '[mail]');
        export const run = (point, { messages }) => ({ action: 'modify', payload: { messages: messages.map((message) => Array.isArray(message.content)
          ? { ...message, content: message.content.map((part) => part.type === 'text' ? { ...part, text: hide(part.text) } : part) }
          : message) } });`,
      manifest: { points: ['preContext'] },
    },
    secretary: {
      scene: 'C11',
      run: '({ action: "block", reason: "secret" })',
      manifest: { points: ['preInput'] },
    },
  });
  ({ runtime } = temporary);
});

afterAll(() => temporary.remove());

const SCHEMA = {
  type: 'object',
  properties: { to: { type: 'string' }, n: { type: 'number' } },
  required: ['to', 'n'],
};

test('[C01] the later hook works on what the earlier left, whatever their delays', async () => {
  const verdicts = await Promise.all(
    Array.from({ length: 60 }, (_, run) =>
      runtime.fire(
        'preToolUse',
        { toolName: 'Bash', args: { command: 'echo ORIGINAL' } },
        { sessionId: 'C01', turnId: `t${run}` },
      ),
    ),
  );
  for (const verdict of verdicts) {
    expect(verdict.payload.args).toEqual({ command: 'FROM_B', before: 'FROM_A' });
    expect(verdict).toMatchObject({
      action: 'modify',
      hook: 'A',
      trace: [{ hook: 'A' }, { hook: 'B' }],
    });
  }
});

test('[C03] what a person is asked about is the call as it was changed', async () => {
  const payload = { toolName: 'mcp__mail__send', args: { to: 'x@y.z', body: 'SSN 123-45-6789' } };
  const report = await runtime.test({
    point: 'preToolUse',
    payload,
    context: { sessionId: 'C03' },
  });
  expect(report).toMatchObject({
    action: 'ask',
    reason: 'please confirm',
    modified: true,
    output: { args: { to: 'x@y.z', body: 'SSN [REDACTED]' } },
  });
  const live = await runtime.fire('preToolUse', payload, { sessionId: 'C03' });
  expect(live).toMatchObject({
    action: 'block',
    code: 'no_approver',
    payload: { args: { body: 'SSN [REDACTED]' } },
  });
});

test('[C05] rewritten arguments are held against the schema of the tool', async () => {
  const payload = { toolName: 'send', args: { to: 'a@b.co', n: 1 } };
  const verdict = await runtime.fire('preToolUse', payload, {
    sessionId: 'C05',
    toolSchema: SCHEMA,
  });
  expect(verdict).toMatchObject({
    action: 'block',
    code: 'schema',
    hook: 'rewriter',
    reason: expect.stringContaining('/to must be string') as string,
  });
  const { records } = await runtime.records.query({ session: 'C05' });
  expect(records.map(({ action, code }) => [action, code])).toContainEqual(['block', 'schema']);
  const without = await runtime.fire('preToolUse', payload, { sessionId: 'C05' });
  expect(without.action).toBe('modify');
});

test('[C05] a call that is turned to another tool is held against that one, and refused where it is not known', async () => {
  const payload = { toolName: 'send', args: { to: 'a@b.co', n: 1 } };
  const unknown = await runtime.fire('preToolUse', payload, {
    sessionId: 'C05 retarget',
    toolSchema: SCHEMA,
  });
  expect(unknown).toMatchObject({ action: 'block', code: 'schema', hook: 'retargeter' });
  const known = await runtime.fire('preToolUse', payload, {
    sessionId: 'C05 retarget',
    toolSchema: SCHEMA,
    toolSchemas: { delete_all: { type: 'object' } },
  });
  expect(known).toMatchObject({ action: 'modify', payload: { toolName: 'delete_all' } });
});

test('[C05] a changed payload is held against the schema of its point', async () => {
  const verdict = await runtime.fire('preInput', { text: 'hi' }, { sessionId: 'C05 point' });
  expect(verdict).toMatchObject({ action: 'block', code: 'schema', hook: 'typist' });
});

test('[C08] an edit of text parts leaves the other parts, the ids and the order as they were', async () => {
  const image = { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' };
  const toolCall = {
    role: 'assistant',
    content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'x', input: {} }],
  };
  const messages = [
    { role: 'user', content: [{ type: 'text', text: 'mail a@b.com' }, image] },
    toolCall,
  ];
  const verdict = await runtime.fire('preContext', { messages }, { sessionId: 'C08' });
  expect(JSON.stringify(verdict.payload.messages)).toBe(
    JSON.stringify([
      { role: 'user', content: [{ type: 'text', text: 'mail [mail]' }, image] },
      toolCall,
    ]),
  );
});

test('[C11] the text of a blocked input is in no record and no line of the log', async () => {
  const marker = 'SOME_DISTINCTIVE_STRING';
  const verdict = await runtime.fire(
    'preInput',
    { text: `foo: bar ${marker}` },
    { sessionId: 'C11' },
  );
  expect(verdict).toMatchObject({ action: 'block', reason: 'secret' });
  const { records } = await runtime.records.query({ session: 'C11' });
  expect(records).toHaveLength(1);
  expect(JSON.stringify([records, temporary.logged(), runtime.metrics.snapshot()])).not.toContain(
    marker,
  );
});
