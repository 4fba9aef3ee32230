import { expect, test } from 'vitest';
import type { Point } from '../../sdk/points.ts';
import type { Reply, SeenRequest } from './scripted-model.ts';
import { echo, openTheatre, play, type Stage, type StageOptions, WATCHER } from './stages.ts';

const theatre = openTheatre({
  watcher: WATCHER,
  refuser: {
    run: `payload.toolName === 'echo' ? ({ action: 'block', reason: 'not here' }) : ({ action: 'allow' })`,
    manifest: { when: { sessions: ['refused'] } },
  },
});

const STORED: Point[] = ['preMessageCreate', 'postMessageCreate'];
const OPEN: Point[] = ['sessionStart', 'preInput', 'runStart', ...STORED];
const REQUEST: Point[] = ['preSystemPrompt', 'preContext', 'preModelCall'];
const ANSWER: Point[] = ['preOutput', 'onToken', ...STORED, 'postTurn'];
const CLOSE: Point[] = ['runEnd', 'sessionEnd'];
const RESULT: Point[] = ['postToolUse', 'preStoreToolResult', ...STORED, 'toolCallDone'];

const call = (id: string, text: unknown = id) => ({ id, name: 'echo', args: { text } });

const SCENES: Record<
  string,
  {
    readonly script: readonly Reply[] | ((request: SeenRequest, number: number) => Reply);
    readonly options?: StageOptions;
    readonly order: readonly Point[];
    readonly status?: Stage['result']['status'];
  }
> = {
  'a plain answer': {
    script: [{ text: 'hi' }],
    order: [...OPEN, 'preTurn', ...REQUEST, 'postModelCall', ...ANSWER, ...CLOSE],
  },
  'one tool': {
    script: [{ calls: [call('a')] }, { text: 'hi' }],
    order: [
      ...OPEN,
      'preTurn',
      ...REQUEST,
      'toolCallStarted',
      'postModelCall',
      'preToolUse',
      ...STORED,
      ...RESULT,
      'postTurn',
      'preTurn',
      ...REQUEST,
      'postModelCall',
      ...ANSWER,
      ...CLOSE,
    ],
  },
  'parallel tools': {
    script: [{ calls: [call('a'), call('b')] }, { text: 'hi' }],
    order: [
      ...OPEN,
      'preTurn',
      ...REQUEST,
      'toolCallStarted',
      'toolCallStarted',
      'postModelCall',
      'preToolUse',
      'preToolUse',
      ...STORED,
      ...RESULT,
      ...RESULT,
      'postTurn',
      'preTurn',
      ...REQUEST,
      'postModelCall',
      ...ANSWER,
      ...CLOSE,
    ],
  },
  'a refused tool': {
    script: [{ calls: [call('a')] }, { text: 'hi' }],
    options: { sessionId: 'refused' },
    order: [
      ...OPEN,
      'preTurn',
      ...REQUEST,
      'toolCallStarted',
      'postModelCall',
      'preToolUse',
      ...STORED,
      ...RESULT,
      'postTurn',
      'preTurn',
      ...REQUEST,
      'postModelCall',
      ...ANSWER,
      ...CLOSE,
    ],
  },
  'a failing tool': {
    script: [{ calls: [{ id: 'a', name: 'fail', args: {} }] }, { text: 'hi' }],
    order: [
      ...OPEN,
      'preTurn',
      ...REQUEST,
      'toolCallStarted',
      'postModelCall',
      'preToolUse',
      ...STORED,
      'postToolFailure',
      ...RESULT,
      'postTurn',
      'preTurn',
      ...REQUEST,
      'postModelCall',
      ...ANSWER,
      ...CLOSE,
    ],
  },
  'another attempt after 429, 500 and a cut in the stream': {
    script: [{ status: 429 }, { status: 500 }, { chunks: ['h'], isCut: true }, { text: 'hi' }],
    options: { maxAttempts: 4 },
    order: [
      ...OPEN,
      'preTurn',
      ...REQUEST,
      'preRetry',
      'preModelCall',
      'preRetry',
      'preModelCall',
      'preRetry',
      'preModelCall',
      'postModelCall',
      ...ANSWER,
      ...CLOSE,
    ],
  },
  compaction: {
    script: [{ calls: [call('a', 'x'.repeat(2000))] }, { text: 'sum' }, { text: 'hi' }],
    options: { compaction: { maxTokens: 200, keepMessages: 2 } },
    order: [
      ...OPEN,
      'preTurn',
      ...REQUEST,
      'toolCallStarted',
      'postModelCall',
      'preToolUse',
      ...STORED,
      ...RESULT,
      'postTurn',
      'preTurn',
      'preCompact',
      ...STORED,
      'postCompact',
      ...REQUEST,
      'postModelCall',
      ...ANSWER,
      ...CLOSE,
    ],
  },
  'a sub-agent': {
    script: [
      { calls: [{ id: 'a', name: 'agent__helper', args: { prompt: 'help' } }] },
      { text: 'helped' },
      { text: 'hi' },
    ],
    options: { agents: { helper: { description: 'helps' } } },
    order: [
      ...OPEN,
      'preTurn',
      ...REQUEST,
      'toolCallStarted',
      'postModelCall',
      'preToolUse',
      ...STORED,
      'preSyscall',
      'sessionStart',
      'postSpawn',
      'preSyscall',
      'runStart',
      ...STORED,
      'preTurn',
      ...REQUEST,
      'postModelCall',
      ...ANSWER,
      'runEnd',
      'preSyscall',
      'sessionEnd',
      'preSyscall',
      'postTerminate',
      ...RESULT,
      'postTurn',
      'preTurn',
      ...REQUEST,
      'postModelCall',
      ...ANSWER,
      ...CLOSE,
    ],
  },
  'an error': {
    script: [{ status: 401 }],
    order: [...OPEN, 'preTurn', ...REQUEST, 'error', 'postTurn', ...CLOSE],
    status: 'error',
  },
};

test.each(Object.entries(SCENES))('the points of %s come in their order', async (_, scene) => {
  const fail = {
    name: 'fail',
    parameters: { type: 'object' },
    run: () => {
      throw new Error('no luck');
    },
  };
  const { script, options, order, status = 'completed' } = scene;
  const stage = await play(theatre.runtime, script, { tools: [echo(), fail], ...options });
  expect(stage.points).toEqual(order);
  expect(stage.result.status).toBe(status);
});

test('the points of an aborted run come in their order, and each call has its end', async () => {
  const abort = new AbortController();
  const slow = {
    name: 'slow',
    parameters: { type: 'object' },
    run: () => {
      abort.abort();
      return new Promise(() => undefined);
    },
  };
  const stage = await play(theatre.runtime, [{ calls: [{ id: 'a', name: 'slow', args: {} }] }], {
    tools: [slow],
    signal: abort.signal,
  });
  expect(stage.points).toEqual([
    ...OPEN,
    'preTurn',
    ...REQUEST,
    'toolCallStarted',
    'postModelCall',
    'preToolUse',
    ...STORED,
    ...RESULT,
    'postTurn',
    ...CLOSE,
  ]);
  expect(stage.result).toMatchObject({ status: 'cancelled', outcome: 'cancelled' });
});
