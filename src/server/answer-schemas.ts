import { ACTION_NAMES } from '../../sdk/decisions.ts';
import { FAIL_POLICIES } from '../../sdk/manifest.ts';
import type { ObjectSchema, Schema } from '../../sdk/json-schema.ts';
import { POINT_NAMES } from '../../sdk/points.ts';

const TEXT = { type: 'string' } as const;
const TEXTS = { type: 'array', items: TEXT } as const;
const FLAG = { type: 'boolean' } as const;
const COUNT = { type: 'integer', minimum: 0 } as const;
const MS = { type: 'number', minimum: 0 } as const;
const OPEN = { type: 'object' } as const;
const ACTION = { enum: ACTION_NAMES } as const;
const POINT = { enum: POINT_NAMES } as const;
const MODE = { enum: ['enforce', 'shadow'] } as const;
const STATE = { enum: ['live', 'failing'] } as const;
const TIME = { ...TEXT, description: 'ISO 8601 in UTC' } as const;

/** An object with these keys and no others. */
function object(
  required: Readonly<Record<string, Schema>>,
  optional: Readonly<Record<string, Schema>> = {},
): ObjectSchema {
  return {
    type: 'object',
    properties: { ...required, ...optional },
    required: Object.keys(required),
    additionalProperties: false,
  };
}

function list(items: Schema): Schema {
  return { type: 'array', items };
}

const ORIGIN = object({ kind: { enum: ['local', 'package'] }, name: TEXT, version: TEXT });

const REASONS = list(object({ hook: TEXT, code: TEXT, message: TEXT }));

const RUN = object(
  { hook: TEXT, action: ACTION, ms: MS, modified: FLAG },
  { package: TEXT, version: TEXT, code: TEXT, reason: TEXT },
);

const TRACE = object(
  {
    fireId: TEXT,
    point: POINT,
    time: TIME,
    ms: MS,
    action: ACTION,
    hooks: list(RUN),
    notRun: TEXTS,
    shadow: { ...list(RUN), description: 'What hooks in shadow mode would have done' },
  },
  {
    sessionId: TEXT,
    turnId: TEXT,
    agentId: TEXT,
    toolCallId: TEXT,
    toolName: TEXT,
    hook: { ...TEXT, description: 'Whose decision it is' },
    code: TEXT,
    reason: TEXT,
    approvalId: TEXT,
  },
);

const RECORD = object(
  { id: TEXT, time: TIME, point: TEXT, hook: TEXT, action: TEXT, durationMs: MS, wouldBlock: FLAG },
  {
    fireId: TEXT,
    package: TEXT,
    version: TEXT,
    code: TEXT,
    reason: TEXT,
    sessionId: TEXT,
    turnId: TEXT,
    toolCallId: TEXT,
    role: TEXT,
  },
);

const INVENTORY_ROW = object(
  {
    hook: TEXT,
    origin: ORIGIN,
    sandbox: TEXT,
    contract: TEXT,
    capabilities: object({ declared: TEXTS, granted: TEXTS, missing: TEXTS }),
    points: list(object({ point: POINT, failPolicy: { enum: FAIL_POLICIES }, order: COUNT })),
    priority: { type: 'number' },
    timeoutMs: MS,
    memoryMb: MS,
    mode: MODE,
    state: STATE,
    config: OPEN,
  },
  { label: TEXT, description: TEXT, failure: object({ code: TEXT, detail: TEXT }) },
);

const APPROVAL = object(
  {
    id: TEXT,
    status: {
      enum: ['pending', 'granted', 'denied', 'expired', 'used', 'cancelled', 'forged'],
    },
    point: TEXT,
    hook: TEXT,
    hash: { ...TEXT, description: 'Of exactly what will run' },
    createdAt: TIME,
    expiresAt: TIME,
  },
  { toolName: TEXT, sessionId: TEXT, turnId: TEXT, toolCallId: TEXT, answeredBy: TEXT },
);

const QUESTION = object({
  prompt: TEXT,
  reason: TEXT,
  options: TEXTS,
  payload: OPEN,
  changes: list(object({ hook: TEXT, path: TEXT }, { before: {}, after: {} })),
});

const HOOKS_OF_SESSION = object({ hooks: { type: 'array', items: {} } });

