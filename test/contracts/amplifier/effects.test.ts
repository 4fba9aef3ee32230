import { afterAll, beforeAll, expect, test } from 'vitest';
import { openScenes, type Stage } from '../scenes.ts';
import { mountOf } from './mount.ts';

const TOOL = { toolName: 'write', args: { path: 'a.txt' } };

/** A module with one handler of `tool:pre` that answers with these fields. */
const answering = (fields: string): string =>
  mountOf(`hooks.register('tool:pre', (event, data) => (${fields}), { name: 'it' });`);

const SCENES: Readonly<Record<string, string>> = {
  long: `{ action: 'inject_context', context_injection: 'x'.repeat(20) }`,
  'long-twice': `{ action: 'inject_context', context_injection: 'x', context_injections: [{ content: 'y'.repeat(20) }] }`,
  fits: `{ action: 'inject_context', context_injection: '\\u0000\\u0007' + '\\u{1F600}'.repeat(10) }`,
  dirty: `{ action: 'inject_context', context_injection: 'a\\u0000\\t\\u001b\\n\\r\\u0085\\ud800b' }`,
  durable: `{ action: 'inject_context', context_injection: 'kept' }`,
  ephemeral: `{ action: 'inject_context', context_injection: 'x', ephemeral: true, append_to_last_tool_result: true, context_injection_role: 'user' }`,
  append: `{ action: 'inject_context', context_injection: 'x', append_to_last_tool_result: true }`,
  several: `{ action: 'inject_context', reason: 'r', context_injections: [
    { content: 'a', role: 'user', hook_name: 'forged', event: 'forged' }, { content: 'b', ephemeral: true }] }`,
  forged: `{ action: 'inject_context', context_injections: [{ content: 'a' }, { role: 'user' }] }`,
  assistant: `{ action: 'inject_context', context_injection: 'x', context_injection_role: 'assistant' }`,
  ask: `{ action: 'ask_user' }`,
  'ask-more': `{ action: 'ask_user', approval_prompt: 'Write ' + data.tool_input.path + '?', reason: 'why',
    approval_options: ['Allow once', 'Allow always', 'Deny'], approval_timeout: 60, user_message: 'not shown' }`,
  'ask-long': `{ action: 'ask_user', approval_prompt: 'p'.repeat(300) }`,
  'ask-soon': `{ action: 'ask_user', approval_prompt: 'Now?', approval_timeout: 0.05 }`,
  'ask-allow': `{ action: 'ask_user', approval_prompt: 'Now?', approval_timeout: 0.05, approval_default: 'allow' }`,
  message: `{ action: 'deny', reason: 'no', user_message: 'told', user_message_level: 'error', user_message_source: 'linter' }`,
  'message-plain': `{ user_message: 'told' }`,
  'message-empty': `{ user_message: '' }`,
  quiet: `(console.log('a line of the hook'), { user_message: 'Processed 3 files', suppress_output: true })`,
  loud: `(console.log('a line of the hook'), { user_message: 'Processed 3 files' })`,
  unchanged: `{ action: 'continue' }`,
};

let stage: Stage;
let unlimited: Stage;
let alone: Stage;
beforeAll(async () => {
  const scenes = Object.fromEntries(
    Object.entries(SCENES).map(([name, fields]) => [
      name,
      { module: answering(fields), points: ['preToolUse'] },
    ]),
  );
  stage = await openScenes('amplifier', scenes, {
    limits: { injectionChars: 10, injectionTokensPerTurn: 1 },
  });
  const { long, 'ask-more': ask } = scenes;
  unlimited = await openScenes(
    'amplifier',
    {
      long: long as NonNullable<typeof long>,
      huge: {
        module: answering(`{ action: 'inject_context', context_injection: 'x'.repeat(10_241) }`),
        points: ['preToolUse'],
      },
    },
    {},
  );
  alone = await openScenes(
    'amplifier',
    { 'ask-more': ask as NonNullable<typeof ask> },
    { approvals: { enabled: false } },
  );
}, 120_000);
afterAll(async () => {
  await stage.remove();
  await unlimited.remove();
  await alone.remove();
});

/** What was recorded of a handler, newest first. */
async function recordsOf(hook: string) {
  return (await stage.runtime.records.query({ hook })).records;
}

