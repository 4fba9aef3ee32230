import { expect, test } from 'vitest';
import { answering, failing, runHooks, scripted } from './hooks.ts';

const CALL = {
  toolName: 'Bash',
  args: { command: 'echo ORIGINAL' },
  isDelegated: false,
  planModeActive: false,
};

test('a chain without hooks allows and gives the payload back', async () => {
  const result = await runHooks('preToolUse', CALL, []);
  expect(result).toMatchObject({ action: 'allow', isModified: false, trace: [], notRun: [] });
  expect(result.payload).toBe(CALL);
});

test('[AM24] each of the four decisions comes out as it was given', async () => {
  const allow = await runHooks('preToolUse', CALL, [answering('a', { action: 'allow' })]);
  const block = await runHooks('preToolUse', CALL, [
    answering('a', { action: 'block', reason: 'no' }),
  ]);
  const change = { action: 'modify', payload: { args: { command: 'ls' } }, note: 'safer' } as const;
  const modify = await runHooks('preToolUse', CALL, [answering('a', change)]);
  const ask = await runHooks('preToolUse', CALL, [
    answering('a', { action: 'ask', reason: 'sure?' }),
  ]);
  expect(allow.action).toBe('allow');
  expect(block).toMatchObject({ action: 'block', reason: 'no', hook: 'a' });
  expect(modify).toMatchObject({
    action: 'modify',
    isModified: true,
    payload: { args: { command: 'ls' } },
  });
  expect(ask).toMatchObject({ action: 'ask', reason: 'sure?', hook: 'a' });
});

test('[AM26] block beats ask beats modify beats allow', async () => {
  const hooks = {
    allow: answering('allow', { action: 'allow' }),
    modify: answering('modify', { action: 'modify', payload: { args: { command: 'ls' } } }),
    ask: answering('ask', { action: 'ask', reason: 'sure?' }),
    block: answering('block', { action: 'block', reason: 'no' }),
  };
  const { allow, modify, ask, block } = hooks;
  expect((await runHooks('preToolUse', CALL, [allow, modify])).action).toBe('modify');
  expect((await runHooks('preToolUse', CALL, [modify, ask, allow])).action).toBe('ask');
  expect((await runHooks('preToolUse', CALL, [ask, modify, block])).action).toBe('block');
});

test('of equal actions the first in order wins', async () => {
  const result = await runHooks('preToolUse', CALL, [
    answering('first', { action: 'ask', reason: 'one' }),
    answering('second', { action: 'ask', reason: 'two' }),
  ]);
  expect(result).toMatchObject({ hook: 'first', reason: 'one' });
});

test('[C01] each hook sees what the one before left', async () => {
  const seen: unknown[] = [];
  const result = await runHooks('preToolUse', CALL, [
    answering('A', { action: 'modify', payload: { args: { command: 'FROM_A' } } }),
    scripted('B', ({ args }) => {
      seen.push(args);
      return { action: 'modify', payload: { args: { ...(args as object), by: 'B' } } };
    }),
  ]);
  expect(seen).toEqual([{ command: 'FROM_A' }]);
  expect(result.payload['args']).toEqual({ command: 'FROM_A', by: 'B' });
  expect(result).toMatchObject({ hook: 'A', modifiedBy: 'B' });
});

test('[C03] a modification is kept when another hook asks', async () => {
  const mail = {
    ...CALL,
    toolName: 'mcp__mail__send',
    args: { to: 'x@y.z', body: 'SSN 123-45-6789' },
  };
  const result = await runHooks('preToolUse', mail, [
    answering('A', {
      action: 'modify',
      payload: { args: { to: 'x@y.z', body: 'SSN [REDACTED]' } },
    }),
    answering('B', { action: 'ask', reason: 'please confirm' }),
  ]);
  expect(result).toMatchObject({ action: 'ask', isModified: true });
  expect(result.payload['args']).toEqual({ to: 'x@y.z', body: 'SSN [REDACTED]' });
  expect(result.released?.answer.decision.action).toBe('modify');
});

test('a block ends the chain and notRun names the rest', async () => {
  const calls: string[] = [];
  const result = await runHooks('preInput', { text: 'hi', source: 'chat' }, [
    answering('redact', { action: 'modify', payload: { text: 'ho' } }),
    answering('stop', { action: 'block', reason: 'no' }),
    scripted('never', () => (calls.push('never'), { action: 'allow' })),
    answering('neither', { action: 'allow' }),
  ]);
  expect(result).toMatchObject({ action: 'block', notRun: ['never', 'neither'], isModified: true });
  expect(result.payload['text']).toBe('ho');
  expect(calls).toEqual([]);
});