/** What routes answer with 200, by the names that these schemas have in the OpenAPI document. */
export const ANSWERS = {
  Ready: object({ ready: FLAG }),
  Me: object({ name: TEXT, role: { enum: ['agent', 'operator', 'admin'] }, version: TEXT }),
  Overview: object({
    health: { enum: ['ok', 'degraded'] },
    reasons: REASONS,
    startedAt: TIME,
    approvalsWaiting: COUNT,
    points: list(
      object({
        point: POINT,
        calls: { ...COUNT, description: 'Since the start, those without a hook included' },
        withoutHook: COUNT,
        despiteFailure: { ...COUNT, description: 'Calls that went on although a hook failed' },
        hooks: list(
          object({
            hook: TEXT,
            order: COUNT,
            failPolicy: { enum: FAIL_POLICIES },
            mode: MODE,
            state: STATE,
          }),
        ),
      }),
    ),
    hooks: list(
      object(
        {
          hook: TEXT,
          sandbox: TEXT,
          mode: MODE,
          state: STATE,
          calls: { ...COUNT, description: 'Since the start' },
          failures: COUNT,
          failuresLastHour: COUNT,
          p50Ms: { ...MS, description: 'Of the last hour' },
          p99Ms: MS,
        },
        { package: TEXT, version: TEXT },
      ),
    ),
  }),
  Coverage: object({
    points: list(object({ point: POINT, calls: COUNT, withoutHook: COUNT, hooks: COUNT })),
    openPaths: {
      ...list(object({ point: POINT, source: TEXT, isSubAgent: FLAG, withoutHook: COUNT })),
      description: 'By which ways calls came in that no enforced hook looked at',
    },
    hooksNeverRun: list(object({ hook: TEXT, point: POINT, calls: COUNT })),
    pointsWithoutHook: { type: 'array', items: POINT },
    passedWithoutHook: COUNT,
    passedDespiteFailure: COUNT,
  }),
  HookDetail: object({
    row: INVENTORY_ROW,
    manifest: OPEN,
    limits: object({ timeoutMs: MS, memoryMb: MS }),
    latency: object({
      bucketsMs: { type: 'array', items: MS, description: 'Upper bounds; counts have one more' },
      series: list(
        object({
          time: TIME,
          calls: COUNT,
          failures: COUNT,
          p50Ms: MS,
          p99Ms: MS,
          counts: { type: 'array', items: COUNT },
        }),
      ),
    }),
    failures: list(RECORD),
  }),
  ModeOfHook: object({ hook: TEXT, mode: MODE }),
  Reload: object({
    changed: list(
      object({
        kind: { enum: ['hook', 'setting'] },
        name: TEXT,
        change: { enum: ['added', 'removed', 'changed'] },
      }),
    ),
    needsRestart: { ...TEXTS, description: 'Keys whose changes hold after a restart alone' },
  }),
  Decisions: object(
    { records: list(RECORD) },
    { next: { ...TEXT, description: 'The "before" of the next page' } },
  ),
  Decision: object(
    { siblings: { ...list(RECORD), description: 'Every record of the fire, oldest first' } },
    { record: RECORD, trace: TRACE },
  ),
  Trace: TRACE,
  Approvals: object({ approvals: list(APPROVAL) }),
  Approval: { ...APPROVAL, properties: { ...APPROVAL.properties, question: QUESTION } },
  Redemption: object(
    { ok: FLAG },
    {
      released: object(
        { action: ACTION },
        { result: {}, isError: FLAG, feedback: TEXT, text: TEXT },
      ),
      note: TEXT,
      code: TEXT,
      reason: TEXT,
    },
  ),
  Packages: object({
    packages: list(
      object(
        {
          package: TEXT,
          version: TEXT,
          integrity: { enum: ['locked', 'own', 'tampered', 'missing', 'unlocked'] },
          hooks: TEXTS,
          capabilities: list(
            object(
              { hook: TEXT, capability: TEXT, declared: FLAG, granted: FLAG, used: COUNT },
              { lastUsed: { ...TEXT, description: 'A day in UTC' } },
            ),
          ),
        },
        { provenance: object({ signature: TEXT, attestation: TEXT }), consent: OPEN },
      ),
    ),
    findings: list(
      object(
        {
          kind: TEXT,
          weight: { enum: ['drift', 'warning', 'notice'] },
          package: TEXT,
          detail: TEXT,
        },
        { hook: TEXT },
      ),
    ),
    history: list(
      object(
        { time: TIME, who: TEXT, what: TEXT, package: TEXT },
        { version: TEXT, capabilities: TEXTS },
      ),
    ),
  }),
  GrantState: object({ package: TEXT, capability: TEXT, granted: FLAG }),
  Points: list(
    object(
      {
        point: POINT,
        summary: TEXT,
        kind: { enum: ['gate', 'transform', 'observe'] },
        decisions: { type: 'array', items: ACTION },
        writable: TEXTS,
        payloadSchema: OPEN,
        examplePayload: OPEN,
      },
      { onBlock: TEXT },
    ),
  ),
  TestOutcome: object(
    {
      action: ACTION,
      input: OPEN,
      output: OPEN,
      modified: FLAG,
      blocked: FLAG,
      hooks: list(
        object({ name: TEXT, action: ACTION, ms: MS }, { code: TEXT, reason: TEXT, detail: TEXT }),
      ),
      notRun: TEXTS,
      logs: list(object({ hook: TEXT, line: TEXT })),
      verdict: OPEN,
    },
    { reason: TEXT, code: TEXT },
  ),
  Replay: object({
    calls: list(
      object(
        { line: COUNT, conversation: TEXT, point: POINT, action: ACTION },
        { call: COUNT, tool: TEXT, hook: TEXT, code: TEXT, reason: TEXT },
      ),
    ),
    problems: list(object({ code: TEXT, message: TEXT })),
    counts: object({
      conversations: COUNT,
      calls: COUNT,
      fires: COUNT,
      decisions: COUNT,
      failures: COUNT,
      problems: COUNT,
    }),
    isCut: { ...FLAG, description: 'Whether more rows were left out than are listed' },
  }),
  HookMetrics: object({ metrics: list(OPEN) }),
  Bag: object({ keys: list(OPEN) }),
  SessionHooks: HOOKS_OF_SESSION,
  Chaos: object(
    {},
    {
      fault: object(
        {
          hook: TEXT,
          fault: TEXT,
          by: TEXT,
          startedAt: TIME,
          calls: COUNT,
          met: { ...COUNT, description: 'Calls that it has met' },
          points: list(object({ point: POINT, calls: COUNT, got: OPEN, codes: OPEN })),
        },
        { ended: { enum: ['calls', 'time', 'request', 'change'] } },
      ),
    },
  ),
  Acts: object({
    acts: list(object({ time: TIME, by: TEXT, act: TEXT, target: TEXT, detail: TEXT })),
  }),
  Transcript: object({ lines: list(OPEN) }),
} as const satisfies Readonly<Record<string, Schema>>;

/** A key of {@link ANSWERS}. */
export type AnswerName = keyof typeof ANSWERS;
