import { expect, test } from 'vitest';

import { SignalboxError } from '../../sdk/errors.ts';
import type { ReplayRow } from '../../src/replay/conversation-run.ts';
import { replay } from '../../src/replay/replay.ts';
import { createSummary } from '../../src/replay/replay-summary.ts';
import type { RecordingEntry } from '../../src/replay/recording.ts';
import type { Runtime } from '../../src/runtime.ts';
import { scriptedRuntime } from './scripted-runtime.ts';

async function* recording(...entries: RecordingEntry[]): AsyncGenerator<RecordingEntry> {
  yield* entries;
}

function conversation(id: string, ...messages: unknown[]): RecordingEntry {
  return { conversation: { id, file: 'r.jsonl', messages, lineOf: (index) => index + 10 } };
}

function calling(...names: string[]) {
  const tool_calls = names.map((name, index) => ({
    id: String(index),
    function: { name, arguments: '{}' },
  }));
  return { role: 'assistant', content: null, tool_calls };
}

async function run(runtime: Runtime, source: AsyncIterable<RecordingEntry>) {
  const rows: ReplayRow[] = [];
  const problems: SignalboxError[] = [];
  const progress = await replay(runtime, source, {
    onDecision: (row) => void rows.push(row),
    onProblem: (error) => void problems.push(error),
  });
  return { rows, problems, progress };
}

test('each fire gives one row, allow included, and a blocked call stops nothing', async () => {
  const runtime = scriptedRuntime({
    preToolUse: (payload) =>
      payload.toolName === 'drop' ? { action: 'block', hook: 'guard', reason: 'No' } : {},
  });
  const { rows, progress } = await run(
    runtime,
    recording(
      conversation('c', { role: 'user', content: 'hi' }, calling('drop', 'look'), {
        role: 'tool',
        content: 'dropped',
      }),
    ),
  );
  const row = { conversation: 'c', hook: null, code: null, reason: null, action: 'allow' };
  expect(rows).toEqual([
    { ...row, call: null, point: 'preInput', tool: null },
    {
      ...row,
      call: 0,
      point: 'preToolUse',
      tool: 'drop',
      action: 'block',
      hook: 'guard',
      reason: 'No',
    },
    { ...row, call: 1, point: 'preToolUse', tool: 'look' },
    { ...row, call: 0, point: 'postToolUse', tool: 'drop' },
  ]);
  expect(progress).toEqual({
    conversations: 1,
    calls: 2,
    fires: 4,
    decisions: 1,
    failures: 0,
    problems: 0,
  });
});

test('conversations of one id are sessions of their own, and each is ended', async () => {
  const runtime = scriptedRuntime({});
  const say = { role: 'user', content: 'hi' };
  await run(runtime, recording(conversation('same', say, say), conversation('same', say)));
  const sessions = runtime.fired.map(({ context }) => context?.sessionId);
  expect(sessions[0]).toBe(sessions[1]);
  expect(sessions[0]).not.toBe(sessions[2]);
  expect(new Set(sessions).size).toBe(2);
  expect(runtime.fired.map(({ context }) => context?.turnId)).toEqual(['1', '2', '1']);
  expect(new Set(runtime.ended)).toEqual(new Set(sessions));
  expect(runtime.ended).toHaveLength(2);
});

test('rows come in the order of the recording however the timing falls', async () => {
  const first = Promise.withResolvers<void>();
  let running = 0;
  let most = 0;
  const runtime = scriptedRuntime({
    preInput: async (payload) => {
      running += 1;
      most = Math.max(most, running);
      if (payload.text === '0') await first.promise;
      if (payload.text === '15') first.resolve();
      running -= 1;
      return {};
    },
  });
  const entries = Array.from({ length: 40 }, (_, n) =>
    conversation(`c${n}`, { role: 'user', content: String(n) }),
  );
  const { rows } = await run(runtime, recording(...entries));
  expect(rows.map((row) => row.conversation)).toEqual(entries.map((_, n) => `c${n}`));
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(16);
});