const fire = (scene: string, turnId?: string) =>
  stage.fire(scene, 'preToolUse', TOOL, turnId === undefined ? {} : { turnId });

test('[AP36] [AP37] an injection over the limit is an error with its own words, and nothing goes in', async () => {
  const verdict = await fire('long');
  expect(verdict).toMatchObject({ action: 'block', code: 'invalid_decision', inject: [] });
  const [row] = await recordsOf('long/it');
  expect(row?.reason).toBe('Context injection exceeds 10 characters');
});

test('a second injection over the limit keeps the first one out as well', async () => {
  expect(await fire('long-twice')).toMatchObject({ action: 'block', inject: [] });
});

test('[AP37] the limit counts characters, after what nobody can see is gone', async () => {
  const { inject } = await fire('fits');
  expect(inject[0]?.content).toBe('\u{1F600}'.repeat(10));
});

test('[AP38] an injection over the budget of a turn goes in and is warned about', async () => {
  const verdict = await fire('durable', 'turn-1');
  await fire('durable', 'turn-1');
  expect(verdict.inject[0]?.content).toBe('kept');
  expect(stage.logged()).toContainEqual(
    expect.objectContaining({ event: 'injection_overflow', session: 'durable' }),
  );
});

test('[AP39] limits that nobody sets are those of the documents', async () => {
  const fits = await unlimited.fire('long', 'preToolUse', TOOL);
  expect(fits.inject).toHaveLength(1);
  const { action, code } = await unlimited.fire('huge', 'preToolUse', TOOL);
  expect({ action, code }).toEqual({ action: 'block', code: 'invalid_decision' });
  expect(unlimited.runtime.config.limits).toMatchObject({
    injectionChars: 10_240,
    injectionTokensPerTurn: 10_000,
  });
});

test('[AP40] control characters and halves of characters are taken out of injections', async () => {
  expect((await fire('dirty')).inject[0]?.content).toBe('a\t\n\rb');
});

test('[AP41] an injection says which handler it is from, at which point, and when', async () => {
  const verdict = await fire('durable');
  expect(verdict.inject[0]).toMatchObject({ hook: 'durable/it', ephemeral: false });
  const [row] = await recordsOf('durable/it');
  expect(row).toMatchObject({ hook: 'durable/it', point: 'preToolUse' });
});

test('[AP42] every injection is recorded, ephemeral ones too', async () => {
  await fire('ephemeral');
  const rows = await recordsOf('ephemeral/it');
  expect(rows.length).toBeGreaterThan(0);
});

test('[AP43] an ephemeral injection is told apart and counts against the budget of the turn', async () => {
  const { inject } = await fire('ephemeral', 'turn-2');
  for (let count = 0; count < 5; count += 1) await fire('ephemeral', 'turn-2');
  expect(inject[0]).toMatchObject({ content: 'x', ephemeral: true });
  expect(stage.logged()).toContainEqual(
    expect.objectContaining({ event: 'injection_overflow', session: 'ephemeral' }),
  );
});

test('[AP44] append_to_last_tool_result holds for ephemeral injections alone', async () => {
  expect((await fire('ephemeral')).inject[0]?.appendToLastToolResult).toBe(true);
  expect((await fire('append')).inject[0]?.appendToLastToolResult).toBe(false);
});

test('several injections of one result keep their own settings, and a forged origin is ignored', async () => {
  expect((await fire('several')).inject).toEqual([
    {
      content: 'a',
      role: 'user',
      ephemeral: false,
      appendToLastToolResult: false,
      hook: 'several/it',
    },
    {
      content: 'b',
      role: 'system',
      ephemeral: true,
      appendToLastToolResult: false,
      hook: 'several/it',
    },
  ]);
});

test('one injection without a text makes the whole result invalid, and none goes in', async () => {
  expect(await fire('forged')).toMatchObject({
    action: 'block',
    reason: 'Hook handler returned invalid response',
    inject: [],
  });
});

test('[AP46] ask_user has defaults for its prompt, options, time and answer', async () => {
  const { approval } = await fire('ask');
  const { question, expiresAt } = await stage.runtime.approvals.show(approval?.id ?? '');
  expect(question).toMatchObject({ prompt: 'Allow this operation?', options: ['Allow', 'Deny'] });
  const ms = Date.parse(expiresAt) - Date.now();
  expect(ms).toBeGreaterThan(200_000);
  expect(ms).toBeLessThanOrEqual(300_000);
});

