import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Point } from '../../../sdk/points.ts';
import type { Context } from '../../../src/verdict.ts';
import { openScenes, type Stage } from '../scenes.ts';
import { mountOf } from './mount.ts';

const EVENTS = [
  'session:start',
  'provider:request',
  'llm:request',
  'provider:response',
  'llm:response',
  'provider:retry',
  'provider:throttle',
  'provider:error',
  'provider:resolve',
  'tool:pre',
  'content_block:delta',
] as const;

/** Writes what every event carries into the store, as observers cannot answer. */
const WATCHER = mountOf(`
  for (const event of ${JSON.stringify(EVENTS)})
    hooks.register(event, async (name, data, ctx) => {
      await ctx.store.put('seen', data.mark ?? ctx.session.id, {
        at: name, id: data.request_id ?? null, current: coordinator.current_request_id() });
    }, 0, 'watcher');
  hooks.register('llm:request', async (name, data, ctx) => {
    await ctx.store.put('keys', ctx.session.id, Object.keys(data).sort());
  }, 0, 'keys');
  hooks.register('provider:request', async (name, data, ctx) => {
    await ctx.store.put('provider', ctx.session.id, { id: data.request_id ?? null });
  }, 0, 'provider');`);

const MESSAGES = { messages: [{ role: 'user', content: 'hi' }] };
const RETRY = { error: 'slow', attempt: 1, maxAttempts: 3, delayMs: 5, model: 'm' };

let stage: Stage;
beforeAll(async () => {
  const points: Point[] = [
    'sessionStart',
    'preModelCall',
    'postModelCall',
    'preRetry',
    'error',
    'event',
    'preToolUse',
    'onToken',
  ];
  stage = await openScenes('amplifier', {
    watcher: {
      module: WATCHER,
      points,
      manifest: {
        capabilities: ['reads_context', 'reads_output', 'reads_tool_io', 'store:write'],
        when: {},
      },
    },
  });
}, 120_000);
afterAll(() => stage.remove());

/** The id of the event that a session last saw. */
async function idAt(session: string): Promise<string | null> {
  const row = (await stage.runtime.store.get('seen', session)) as { id: string | null } | null;
  return row?.id ?? null;
}

/** The steps of model calls in one asynchronous task, each with the id that its event carries. */
function task(session: string, context: Context = {}) {
  const fire = async (point: Point, payload: object): Promise<string | null> => {
    await stage.runtime.fire(point, payload, { sessionId: session, ...context });
    return idAt(session);
  };
  return {
    request: (more: object = {}) => fire('preModelCall', { ...MESSAGES, ...more }),
    response: (more: object = {}) =>
      fire('postModelCall', { response: { role: 'assistant', content: 'x' }, ...more }),
    retry: (more: object = {}) => fire('preRetry', { ...RETRY, ...more }),
    error: () => fire('error', { message: 'timeout', where: 'model' }),
    throttle: () => fire('event', { name: 'provider:throttle', data: {} }),
    resolve: () => fire('event', { name: 'provider:resolve', data: {} }),
    tool: () => fire('preToolUse', { toolName: 'a', args: {} }),
    delta: () => fire('onToken', { text: 'x' }),
    start: () => fire('sessionStart', { sessionId: session }),
  };
}

const UUID4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test('[AP58a] llm:request without an id gets a uuid4 and opens the call', async () => {
  const call = task('opens');
  const first = await call.request();
  expect(first).toMatch(UUID4);
  await call.response();
  expect(await call.request()).not.toBe(first);
});

test('[AP58b] llm:response has the same id and closes the call', async () => {
  const call = task('closes');
  const id = await call.request();
  expect(await call.response()).toBe(id);
  expect(await call.response()).toBeNull();
  expect(await call.throttle()).toBeNull();
});

test('[AP58c] provider:error has the id and closes the call', async () => {
  const call = task('error');
  const id = await call.request();
  expect(await call.error()).toBe(id);
  expect(await call.response()).toBeNull();
});

test('[AP58d] provider:retry and provider:throttle have the id and leave the call open', async () => {
  const call = task('retry');
  const id = await call.request();
  expect([await call.retry(), await call.throttle(), await call.response()]).toEqual([id, id, id]);
});

test('[AP58e] other events carry none', async () => {
  const call = task('others');
  await call.request();
  expect(await stage.runtime.store.get('provider', 'others')).toEqual({ id: null });
  expect([await call.tool(), await call.start(), await call.delta(), await call.resolve()]).toEqual(
    [null, null, null, null],
  );
  await call.response();
});

test('[AP58f] calls of concurrent tasks have ids of their own, however they interleave', async () => {
  const pairs = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      const call = task(`task-${index}`);
      const id = await call.request();
      if (index % 2 === 0) await call.retry();
      return [id, await call.response()];
    }),
  );
  for (const [request, response] of pairs) expect(response).toBe(request);
  expect(new Set(pairs.map(([id]) => id)).size).toBe(20);
});

test('[AP58g] an id that the caller gives wins and holds for the rest of the call', async () => {
  const call = task('explicit');
  expect(await call.request({ requestId: 'upstream-42' })).toBe('upstream-42');
  expect(await call.retry()).toBe('upstream-42');
  expect(await call.response()).toBe('upstream-42');
  expect(await call.retry({ requestId: 'later' })).toBe('later');
  expect(await call.response()).toBe('later');
});

test('[AP58h] without an open call nothing is made up', async () => {
  const call = task('lone');
  expect([await call.response(), await call.retry(), await call.error()]).toEqual([
    null,
    null,
    null,
  ]);
});

test('[AP58i] the id adds to the data and takes nothing from it', async () => {
  const call = task('additive');
  await call.request();
  expect(await stage.runtime.store.get('keys', 'additive')).toEqual([
    'attempt',
    'messages',
    'request_id',
    'system_prompt',
    'timestamp',
    'tools',
  ]);
  await call.response();
});

test('[AP59] current_request_id gives the id of the call that is handled, and null outside of one', async () => {
  const call = task('current');
  const id = await call.request();
  const row = (await stage.runtime.store.get('seen', 'current')) as { current: string | null };
  expect(row.current).toBe(id);
  await call.response();
  await call.tool();
  expect(await stage.runtime.store.get('seen', 'current')).toMatchObject({ current: null });
});
