import type { FastifyInstance } from 'fastify';

import { SignalboxError } from '../../sdk/errors.ts';
import type { ObjectSchema } from '../../sdk/json-schema.ts';
import { printable } from '../config/printable.ts';
import type { LiveRuntime } from '../live-runtime.ts';
import type { DecisionRecord } from '../records/record.ts';
import type { RecordQuery, Records } from '../records/records.ts';
import { answers } from './openapi.ts';

const NAME = { type: 'string', minLength: 1, maxLength: 256 } as const;
const TIME = {
  type: 'string',
  maxLength: 40,
  description: 'ISO 8601, or milliseconds since 1970',
} as const;

const QUERY_SCHEMA = {
  type: 'object',
  properties: {
    since: TIME,
    until: { ...TIME, description: 'Excluded' },
    hook: NAME,
    package: NAME,
    version: NAME,
    point: NAME,
    action: NAME,
    code: NAME,
    session: NAME,
    turn: NAME,
    toolCall: NAME,
    fire: { ...NAME, description: 'The id of a verdict' },
    role: { enum: ['culprit', 'bystander'] },
    wouldBlock: { enum: ['true', 'false'] },
    limit: { type: 'string', maxLength: 4, description: '1 to 1000; 100, if absent' },
    before: { ...NAME, description: 'The "next" of the page before' },
  },
  additionalProperties: false,
} as const satisfies ObjectSchema;

type Query = { readonly [K in keyof typeof QUERY_SCHEMA.properties]?: string };

const PARAMS = { type: 'object', properties: { id: NAME } } as const;

/** Adds the routes that show what hooks decided. */
export function addDecisionRoutes(app: FastifyInstance, runtime: LiveRuntime): void {
  app.get<{ Querystring: Query }>('/v1/decisions', {
    config: { role: 'operator' },
    schema: {
      operationId: 'listDecisions',
      summary: 'List what hooks did besides letting calls pass, newest first',
      querystring: QUERY_SCHEMA,
      response: answers('Decisions', 400, 401, 403, 429, 503),
    },
    handler: async ({ query }) => runtime.records.query(filterOf(query)),
  });
  app.get<{ Params: { readonly id: string } }>('/v1/decisions/:id', {
    config: { role: 'operator' },
    schema: {
      operationId: 'showDecision',
      summary: 'Show a record or a fire by its id, with everything that happened in that fire',
      params: PARAMS,
      response: answers('Decision', 400, 401, 403, 404, 429, 503),
    },
    handler: async ({ params: { id } }) => {
      const record = await recordedAs(runtime.records, id);
      const fire = record?.fireId ?? id;
      const trace = runtime.feed.find(fire);
      const { records: siblings } = await runtime.records.query({ fire, order: 'oldest' });
      if (record === undefined && trace === undefined && siblings.length === 0) {
        throw new SignalboxError('decision_unknown', { id: printable(id, 64) });
      }
      return { ...(record && { record }), ...(trace && { trace }), siblings };
    },
  });
}

async function recordedAs(records: Records, id: string): Promise<DecisionRecord | undefined> {
  try {
    return await records.find(id);
  } catch (error) {
    if (error instanceof SignalboxError && error.code === 'record_unknown') return undefined;
    throw error;
  }
}

function filterOf({ since, until, wouldBlock, limit, ...equal }: Query): RecordQuery {
  return {
    ...equal,
    since: timeOf(since, 'since'),
    until: timeOf(until, 'until'),
    ...(wouldBlock !== undefined && { wouldBlock: wouldBlock === 'true' }),
    ...(limit !== undefined && { limit: Number(limit) }),
  };
}

function timeOf(text: string | undefined, key: string): number | undefined {
  if (text === undefined) return undefined;
  const time = /^\d{1,16}$/.test(text) ? Number(text) : Date.parse(text);
  if (Number.isFinite(time)) return time;
  throw new SignalboxError('request_invalid', { detail: `"${key}" is no time` });
}
