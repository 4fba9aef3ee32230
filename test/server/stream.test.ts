import type { ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';

import { fastify } from 'fastify';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

import { openTemporary, type TemporaryRuntime } from '../runtime/temporary-runtime.ts';
import { addDecisionStream } from '../../src/server/decision-stream.ts';
import { createKeyring, readTokens, type ServerToken } from '../../src/server/tokens.ts';
import { serve, TOKENS, type Served } from './served.ts';

let temporary: TemporaryRuntime;
let served: Served;

beforeAll(async () => {
  temporary = await openTemporary(
    {
      guard: {
        run: `payload.toolName === 'bad'
          ? { action: 'block', reason: 'No\\nid: 1\\nevent: forged' } : { action: 'allow' }`,
      },
      watcher: {
        run: `payload.toolName === 'odd' ? { action: 'block' } : { action: 'allow' }`,
        manifest: { priority: 1 },
      },
    },
    { hooks: { mode: { watcher: 'shadow' } } },
  );
  served = await serve(temporary.runtime);
});
afterAll(async () => {
  await served.server.close();
  await temporary.remove();
});

interface Event {
  readonly id?: string;
  readonly event: string;
  readonly data: { readonly fireId?: string } & Readonly<Record<string, unknown>>;
}

/** A client that gathers events. */
async function follow(query = '?recent=0', headers: Record<string, string> = {}, from = served) {
  const leaving = new AbortController();
  const path = `/v1/decisions/stream${query}`;
  const response = await from.fetch(path, { headers, signal: leaving.signal });
  const events: Event[] = [];
  let hasEnded = false;
  const read = async (): Promise<void> => {
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      events.push(...blocks.filter((block) => !block.startsWith(':')).map(parse));
    }
  };
  const reading = read()
    .catch(() => undefined)
    .finally(() => (hasEnded = true));
  return {
    response,
    events,
    hasEnded: () => hasEnded,
    async leave() {
      leaving.abort();
      await reading;
    },
  };
}

function parse(block: string): Event {
  const fields = Object.fromEntries(
    block.split('\n').map((line) => {
      const colon = line.indexOf(': ');
      return [line.slice(0, colon), line.slice(colon + 2)];
    }),
  );
  const { id, event = '', data = '{}' } = fields;
  return { ...(id !== undefined && { id }), event, data: JSON.parse(data) as Event['data'] };
}

function decisionsOf(events: readonly Event[]): readonly Event[] {
  return events.filter(({ event }) => event === 'decision');
}

async function fire(toolName: string): Promise<string> {
  return (await temporary.runtime.fire('preToolUse', { toolName, args: { secret: 's3cr3t' } })).id;
}

const WAIT = { timeout: 20_000 };

test('fires come as they happen, with their ids and without anything of their payloads', async () => {
  const client = await follow();
  expect(client.response.headers.get('content-type')).toContain('text/event-stream');
  expect(client.response.headers.get('cache-control')).toBe('no-store');
  const ids = [await fire('fine'), await fire('bad')];
  await expect.poll(() => decisionsOf(client.events).length, WAIT).toBe(2);
  const decisions = decisionsOf(client.events);
  expect(decisions.map(({ id }) => id)).toEqual(ids);
  expect(decisions.map(({ data }) => data)).toMatchObject([
    { fireId: ids[0], action: 'allow', hooks: [{ hook: 'guard', action: 'allow' }] },
    { fireId: ids[1], action: 'block', reason: expect.stringContaining('forged') },
  ]);
  expect(client.events.map(({ event }) => event)).not.toContain('forged');
  expect(JSON.stringify(client.events)).not.toContain('s3cr3t');
  await client.leave();
});

test('without plain fires only those come in which something happened, in shadow mode too', async () => {
  const client = await follow('?recent=0&plain=false');
  await fire('fine');
  const odd = await fire('odd');
  const bad = await fire('bad');
  // What the shadow hook would have done comes with its fire, or after it.
  await expect
    .poll(() => new Set(client.events.map(({ data }) => data.fireId)), WAIT)
    .toEqual(new Set([odd, bad]));
  const shadowed = client.events.find(({ data }) => data.fireId === odd)?.data;
  const [run] = [shadowed?.['run'], shadowed?.['shadow']]
    .flat()
    .filter((each) => each !== undefined);
  expect(run).toMatchObject({ hook: 'watcher', action: 'block' });
  await client.leave();
});

test('the newest fires come first on demand, oldest first', async () => {
  const ids = [await fire('fine'), await fire('fine')];
  const client = await follow('?recent=2');
  await expect.poll(() => decisionsOf(client.events).map(({ id }) => id), WAIT).toEqual(ids);
  await client.leave();
});

test('a client that comes back is given what it missed, or told that it is gone', async () => {
  const last = await fire('fine');
  const missed = [await fire('fine'), await fire('bad')];
  const back = await follow('', { 'last-event-id': last });
  await expect.poll(() => decisionsOf(back.events).map(({ id }) => id), WAIT).toEqual(missed);
  await back.leave();
  const late = await follow('?recent=1', { 'last-event-id': 'long-gone' });
  await expect.poll(() => decisionsOf(late.events).map(({ id }) => id), WAIT).toEqual([missed[1]]);
  expect(late.events[0]).toMatchObject({ event: 'missed', data: { count: null } });
  await late.leave();
});

