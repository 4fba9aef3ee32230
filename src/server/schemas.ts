import { ACTION_NAMES } from '../../sdk/decisions.ts';
import { ERRORS, FAILURES } from '../../sdk/errors.ts';
import type { ObjectSchema, Schema } from '../../sdk/json-schema.ts';
import { POINT_NAMES, POINTS, type Point } from '../../sdk/points.ts';
import { SOURCE } from '../../sdk/points/schemas.ts';

const TEXT = { type: 'string' } as const;
const NAME = { type: 'string', minLength: 1, maxLength: 256 } as const;
const NAMES = { type: 'array', items: NAME, maxItems: 10_000 } as const;
const AMOUNT = { type: 'number', minimum: 0 } as const;
const FLAG = { type: 'boolean' } as const;
const OBJECT = { type: 'object' } as const;

/** The longest that a caller may let a verdict take. */
const MAX_DEADLINE_MS = 600_000;

/** Where in an agent's life a point fires, as a caller over HTTP says it. */
const CONTEXT_SCHEMA = {
  title: 'Context',
  description: 'Where in the life of an agent the point fires',
  type: 'object',
  properties: {
    sessionId: { ...NAME, description: 'Without one, the call is a session of its own' },
    turnId: NAME,
    requestId: NAME,
    execution: {
      description: 'Side, step and prompt of the execution, in contracts that have them',
      type: 'object',
      properties: {
        side: { enum: ['a', 'b'] },
        step: { ...AMOUNT, type: 'integer' },
        prompt: NAME,
        isAtRest: FLAG,
        messageHistory: { type: 'array', items: OBJECT },
      },
      additionalProperties: false,
    },
    agent: {
      type: 'object',
      properties: {
        id: NAME,
        template: NAME,
        parent: NAME,
        depth: { ...AMOUNT, type: 'integer' },
        tools: NAMES,
      },
      required: ['id'],
      additionalProperties: false,
    },
    caller: {
      description: 'Who is behind the call, as the agent loop verified it; hooks rely on it',
      type: 'object',
      properties: { userId: NAME, source: SOURCE, orgId: NAME },
      additionalProperties: false,
    },
    toolSchema: { ...OBJECT, description: 'JSON Schema that changed arguments are held against' },
    toolSchemas: {
      ...OBJECT,
      description: 'Schemas of tools that a call may be changed to, by name',
    },
    budget: {
      type: 'object',
      properties: { total: AMOUNT, spent: AMOUNT, remaining: AMOUNT },
      required: ['total', 'spent', 'remaining'],
      additionalProperties: false,
    },
    canAsk: {
      ...FLAG,
      description:
        'Whether the caller waits for a person where a hook asks: false makes it a block; absent, "approvals.enabled" says whether somebody can be asked',
    },
  },
  additionalProperties: false,
} as const satisfies ObjectSchema;

/** The body of a fire. What the payload must be is said by the point. */
export const FIRE_SCHEMA = {
  type: 'object',
  properties: {
    payload: OBJECT,
    context: CONTEXT_SCHEMA,
    deadlineMs: {
      type: 'integer',
      minimum: 1,
      maximum: MAX_DEADLINE_MS,
      description: 'After this time the call is ended and answered with 504',
    },
  },
  required: ['payload'],
  additionalProperties: false,
} as const satisfies ObjectSchema;

/** The body of a test. */
export const TEST_SCHEMA = {
  type: 'object',
  properties: {
    point: { ...TEXT, description: POINT_NAMES.join(', ') },
    hookName: { ...NAME, description: 'Without one, the whole chain of the point runs' },
    payload: OBJECT,
    context: CONTEXT_SCHEMA,
  },
  required: ['point', 'payload'],
  additionalProperties: false,
} as const satisfies ObjectSchema;

const ACTION = { enum: ACTION_NAMES } as const;
const TEXT_OR_NULL = { anyOf: [TEXT, { type: 'null' }] } as const;
const RECORDS = { type: 'array', items: OBJECT } as const;