test('a call that cannot be read is a block with a code, and is told with file and line', async () => {
  const bad = { role: 'assistant', tool_calls: [{ function: { name: 't', arguments: '{' } }] };
  const { rows, problems, progress } = await run(
    scriptedRuntime({}),
    recording(conversation('c', bad, null), { error: new SignalboxError('conversation_invalid') }),
  );
  expect(rows).toMatchObject([
    { call: 0, tool: 't', action: 'block', code: 'payload_invalid', hook: null },
  ]);
  expect(problems.map(({ code, data }) => [code, data.file, data.line])).toEqual([
    ['conversation_invalid', 'r.jsonl', 10],
    ['conversation_invalid', 'r.jsonl', 11],
    ['conversation_invalid', undefined, undefined],
  ]);
  expect(progress.problems).toBe(3);
});

test('a fire without a verdict is a block, never an allow', async () => {
  const runtime = scriptedRuntime({
    preInput: () => {
      throw new SignalboxError('payload_size', { point: 'preInput', maxBytes: 1 });
    },
  });
  const { rows, progress } = await run(
    runtime,
    recording(conversation('c', { role: 'user', content: 'hi' })),
  );
  expect(rows).toMatchObject([{ action: 'block', code: 'payload_size' }]);
  expect(progress.failures).toBe(1);
});

test('a failure that was allowed shows its hook and code', async () => {
  const runtime = scriptedRuntime({
    preInput: () => ({ trace: [{ hook: 'loose', action: 'allow', code: 'thrown', ms: 1 }] }),
  });
  const { rows, progress } = await run(
    runtime,
    recording(conversation('c', { role: 'user', content: 'hi' })),
  );
  expect(rows).toMatchObject([{ action: 'allow', hook: 'loose', code: 'thrown' }]);
  expect(progress.failures).toBe(1);
});

test('a closed runtime and a listener that fails end the replay with their error', async () => {
  const closed = scriptedRuntime({
    preInput: () => {
      throw new SignalboxError('runtime_closed');
    },
  });
  const many = () =>
    recording(
      ...Array.from({ length: 200 }, (_, n) =>
        conversation(`c${n}`, { role: 'user', content: 'hi' }),
      ),
    );
  await expect(run(closed, many())).rejects.toMatchObject({ code: 'runtime_closed' });
  const listening = replay(scriptedRuntime({}), many(), {
    onDecision: () => {
      throw new Error('disk full');
    },
  });
  await expect(listening).rejects.toThrow('disk full');
});

test('a stopped replay lets what runs finish and starts nothing more', async () => {
  const stop = new AbortController();
  const runtime = scriptedRuntime({
    preInput: (payload) => {
      if (payload.text === '3') stop.abort();
      return {};
    },
  });
  const progress = await replay(
    runtime,
    recording(
      ...Array.from({ length: 100 }, (_, n) =>
        conversation(`c${n}`, { role: 'user', content: String(n) }),
      ),
    ),
    { signal: stop.signal, concurrency: 1 },
  );
  expect(progress.fires).toBe(4);
});

test('the summary counts by point, tool and hook', () => {
  const summary = createSummary();
  const row = { conversation: 'c', call: 0, hook: null, code: null, reason: null } as const;
  summary.add({ ...row, point: 'postToolUse', tool: 'b', action: 'allow' });
  summary.add({
    ...row,
    point: 'preToolUse',
    tool: 'b',
    action: 'block',
    hook: 'g',
    code: 'timeout',
  });
  summary.add({ ...row, point: 'preToolUse', tool: 'a', action: 'allow' });
  summary.add({ ...row, point: 'preToolUse', tool: 'a', action: 'allow' });
  expect(summary.rows()).toMatchObject([
    { point: 'preToolUse', tool: 'a', hook: null, fires: 2, failed: 0, actions: { allow: 2 } },
    { point: 'preToolUse', tool: 'b', hook: 'g', fires: 1, failed: 1, actions: { block: 1 } },
    { point: 'postToolUse', tool: 'b', hook: null, fires: 1 },
  ]);
});
