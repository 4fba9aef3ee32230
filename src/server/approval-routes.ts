import type { FastifyInstance } from 'fastify';

import type { ObjectSchema } from '../../sdk/json-schema.ts';
import type { Approvals } from '../approvals/approval.ts';
import type { Payload } from '../chain/call.ts';
import { answers } from './openapi.ts';
import { actorOf } from './roles.ts';

const TEXT = { type: 'string' } as const;
const ID = { type: 'string', minLength: 1, maxLength: 64 } as const;
const STATUS = { enum: ['pending', 'granted', 'denied', 'used'] } as const;

const ANSWER_SCHEMA = {
  type: 'object',
  properties: {
    answer: {
      ...TEXT,
      maxLength: 200,
      description: 'Only "Allow", "Allow once" and "Allow always" grant',
    },
    note: { ...TEXT, maxLength: 4000, description: 'Goes to the model' },
    by: {
      ...TEXT,
      maxLength: 200,
      description: 'Who answered; the records have the token beside it',
    },
  },
  required: ['answer'],
  additionalProperties: false,
} as const satisfies ObjectSchema;

const REDEEM_SCHEMA = {
  type: 'object',
  properties: {
    payload: { type: 'object' },
    sessionId: { ...TEXT, minLength: 1, maxLength: 256 },
  },
  required: ['payload'],
  additionalProperties: false,
} as const satisfies ObjectSchema;

const FILTER_SCHEMA = {
  type: 'object',
  properties: { status: STATUS, sessionId: { ...TEXT, maxLength: 256 } },
  additionalProperties: false,
} as const satisfies ObjectSchema;

const PARAMS = { type: 'object', properties: { id: ID } } as const;

const ERRORS = [400, 401, 403, 404, 409, 413, 415, 429, 500, 503] as const;

interface ById {
  readonly Params: { readonly id: string };
}

interface ListRequest {
  readonly Querystring: NonNullable<Parameters<Approvals['list']>[0]>;
}

interface AnswerRequest extends ById {
  readonly Body: { readonly answer: string; readonly note?: string; readonly by?: string };
}

interface RedeemRequest extends ById {
  readonly Body: { readonly payload: Payload; readonly sessionId?: string };
}

/** Adds the routes by which people answer what hooks ask, and loops use what was granted. */
export function addApprovalRoutes(app: FastifyInstance, approvals: Approvals): void {
  app.get<ListRequest>('/v1/approvals', {
    config: { role: 'operator' },
    schema: {
      operationId: 'listApprovals',
      summary: 'List what was asked, newest first',
      querystring: FILTER_SCHEMA,
      response: answers('Approvals', ...ERRORS),
    },
    handler: async ({ query }) => ({ approvals: await approvals.list(query) }),
  });
  app.get<ById>('/v1/approvals/:id', {
    config: { role: 'operator' },
    schema: {
      operationId: 'showApproval',
      summary: 'Show a question with the call as it would run and what hooks changed in it',
      params: PARAMS,
      response: answers('Approval', ...ERRORS),
    },
    handler: async ({ params }) => approvals.show(params.id),
  });
  app.post<AnswerRequest>('/v1/approvals/:id/answer', {
    config: { role: 'operator' },
    schema: {
      operationId: 'answerApproval',
      summary: 'Answer a question, once and in its time',
      params: PARAMS,
      body: ANSWER_SCHEMA,
      response: answers('Approval', ...ERRORS),
    },
    handler: async ({ params, body, caller }) =>
      approvals.answer(params.id, { ...body, by: actorOf(caller, body.by) }),
  });
  app.post<RedeemRequest>('/v1/approvals/:id/redeem', {
    config: { role: 'agent' },
    schema: {
      operationId: 'redeemApproval',
      summary: 'Use a grant, once, for exactly what was asked; only "ok": true lets the call run',
      params: PARAMS,
      body: REDEEM_SCHEMA,
      response: answers('Redemption', ...ERRORS),
    },
    handler: async ({ params, body: { payload, sessionId } }) =>
      approvals.redeem(params.id, payload, { sessionId }),
  });
}