test('an ask, a result and a rework do not end the chain', async () => {
  const result = await runHooks('preToolUse', CALL, [
    answering('a', { action: 'result', result: 'canned' }),
    answering('b', { action: 'rework', feedback: 'again' }),
    answering('c', { action: 'ask', reason: 'sure?' }),
    answering('d', { action: 'allow' }),
  ]);
  expect(result.trace.map(({ action }) => action)).toEqual(['result', 'rework', 'ask', 'allow']);
  expect(result.action).toBe('ask');
});

test('a block without a reason has the default one', async () => {
  const results = await Promise.all(
    [{ action: 'block' } as const, { action: 'block', reason: ' ' } as const].map((decision) =>
      runHooks('preInput', { text: 'hi', source: 'chat' }, [answering('guard', decision)]),
    ),
  );
  expect(results.map(({ reason }) => reason)).toEqual(Array(2).fill('Blocked by hook "guard"'));
});

test('a reason is cut at its limit, between characters', async () => {
  const reason = `x${'😀'.repeat(1000)}`;
  const result = await runHooks('preInput', { text: 'hi', source: 'chat' }, [
    answering('guard', { action: 'block', reason }),
  ]);
  expect(Buffer.byteLength(result.reason ?? '')).toBeLessThanOrEqual(2048 + 3);
  expect(result.reason).toMatch(/^x(😀)+…$/u);
});

test('the parts of an outcome that belong to an action come with it', async () => {
  const result = await runHooks('preToolUse', CALL, [
    answering('a', { action: 'result', result: { rows: 3 }, isError: true }),
  ]);
  const canned = await runHooks('preToolUse', CALL, [
    answering('a', { action: 'result', result: null }),
  ]);
  const rework = await runHooks('preOutput', { text: 't', channels: [] }, [
    answering('a', { action: 'rework', feedback: 'shorter' }),
  ]);
  const suppress = await runHooks('onToken', { text: 'secret', finalAnswer: true, kind: 'text' }, [
    answering('a', { action: 'suppress', text: '***' }),
  ]);
  expect(result).toMatchObject({ action: 'result', result: { rows: 3 }, isError: true });
  expect(canned).toMatchObject({ action: 'result', result: null, isError: false });
  expect(rework).toMatchObject({ action: 'rework', feedback: 'shorter' });
  expect(suppress).toMatchObject({ action: 'suppress', text: '***' });
});

test('injections, notices, outputs and retry control of all hooks come together in order', async () => {
  const result = await runHooks(
    'preRetry',
    { error: 'e', attempt: 1, maxAttempts: 3, delayMs: 5, model: 'm', midStream: false },
    [
      scripted(
        'a',
        () => ({
          action: 'allow',
          inject: [{ content: 'one' }],
          notice: { text: 'n' },
          outputs: { k: 1, l: 1 },
          retry: { delayMs: 10 },
        }),
        { outputs: ['k', 'l'] },
      ),
      scripted(
        'b',
        (_, outputs) => ({
          action: 'allow',
          inject: [{ content: `k=${String(outputs['k'])}`, role: 'user', ephemeral: true }],
          outputs: { k: 2 },
          retry: { delayMs: 99, model: 'other' },
        }),
        { outputs: ['k'] },
      ),
    ],
  );
  expect(result.inject).toEqual([
    { content: 'one', role: 'system', ephemeral: false, appendToLastToolResult: false, hook: 'a' },
    { content: 'k=1', role: 'user', ephemeral: true, appendToLastToolResult: false, hook: 'b' },
  ]);
  expect(result.notices).toEqual([{ text: 'n', level: 'info', hook: 'a' }]);
  expect(result.outputs).toEqual({ k: 2, l: 1 });
  expect(result.retry).toEqual({ delayMs: 10, model: 'other' });
  expect(result.action).toBe('allow');
});

test('an output that the manifest does not declare fails the hook', async () => {
  const result = await runHooks('preInput', { text: 'hi', source: 'chat' }, [
    scripted('a', () => ({ action: 'allow', outputs: { theirs: 1 } }), { outputs: ['mine'] }),
  ]);
  expect(result).toMatchObject({ action: 'block', code: 'invalid_decision', outputs: {} });
});

test('an injection over the limit fails the hook that made it, with the exact text', async () => {
  const result = await runHooks('preInput', { text: 'hi', source: 'chat' }, [
    scripted(
      'loud',
      () => ({
        action: 'allow',
        inject: [{ content: 'x'.repeat(60) }, { content: 'x'.repeat(41) }],
      }),
      { failPolicy: 'open' },
    ),
    answering('quiet', { action: 'allow', inject: [{ content: 'x'.repeat(100) }] }),
  ]);
  expect(result.steps[0]?.answer.failure).toEqual({
    code: 'invalid_decision',
    detail: 'Context injection exceeds 100 characters',
  });
  expect(result.inject.map(({ hook }) => hook)).toEqual(['quiet']);
});