test('ask_user says its own prompt, options and time', async () => {
  const verdict = await fire('ask-more');
  expect(verdict).toMatchObject({ action: 'ask', reason: 'why' });
  const { question } = await stage.runtime.approvals.show(verdict.approval?.id ?? '');
  expect(question).toMatchObject({
    prompt: 'Write a.txt?',
    options: ['Allow once', 'Allow always', 'Deny'],
  });
});

/** What an answer to a question of the scene comes to. */
async function answered(scene: string, answer: string) {
  const id = (await fire(scene)).approval?.id ?? '';
  await stage.runtime.approvals.answer(id, { answer });
  return stage.runtime.approvals.wait(id);
}

test.each(['Allow', 'allow once', 'ALLOW ONCE'])(
  '[AP47] the answer "%s" grants',
  async (answer) => {
    expect(await answered('ask', answer)).toMatchObject({ status: 'granted' });
  },
);

test.each(['yes', 'Allow it', 'deny', 'always', ''])(
  '[AP47] the answer "%s" denies',
  async (answer) => {
    expect(await answered('ask', answer)).toMatchObject({ status: 'denied' });
  },
);

test('[AP48] a denial says what was asked, cut at 200 characters', async () => {
  expect(await answered('ask', 'Deny')).toMatchObject({
    reason: 'User denied: Allow this operation?',
  });
  expect(await answered('ask-long', 'Deny')).toMatchObject({
    reason: `User denied: ${'p'.repeat(200)}...[truncated]`,
  });
});

test('[AP49] without anyone to ask it is denied', async () => {
  const verdict = await alone.fire('ask-more', 'preToolUse', TOOL);
  expect(verdict).toMatchObject({ action: 'block', reason: 'No approval system available' });
});

test('[AP50] a question that nobody answers is settled by its default', async () => {
  const deny = (await fire('ask-soon')).approval?.id ?? '';
  expect(await stage.runtime.approvals.wait(deny)).toMatchObject({
    reason: 'Approval timeout - denied by default: Now?',
  });
  const allow = (await fire('ask-allow')).approval?.id ?? '';
  expect(await stage.runtime.approvals.wait(allow)).toMatchObject({ status: 'granted' });
});

test('[AP51] what goes wrong with approvals is an error of its own, never a grant', async () => {
  await expect(
    stage.runtime.approvals.answer('apr_none', { answer: 'allow' }),
  ).rejects.toMatchObject({
    code: 'approval_unknown',
  });
});

test('[AP52] "Allow always" holds for the rest of the session', async () => {
  await answered('ask', 'Allow always');
  const next = (await fire('ask')).approval?.id ?? '';
  expect(await stage.runtime.approvals.wait(next)).toMatchObject({ status: 'granted' });
});

test('[AP53] [AP56] user_message is shown with any action but ask_user, with its level and source', async () => {
  expect((await fire('message')).notices).toEqual([
    { text: 'told', level: 'error', hook: 'message/it', source: 'linter' },
  ]);
  expect((await fire('message-plain')).notices).toEqual([
    { text: 'told', level: 'info', hook: 'message-plain/it' },
  ]);
  expect((await fire('ask-more')).notices).toEqual([]);
});

test('[AP54] an empty user_message is not shown', async () => {
  expect((await fire('message-empty')).notices).toEqual([]);
});

test('[AP55] suppress_output keeps back what the handler printed and nothing else', async () => {
  const run = (scene: string) =>
    stage.runtime.test({
      point: 'preToolUse',
      payload: TOOL,
      hookName: scene,
      context: { sessionId: scene },
    });
  const quiet = await run('quiet');
  const loud = await run('loud');
  expect(loud.logs.map(({ line }) => line)).toEqual(['a line of the hook']);
  expect(quiet.logs).toEqual([]);
  expect(quiet).toMatchObject({ action: 'allow', output: TOOL });
  expect((await fire('quiet')).notices).toMatchObject([{ text: 'Processed 3 files' }]);
});

test('continue changes nothing', async () => {
  const verdict = await fire('unchanged');
  expect(verdict).toMatchObject({ action: 'allow', isModified: false, inject: [], notices: [] });
});