/** What a chain decided. */
export const VERDICT_SCHEMA = {
  $id: 'Verdict',
  type: 'object',
  properties: {
    id: TEXT,
    action: ACTION,
    reason: TEXT,
    code: { ...TEXT, description: "Why, when it is no hook's own decision" },
    hook: { ...TEXT, description: 'Whose decision it is' },
    payload: { ...OBJECT, description: 'What the caller goes on with' },
    isModified: FLAG,
    result: {},
    isError: FLAG,
    feedback: TEXT,
    text: TEXT,
    inject: RECORDS,
    notices: RECORDS,
    outputs: OBJECT,
    retry: OBJECT,
    endsRun: FLAG,
    approval: OBJECT,
    trace: RECORDS,
    notRun: { type: 'array', items: TEXT },
  },
  required: [
    'id',
    'action',
    'payload',
    'isModified',
    'inject',
    'notices',
    'outputs',
    'trace',
    'notRun',
  ],
} as const satisfies ObjectSchema;

/** What a test came to. */
export const TEST_REPORT_SCHEMA = {
  $id: 'TestReport',
  type: 'object',
  properties: {
    action: ACTION,
    reason: TEXT_OR_NULL,
    code: TEXT_OR_NULL,
    input: OBJECT,
    output: OBJECT,
    modified: FLAG,
    blocked: FLAG,
    hooks: {
      type: 'array',
      items: {
        type: 'object',
        properties: { name: TEXT, action: ACTION, code: TEXT_OR_NULL },
        required: ['name', 'action', 'code'],
      },
    },
    notRun: { type: 'array', items: TEXT },
    logs: {
      type: 'array',
      items: { type: 'object', properties: { hook: TEXT, line: TEXT }, required: ['hook', 'line'] },
    },
  },
  required: [
    'action',
    'reason',
    'code',
    'input',
    'output',
    'modified',
    'blocked',
    'hooks',
    'notRun',
    'logs',
  ],
} as const satisfies ObjectSchema;

/** Every hook, and every one that is not live and why. */
export const INVENTORY_SCHEMA = {
  $id: 'Inventory',
  type: 'object',
  properties: {
    hooks: RECORDS,
    absent: RECORDS,
    warnings: RECORDS,
    masked: RECORDS,
    fault: { type: 'object' },
    health: { enum: ['ok', 'degraded'] },
  },
  required: ['hooks', 'absent', 'warnings', 'masked', 'health'],
} as const satisfies ObjectSchema;

/** Whether the server works as configured. */
export const HEALTH_SCHEMA = {
  $id: 'Health',
  type: 'object',
  properties: {
    status: { enum: ['ok', 'degraded'] },
    reasons: {
      type: 'array',
      items: {
        type: 'object',
        properties: { hook: TEXT, code: TEXT, message: TEXT },
        required: ['hook', 'code', 'message'],
      },
    },
  },
  required: ['status', 'reasons'],
} as const satisfies ObjectSchema;

/** What every answer but 200 holds. */
export const ERROR_SCHEMA = {
  $id: 'Error',
  type: 'object',
  properties: {
    error: {
      type: 'object',
      properties: {
        code: { enum: [...Object.keys(ERRORS), ...Object.keys(FAILURES)] },
        message: TEXT,
        hint: { ...TEXT, description: 'The one action that mends it' },
      },
      required: ['code', 'message', 'hint'],
    },
  },
  required: ['error'],
} as const satisfies ObjectSchema;

/** The name of a point's payload among the components of the document. */
export function payloadName(point: Point): string {
  return `Payload.${point}`;
}

/** The payload of a point as a caller hands it in: what has a default may be left out. */
export function payloadSchema(point: Point): Schema {
  const { payload, fires } = POINTS[point];
  const required = (payload.required ?? []).filter(
    (key) => payload.properties[key]?.default === undefined,
  );
  return {
    ...payload,
    $id: payloadName(point),
    title: point,
    description: `When ${fires}`,
    required,
  };
}
