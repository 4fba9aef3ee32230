import { afterAll, beforeAll, expect, test } from 'vitest';

import { SignalboxError } from '../../sdk/errors.ts';
import type { LiveRuntime } from '../../src/live-runtime.ts';
import type { ReplayRow } from '../../src/replay/conversation-run.ts';
import type { RecordingEntry } from '../../src/replay/recording.ts';
import { replay } from '../../src/replay/replay.ts';
import { createSummary } from '../../src/replay/replay-summary.ts';
import { openTemporary, type TemporaryRuntime } from '../runtime/temporary-runtime.ts';

let temporary: TemporaryRuntime;
let runtime: LiveRuntime;

beforeAll(async () => {
  temporary = await openTemporary(
    {
      guard: {
        run: 'payload.toolName === "drop" ? { action: "block", reason: "No" } : { action: "allow" }',
      },
      loose: {
        module: `export const createHook = () => (point, payload) => {
          if (payload.toolName === 'fragile') throw new Error('broke');
          return { action: 'allow' };
        };`,
        manifest: { failPolicy: 'open' },
      },
      counter: {
        module: `let count = 0;
          export const createHook = () => (point, payload) => {
            if (!payload.text.startsWith('count')) return { action: 'allow' };
            return { action: 'block', reason: String(++count) };
          };`,
        manifest: { points: ['preInput'] },
      },
      sluggish: {
        run: 'new Promise((done) => setTimeout(() => done({ action: "allow" }), payload.text === "slow" ? 300 : 0))',
        manifest: { points: ['preOutput'] },
      },
    },
    { limits: { payloadBytes: 5000 } },
  );
  ({ runtime } = temporary);
});
afterAll(() => temporary.remove());

async function* recording(...entries: RecordingEntry[]): AsyncGenerator<RecordingEntry> {
  yield* entries;
}

function conversation(id: string, ...messages: unknown[]): RecordingEntry {
  return { conversation: { id, file: 'r.jsonl', messages, lineOf: (index) => index + 10 } };
}

function user(content: string) {
  return { role: 'user', content };
}

function calling(...names: string[]) {
  const tool_calls = names.map((name, index) => ({
    id: String(index),
    function: { name, arguments: '{}' },
  }));
  return { role: 'assistant', content: null, tool_calls };
}

async function run(...entries: RecordingEntry[]) {
  const rows: ReplayRow[] = [];
  const problems: SignalboxError[] = [];
  const progress = await replay(runtime, recording(...entries), {
    onDecision: (row) => void rows.push(row),
    onProblem: (error) => void problems.push(error),
  });
  return { rows, problems, progress };
}

test('each fire gives one row, allow included, and a blocked call stops nothing', async () => {
  const { rows, progress } = await run(
    conversation('c', user('hi'), calling('drop', 'look'), { role: 'tool', content: 'dropped' }),
  );
  const row = { conversation: 'c', hook: null, code: null, reason: null, action: 'allow' };
  const blocked = { action: 'block', hook: 'guard', reason: 'No' };
  expect(rows).toEqual([
    { ...row, call: null, point: 'preInput', tool: null },
    { ...row, call: 0, point: 'preToolUse', tool: 'drop', ...blocked },
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

test('conversations of one id are sessions of their own', async () => {
  const { rows } = await run(
    conversation('same', user('count'), user('count')),
    conversation('same', user('count')),
  );
  expect(rows.map(({ conversation: id, reason }) => [id, reason])).toEqual([
    ['same', '1'],
    ['same', '2'],
    ['same', '1'],
  ]);
});

test('rows come in the order of the recording however the timing falls', async () => {
  const entries = Array.from({ length: 40 }, (_, n) =>
    conversation(`c${n}`, { role: 'assistant', content: n % 8 === 0 ? 'slow' : 'quick' }),
  );
  const { rows } = await run(...entries);
  expect(rows.map((row) => row.conversation)).toEqual(
    entries.flatMap((_, n) => [`c${n}`, `c${n}`]),
  );
});

test('a call that cannot be read is a block with a code, and is told with file and line', async () => {
  const bad = { role: 'assistant', tool_calls: [{ function: { name: 't', arguments: '{' } }] };
  const { rows, problems, progress } = await run(conversation('c', bad, null), {
    error: new SignalboxError('conversation_invalid'),
  });
  expect(rows).toEqual([
    {
      conversation: 'c',
      call: 0,
      point: 'preToolUse',
      tool: 't',
      action: 'block',
      hook: null,
      code: 'payload_invalid',
      reason: 'the arguments of the call are no JSON object',
    },
  ]);
  expect(problems.map(({ code, data }) => [code, data['file'], data['line']])).toEqual([
    ['conversation_invalid', 'r.jsonl', 10],
    ['conversation_invalid', 'r.jsonl', 11],
    ['conversation_invalid', undefined, undefined],
  ]);
  expect(progress.problems).toBe(3);
});

test('a fire that the runtime cannot take is a block, never an allow', async () => {
  const { rows, progress } = await run(conversation('c', user('x'.repeat(10_000)), user('hi')));
  expect(rows).toMatchObject([{ action: 'block', code: 'payload_size' }, { action: 'allow' }]);
  expect(progress.failures).toBeGreaterThan(0);
});

test('a failure that was allowed shows its hook and code', async () => {
  const { rows, progress } = await run(conversation('c', calling('fragile')));
  expect(rows).toMatchObject([{ action: 'allow', hook: 'loose', code: 'thrown' }]);
  expect(progress.failures).toBe(1);
});

function many(): AsyncGenerator<RecordingEntry> {
  return recording(
    ...Array.from({ length: 200 }, (_, n) => conversation(`c${n}`, user(`hi ${n}`))),
  );
}

test('a listener that fails ends the replay with its error', async () => {
  const onDecision = () => {
    throw new Error('disk full');
  };
  await expect(replay(runtime, many(), { onDecision })).rejects.toThrow('disk full');
});

test('a closed runtime ends the replay with its error', async () => {
  const closed = await openTemporary({ guard: { manifest: { points: ['preInput'] } } });
  await closed.runtime.close();
  await expect(replay(closed.runtime, many())).rejects.toMatchObject({ code: 'runtime_closed' });
  await closed.remove();
});

test('a stopped replay delivers what was decided and starts nothing more', async () => {
  const stop = new AbortController();
  let rows = 0;
  const progress = await replay(runtime, many(), {
    signal: stop.signal,
    concurrency: 1,
    onDecision() {
      rows += 1;
      if (rows === 4) stop.abort();
    },
  });
  expect(progress.fires).toBe(rows);
  expect(rows).toBeLessThan(20);
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
