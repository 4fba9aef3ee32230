import type { FastifyInstance } from 'fastify';

import { POINT_NAMES, POINTS, type Point } from '../../sdk/points.ts';
import type { LiveRuntime } from '../live-runtime.ts';
import { readRecordedText, type RecordingEntry } from '../replay/recording.ts';
import { replay } from '../replay/replay.ts';
import type { TestRequest } from '../runtime.ts';
import { samplePayload } from '../testing/sample-payload.ts';
import { answers } from './openapi.ts';
import { pointOf } from './point-name.ts';
import { TEST_SCHEMA } from './schemas.ts';

const REPLAY_SCHEMA = {
  type: 'object',
  properties: {
    recording: {
      type: 'string',
      minLength: 1,
      description: 'Conversations as JSON lines, a JSON array or one {"messages"} document',
    },
  },
  required: ['recording'],
  additionalProperties: false,
} as const;

/** Rows of one answer. */
const MAX_ROWS = 5000;

/** Problems of one answer; the rest is counted. */
const MAX_PROBLEMS = 100;

/** Adds the routes on which payloads and recordings are tried on the hooks, without leaving a trace. */
export function addTryRoutes(app: FastifyInstance, runtime: LiveRuntime): void {
  app.get('/v1/points', {
    config: { role: 'agent' },
    schema: {
      operationId: 'points',
      summary: 'List the points with their payloads and what hooks may decide there',
      response: answers('Points', 401, 403, 429, 503),
    },
    handler: async () => POINT_NAMES.map(shownPoint),
  });
  app.post<{ Body: TestRequest }>('/v1/test', {
    config: { role: 'operator' },
    schema: {
      operationId: 'tryHooks',
      summary: 'Run one hook or the chain of a point on a payload, and show all of what came of it',
      body: TEST_SCHEMA,
      response: answers('TestOutcome', 400, 401, 403, 404, 413, 415, 429, 500, 503),
    },
    handler: async ({ body }) => {
      pointOf(body.point);
      return runtime.test(body);
    },
  });
  app.post<{ Body: { readonly recording: string } }>('/v1/replay', {
    config: { role: 'operator' },
    schema: {
      operationId: 'replay',
      summary: 'Show what the hooks would do to recorded conversations',
      body: REPLAY_SCHEMA,
      response: answers('Replay', 400, 401, 403, 413, 415, 429, 500, 503),
    },
    handler: async ({ body }, reply) => {
      const gone = new AbortController();
      const onClose = (): void => gone.abort();
      reply.raw.once('close', onClose);
      try {
        return await replayed(runtime, body.recording, gone.signal);
      } finally {
        reply.raw.off('close', onClose);
      }
    },
  });
}

function shownPoint(point: Point): object {
  const { fires, kind, decisions, writable, payload, onBlock } = POINTS[point];
  return {
    point,
    summary: `When ${fires}`,
    kind,
    decisions,
    writable,
    ...(onBlock !== undefined && { onBlock }),
    payloadSchema: payload,
    examplePayload: samplePayload(point, { text: 'text', open: 'value', isFull: true }),
  };
}

async function replayed(
  runtime: LiveRuntime,
  recording: string,
  signal: AbortSignal,
): Promise<object> {
  const calls: object[] = [];
  const problems: object[] = [];
  // Trials keep nothing and fire no hook in earnest.
  const trying = {
    fire: async <P extends Point>(point: P, payload: unknown, context = {}) => {
      const { verdict } = await runtime.test({ point, payload, context });
      // The verdict of a chain has the payload of the chain's point.
      return verdict as Awaited<ReturnType<typeof runtime.fire<P>>>;
    },
    endSession: () => undefined,
  };
  const lines = new Map<string, number>();
  async function* entries(): AsyncGenerator<RecordingEntry> {
    for await (const entry of readRecordedText(recording)) {
      if ('conversation' in entry) {
        const { conversation } = entry;
        lines.set(conversation.id, lines.get(conversation.id) ?? conversation.lineOf(0));
      }
      yield entry;
    }
  }
  const counts = await replay(trying, entries(), {
    signal,
    onDecision: ({ conversation, point, action, ...rest }) => {
      if (calls.length >= MAX_ROWS) return;
      const known = Object.entries(rest).filter(([, value]) => value !== null);
      const line = lines.get(conversation) ?? 0;
      calls.push({ line, conversation, point, action, ...Object.fromEntries(known) });
    },
    onProblem: ({ code, message }) => {
      if (problems.length < MAX_PROBLEMS) problems.push({ code, message });
    },
  });
  return { calls, problems, counts, isCut: counts.fires > calls.length };
}
