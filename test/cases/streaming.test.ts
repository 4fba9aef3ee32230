import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openServer } from '../../src/server/server.ts';
import { openTemporary, type TemporaryRuntime } from '../runtime/temporary-runtime.ts';
import { play } from '../loop/stages.ts';

let temporary: TemporaryRuntime;

beforeAll(async () => {
  temporary = await openTemporary({
    redactor: {
      run: `({ action: 'modify', payload: { text: payload.text.replace(/\\d{3}-\\d{2}-\\d{4}/g, '***') } })`,
      manifest: { points: ['preOutput'], when: { sessions: ['e01'] } },
    },
    forbid: {
      run: `payload.text.includes('FORBIDDEN') ? ({ action: 'block', reason: 'not allowed' }) : ({ action: 'allow' })`,
      manifest: { points: ['preOutput'], when: { sessions: ['e03', 'e06'] } },
    },
    slow: {
      run: `new Promise((resolve) => setTimeout(() => resolve({ action: 'allow' }), 5))`,
      manifest: { points: ['preOutput'], when: { sessions: ['e04'] } },
    },
    onTools: {
      run: `({ action: 'allow' })`,
      manifest: { points: ['preToolUse'], when: { sessions: ['am18'] } },
    },
  });
}, 120_000);

afterAll(() => temporary.remove());

test('[E01] a number is never shown in clear, wherever the stream is cut', async () => {
  const text = 'SSN 123-45-6789 ok';
  const cuts = fc.subarray(Array.from(text, (_, index) => index).slice(1));
  await fc.assert(
    fc.asyncProperty(cuts, async (at) => {
      const chunks = [0, ...at].map((start, index) => text.slice(start, at[index] ?? text.length));
      const { events, result } = await play(temporary.runtime, [{ chunks }], { sessionId: 'e01' });
      expect(JSON.stringify(events)).not.toContain('123-45-6789');
      expect(result.text).toBe('SSN *** ok');
    }),
    { numRuns: 12 },
  );
}, 120_000);

test('[E03] every way in comes to the same decision, and each leaves one record', async () => {
  const text = 'this is FORBIDDEN';
  for (const stream of [true, false]) {
    const { result } = await play(temporary.runtime, [{ text }], { sessionId: 'e03', stream });
    expect(result).toMatchObject({ outcome: 'blocked', text: 'not allowed' });
  }
  const context = { sessionId: 'e03' };
  const verdict = await temporary.runtime.fire('preOutput', { text }, context);
  expect(verdict).toMatchObject({ action: 'block', reason: 'not allowed' });
  const server = await openServer(temporary.runtime, {
    host: '127.0.0.1',
    port: 0,
    payloadBytes: null,
    version: '0',
  });
  try {
    const response = await fetch(`${server.url}/v1/points/preOutput`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ payload: { text }, context }),
    });
    expect(await response.json()).toMatchObject({ action: 'block', reason: 'not allowed' });
  } finally {
    await server.close();
  }
  const { records } = await temporary.runtime.records.query({ session: 'e03' });
  expect(records).toHaveLength(4);
}, 120_000);

test('[E04] a hook at preOutput runs once for an answer, however many pieces it comes in', async () => {
  const chunks = Array.from({ length: 186 }, (_, index) => `t${index} `);
  const { points, shown } = await play(temporary.runtime, [{ chunks }], { sessionId: 'e04' });
  expect(points.filter((point) => point === 'preOutput')).toHaveLength(1);
  expect(shown).toBe(chunks.join(''));
}, 60_000);

test('[E06] nothing of a blocked answer is left in result, history or events', async () => {
  const stage = await play(temporary.runtime, [{ text: 'a FORBIDDEN word' }], { sessionId: 'e06' });
  const left = [stage.result, stage.events, await stage.history.load('e06')];
  expect(JSON.stringify(left)).not.toContain('FORBIDDEN');
  expect((await stage.history.load('e06')).at(-1)?.content).toBe('not allowed');
}, 60_000);

test('[AM18] hooks on tools do not cost the user the stream, unless strictBuffering says so', async () => {
  const chunks = ['a', 'b', 'c'];
  const options = { sessionId: 'am18' };
  const streamed = await play(temporary.runtime, [{ chunks }], options);
  expect(streamed.events.filter(({ type }) => type === 'token')).toHaveLength(3);
  const strict = await play(temporary.runtime, [{ chunks }], { ...options, strictBuffering: true });
  expect(strict.events.filter(({ type }) => type === 'token')).toHaveLength(1);
  expect(strict.shown).toBe('abc');
}, 60_000);
