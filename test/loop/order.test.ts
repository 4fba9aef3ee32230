import { expect, test } from 'vitest';
import type { Point } from '../../sdk/points.ts';
import type { Reply } from './scripted-model.ts';
import { call, echo, openTheatre, play, type Stage, type StageOptions, WATCHER } from './stages.ts';

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
/** A turn in which the model answers, and the run ends. */
const LAST: Point[] = ['preTurn', ...REQUEST, 'postModelCall', ...ANSWER, ...CLOSE];

/** A turn up to where its calls run. */
function calling(calls: number): Point[] {
  const each = (point: Point): Point[] => Array.from({ length: calls }, () => point);
  const answered: Point[] = [...each('toolCallStarted'), 'postModelCall'];
  return ['preTurn', ...REQUEST, ...answered, ...each('preToolUse'), ...STORED];
}

interface Scene {
  readonly script: readonly Reply[];
  readonly options?: StageOptions;
  readonly order: readonly Point[];
  readonly status?: Stage['result']['status'];
}

const SCENES: Record<string, Scene> = {
  'a plain answer': { script: [{ text: 'hi' }], order: [...OPEN, ...LAST] },
  'one tool': {
    script: [{ calls: [call('a', 'x')] }, { text: 'hi' }],
    order: [...OPEN, ...calling(1), ...RESULT, 'postTurn', ...LAST],
  },
  'parallel tools': {
    script: [{ calls: [call('a', 'x'), call('b', 'y')] }, { text: 'hi' }],
    order: [...OPEN, ...calling(2), ...RESULT, ...RESULT, 'postTurn', ...LAST],
  },
  'a refused tool': {
    script: [{ calls: [call('a', 'x')] }, { text: 'hi' }],
    options: { sessionId: 'refused' },
    order: [...OPEN, ...calling(1), ...RESULT, 'postTurn', ...LAST],
  },
  'a failing tool': {
    script: [{ calls: [{ id: 'a', name: 'fail', args: {} }] }, { text: 'hi' }],
    order: [...OPEN, ...calling(1), 'postToolFailure', ...RESULT, 'postTurn', ...LAST],
  },
  'another attempt after 429, 500 and a cut in the stream': {
    script: [{ status: 429 }, { status: 500 }, { chunks: ['h'], isCut: true }, { text: 'hi' }],
    options: { maxAttempts: 4 },
    order: [
      ...OPEN,
      'preTurn',
      ...REQUEST,
      ...Array.from({ length: 3 }, () => ['preRetry', 'preModelCall'] as const).flat(),
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
      ...calling(1),
      ...RESULT,
      'postTurn',
      'preTurn',
      'preCompact',
      ...STORED,
      'postCompact',
      ...LAST.slice(1),
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
      ...calling(1),
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
      ...LAST,
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
  expect(stage.points).toEqual([...OPEN, ...calling(1), ...RESULT, 'postTurn', ...CLOSE]);
  expect(stage.result).toMatchObject({ status: 'cancelled', outcome: 'cancelled' });
});