test('a request for the head alone opens no stream', async () => {
  const { status } = await served.fetch('/v1/decisions/stream', { method: 'HEAD' });
  expect(status).toBe(405);
});

test('at most 64 streams are open, and one that ends makes room', async () => {
  const clients = await Promise.all(Array.from({ length: 64 }, () => follow()));
  const refused = await served.call('/v1/decisions/stream');
  expect(refused).toMatchObject({ status: 503, body: { error: { code: 'streams_full' } } });
  await Promise.all(clients.slice(1).map((client) => client.leave()));
  await expect
    .poll(async () => {
      const client = await follow();
      await client.leave();
      return client.response.status;
    }, WAIT)
    .toBe(200);
  await clients[0]?.leave();
});

test('a client that never reads is cut, and nobody waits for it', async () => {
  const socket = connect(served.server.port, '127.0.0.1');
  socket.pause();
  socket.write('GET /v1/decisions/stream?recent=0 HTTP/1.1\r\nhost: localhost\r\n\r\n');
  let isCut = false;
  socket.on('error', () => (isCut = true)).on('close', () => (isCut = true));
  const reader = await follow('?recent=0&plain=false');
  // A paused socket does not learn of its end: writing to it does.
  await expect
    .poll(() => {
      fill(2000);
      socket.write('\r\n');
      return isCut;
    }, WAIT)
    .toBe(true);
  const id = await fire('bad');
  await expect.poll(() => reader.events.map((event) => event.id), WAIT).toContain(id);
  await reader.leave();
});

/** Fires of which each is 2 kB in a stream. */
function fill(count: number): void {
  for (let index = 0; index < count; index += 1) {
    temporary.runtime.feed.observer.onVerdict({
      fireId: `fill-${index}`,
      point: 'preToolUse',
      startTime: Date.now(),
      ms: 1,
      action: 'allow',
      reason: 'x'.repeat(2000),
      hooks: [],
      notRun: [],
    });
  }
}

test('a stream ends once its token is taken away, and goes on where a reload left the token as it was', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  let tokens: readonly ServerToken[] = [...readOne('first'), ...readOne('second')];
  const other = await serve(temporary.runtime, { tokens: () => tokens });
  const [gone, stays] = [
    await follow('', { authorization: `Bearer ${TOKENS.admin}` }, other),
    await follow('', { authorization: `Bearer ${TOKENS.operator}` }, other),
  ];
  // As a reload reads them anew.
  tokens = readOne('second');
  vi.advanceTimersByTime(15_000);
  vi.useRealTimers();
  await expect.poll(gone.hasEnded, WAIT).toBe(true);
  const id = await fire('fine');
  await expect.poll(() => stays.events.map((event) => event.id), WAIT).toContain(id);
  expect(stays.hasEnded()).toBe(false);
  await stays.leave();
  await other.server.close();
});

function readOne(name: 'first' | 'second'): readonly ServerToken[] {
  const env = name === 'first' ? 'admin' : 'operator';
  return readTokens([{ name, role: 'operator', env }], TOKENS);
}

test('a stream whose token is gone is written to no more, and cut if its client does not read', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const { feed } = temporary.runtime;
  let tokens = readOne('first');
  const responses: ServerResponse[] = [];
  const app = fastify();
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => JSON.stringify);
  app.addHook('onRequest', async (request, reply) => {
    request.caller = tokens[0]?.caller;
    responses.push(reply.raw);
  });
  addDecisionStream(
    app,
    feed,
    createKeyring(undefined, () => tokens),
  );
  await app.listen({ port: 0, host: '127.0.0.1' });
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined).pause();
  socket.write('GET /v1/decisions/stream?recent=0 HTTP/1.1\r\nhost: localhost\r\n\r\n');
  const publish = async (): Promise<number> => {
    fill(20);
    feed.flush();
    // What the network takes is gone by then; an error of a write, which nobody would catch, has come.
    await new Promise(setImmediate);
    return responses[0]?.writableLength ?? 0;
  };
  await expect.poll(publish, { ...WAIT, interval: 1 }).toBeGreaterThan(100_000);
  tokens = readOne('second');
  vi.advanceTimersByTime(15_000);
  const [response] = responses;
  const atEnd = response?.writableLength;
  for (let index = 0; index < 3; index += 1) await publish();
  expect(response).toMatchObject({ writableEnded: true, destroyed: false, writableLength: atEnd });
  vi.advanceTimersByTime(15_000);
  vi.useRealTimers();
  expect(response?.destroyed).toBe(true);
  await app.close();
  socket.destroy();
});

test('a stopping server ends its streams', async () => {
  const other = await serve(temporary.runtime, { drainMs: 60_000 });
  const client = await follow('', {}, other);
  await other.server.close();
  await expect.poll(client.hasEnded, WAIT).toBe(true);
});
