import type { FastifyInstance } from 'fastify';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';

import { SignalboxError } from '../../sdk/errors.ts';
import type { ObjectSchema } from '../../sdk/json-schema.ts';
import type { Feed, FeedBatch } from '../feed/feed.ts';
import { isPlain, type FireTrace } from '../feed/trace.ts';
import { textAnswers } from './openapi.ts';
import type { ApiCaller } from './roles.ts';
import type { Keyring } from './tokens.ts';

const QUERY_SCHEMA = {
  type: 'object',
  properties: {
    plain: {
      enum: ['true', 'false'],
      description: 'false: without fires that every hook let pass as they were',
    },
    recent: {
      type: 'string',
      maxLength: 3,
      description: 'How many of the newest fires come first, 0 to 999; 100, if absent',
    },
  },
  additionalProperties: false,
} as const satisfies ObjectSchema;

interface StreamRequest {
  readonly Querystring: { readonly plain?: 'true' | 'false'; readonly recent?: string };
}

/** Streams at a time. */
const MAX_STREAMS = 64;

/** What may wait for a client that does not read; then it is cut. */
const MAX_WAITING_BYTES = 1024 * 1024;

const HEARTBEAT_MS = 15_000;

interface Stream {
  readonly response: ServerResponse;
  readonly caller: ApiCaller | undefined;
  readonly isPlainToo: boolean;
}

/** Adds the route on which fires are seen as they happen. A stream ends when the server stops or its token goes. */
export function addDecisionStream(app: FastifyInstance, feed: Feed, keys: Keyring): void {
  const streams = new Set<Stream>();
  // Nothing may be written to them any more, though they close only once their clients have read all.
  const ending = new Set<ServerResponse>();

  function end(stream: Stream): void {
    streams.delete(stream);
    ending.add(stream.response);
    stream.response.end();
  }

  function beat(): void {
    // Who has not read the rest since the last beat does not read.
    for (const response of ending) response.destroy();
    for (const stream of streams) {
      if (keys.knows(stream.caller)) send(stream, ': still here\n\n');
      else end(stream);
    }
  }

  function send({ response }: Stream, text: string): void {
    // Looked at before, so that one long text is no fault of a client that reads.
    if (response.writableLength > MAX_WAITING_BYTES) response.destroy();
    else if (text !== '' && !response.writableEnded) response.write(text);
  }

  function publish(batch: FeedBatch): void {
    // Written once for all streams.
    const texts = new Map<boolean, string>();
    for (const stream of streams) {
      const { isPlainToo } = stream;
      const text = texts.get(isPlainToo) ?? batchText(batch, isPlainToo);
      texts.set(isPlainToo, text);
      send(stream, text);
    }
  }

  let leave: (() => void) | undefined;
  let heart: NodeJS.Timeout | undefined;
  function join(stream: Stream): void {
    streams.add(stream);
    leave ??= feed.subscribe(publish);
    heart ??= setInterval(beat, HEARTBEAT_MS).unref();
    const { response } = stream;
    // A client that is gone is no fault: 'close' follows.
    response.on('error', () => undefined);
    response.once('close', () => {
      streams.delete(stream);
      ending.delete(response);
      if (streams.size + ending.size > 0) return;
      leave?.();
      leave = undefined;
      clearInterval(heart);
      heart = undefined;
    });
  }

  app.get<StreamRequest>('/v1/decisions/stream', {
    config: { role: 'operator' },
    // It would wait for events that nobody is sent.
    exposeHeadRoute: false,
    schema: {
      operationId: 'streamDecisions',
      summary: 'Follow fires as they happen, as server-sent events',
      description:
        'Event "decision" has a Trace as its data and the fire as its id; "shadow" has what a hook in shadow mode would have done in an earlier fire; "missed" says that fires are left out. A client that does not read is cut.',
      querystring: QUERY_SCHEMA,
      response: textAnswers('text/event-stream', 400, 401, 403, 429, 503),
    },
    handler: (request, reply) => {
      const { plain, recent = '100' } = request.query;
      if (!/^\d+$/.test(recent)) {
        throw new SignalboxError('request_invalid', { detail: '"recent" is no number' });
      }
      if (streams.size >= MAX_STREAMS) throw new SignalboxError('streams_full');
      feed.flush();
      const last = request.headers['last-event-id'];
      const missed = typeof last === 'string' ? feed.after(last) : undefined;
      const first = missed ?? feed.newest(Number(recent)).toReversed();
      const { caller } = request;
      const stream = { response: reply.raw, caller, isPlainToo: plain !== 'false' };
      reply.hijack();
      // A client that is gone already would never be told to leave.
      if (reply.raw.destroyed) return;
      reply.raw.writeHead(200, {
        // Fastify's type also has numbers and absent values, which node takes as well.
        ...(reply.getHeaders() as OutgoingHttpHeaders),
        'content-type': 'text/event-stream; charset=utf-8',
        // Proxies that gather bytes would hold events back.
        'x-accel-buffering': 'no',
      });
      const gap = last !== undefined && missed === undefined ? missedText(null) : '';
      join(stream);
      send(stream, `: signalbox\n\n${gap}${firesText(first, stream.isPlainToo)}`);
    },
  });
  app.addHook('preClose', async () => {
    for (const stream of streams) end(stream);
  });
}

function batchText({ fires, shadow, missed }: FeedBatch, isPlainToo: boolean): string {
  const gap = missed === 0 ? '' : missedText(missed);
  const runs = shadow
    .filter(({ run }) => isPlainToo || run.action !== 'allow' || run.code !== undefined)
    .map((news) => eventText('shadow', news));
  return `${gap}${firesText(fires, isPlainToo)}${runs.join('')}`;
}

function firesText(fires: readonly FireTrace[], isPlainToo: boolean): string {
  return fires
    .filter((fire) => isPlainToo || !isPlain(fire))
    .map((fire) => `id: ${fire.fireId}\n${eventText('decision', fire)}`)
    .join('');
}

/** `null` where nobody knows how many. */
function missedText(count: number | null): string {
  return eventText('missed', { count });
}

/** JSON has no line breaks outside of strings, and escapes those within. */
function eventText(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