test('an optional field set to null is removed, a key "__proto__" is data', async () => {
  const payload = { text: 'hi', source: 'chat', attachments: ['a'] };
  const removed = await runHooks('preInput', payload, [
    answering('a', '{"action":"modify","payload":{"attachments":null}}'),
  ]);
  expect(removed.payload).toEqual({ text: 'hi', source: 'chat' });
  const args = JSON.parse('{"__proto__":{"isAdmin":true}}') as object;
  const polluted = await runHooks('preToolUse', CALL, [
    answering('a', JSON.stringify({ action: 'modify', payload: { args } })),
  ]);
  expect(Object.keys(polluted.payload['args'] as object)).toEqual(['__proto__']);
  expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
});

test('[AM32] [AM33] a failure under a closed policy blocks with the fixed reason and its code beside it', async () => {
  const result = await runHooks('preToolUse', CALL, [
    failing('guard'),
    answering('rest', { action: 'allow' }),
  ]);
  expect(result).toMatchObject({
    action: 'block',
    reason: 'Hook "guard" failed (fail-closed)',
    code: 'thrown',
    hook: 'guard',
    notRun: ['rest'],
  });
});

test('[AM35] a failure under an open policy allows, with the code in the trace', async () => {
  const result = await runHooks('preToolUse', CALL, [
    failing('guard', { failPolicy: 'open', code: 'timeout' }),
  ]);
  expect(result.action).toBe('allow');
  expect(result.code).toBeUndefined();
  expect(result.trace).toEqual([{ hook: 'guard', action: 'allow', code: 'timeout', ms: 1 }]);
});

test.each(['preInput', 'onToken', 'postTurn'] as const)(
  'a failure under an abort policy blocks and ends the run at %s',
  async (point) => {
    const payload = {
      text: 'hi',
      source: 'chat',
      finalAnswer: true,
      kind: 'text',
      turn: 1,
      input: '',
      output: '',
    };
    const result = await runHooks(point, payload, [
      failing('guard', { failPolicy: 'abort' }),
      answering('rest', { action: 'allow' }),
    ]);
    expect(result).toMatchObject({
      action: 'block',
      endsRun: true,
      notRun: ['rest'],
      code: 'thrown',
    });
  },
);

test('a closed failure at onToken hides the piece', async () => {
  const result = await runHooks('onToken', { text: 'x', finalAnswer: true, kind: 'text' }, [
    failing('guard'),
  ]);
  expect(result).toMatchObject({ action: 'suppress', code: 'thrown' });
  expect(result.text).toBeUndefined();
});

test('a closed failure at postToolFailure puts the fixed reason in place of the text', async () => {
  const result = await runHooks(
    'postToolFailure',
    { toolName: 'x', args: {}, error: 'secret path' },
    [failing('guard')],
  );
  expect(result).toMatchObject({ action: 'modify', code: 'thrown', isModified: true });
  expect(result.payload['error']).toBe('Hook "guard" failed (fail-closed)');
});

test('a closed failure of an observer stops nothing and is in the trace', async () => {
  const result = await runHooks('postTurn', { turn: 1, input: 'a', output: 'b' }, [
    failing('guard'),
    answering('next', { action: 'allow' }),
  ]);
  expect(result).toMatchObject({
    action: 'allow',
    trace: [{ hook: 'guard', code: 'thrown' }, { hook: 'next' }],
  });
});

test('a failure discards everything the answer carried', async () => {
  const result = await runHooks('preInput', { text: 'hi', source: 'chat' }, [
    scripted(
      'a',
      () => '{"action":"modify","payload":{"text":"x"},"inject":[{"content":"y"}],"extra":1}',
      { failPolicy: 'open' },
    ),
  ]);
  expect(result).toMatchObject({
    action: 'allow',
    isModified: false,
    inject: [],
    payload: { text: 'hi' },
  });
});

test('what runs the hook may reject: the hook has crashed and its policy decides', async () => {
  const hook = scripted('a', () => {
    throw new Error('payload contents');
  });
  const result = await runHooks('preInput', { text: 'hi', source: 'chat' }, [hook]);
  expect(result).toMatchObject({ action: 'block', code: 'crash' });
  expect(JSON.stringify(result.steps)).not.toContain('payload contents');
});

test('what a hook keeps from the user is said by the verdict', async () => {
  const hidden = await runHooks('preToolUse', CALL, [
    answering('a', { action: 'allow', suppressOutput: true }),
    answering('b', { action: 'allow', suppressOutput: false }),
  ]);
  expect(hidden.suppressOutput).toBe(true);
  const shown = await runHooks('preToolUse', CALL, [answering('b', { action: 'allow' })]);
  expect(shown.suppressOutput).toBeUndefined();
});
