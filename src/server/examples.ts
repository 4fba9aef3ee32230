/** What a call of an operation sends and what comes back, in short. */
interface OperationExample {
  readonly body?: unknown;
  readonly answer: unknown;
}

const RUN = {
  hook: 'refund-guard',
  package: '@acme/refunds',
  version: '2.1.0',
  action: 'block',
  reason: 'Refunds over 100 need a person',
  ms: 0.4,
  modified: false,
};

const TRACE = {
  fireId: 'pZ3kq0-7v',
  point: 'preToolUse',
  time: '2026-03-02T09:14:07.120Z',
  ms: 1.1,
  action: 'block',
  hook: 'refund-guard',
  reason: 'Refunds over 100 need a person',
  sessionId: 's-81',
  turnId: '3',
  hooks: [RUN],
  notRun: ['audit-trail'],
  shadow: [],
};

const RECORD = {
  id: '6a1f3c0e-0a53-4b6e-9a35-0f0f3f0f4c11',
  time: '2026-03-02T09:14:07.121Z',
  point: 'preToolUse',
  hook: 'refund-guard',
  action: 'block',
  durationMs: 0.4,
  wouldBlock: false,
  fireId: 'pZ3kq0-7v',
  package: '@acme/refunds',
  version: '2.1.0',
  reason: 'Refunds over 100 need a person',
  sessionId: 's-81',
  turnId: '3',
};

const FAULT = {
  fault: {
    hook: 'refund-guard',
    fault: 'timeout',
    by: 'jane',
    startedAt: '2026-03-02T09:14:07.121Z',
    calls: 20,
    met: 20,
    ended: 'calls',
    points: [{ point: 'preToolUse', calls: 20, got: { block: 20 }, codes: { timeout: 20 } }],
  },
};

const ROW = {
  hook: 'refund-guard',
  origin: { kind: 'package', name: '@acme/refunds', version: '2.1.0' },
  sandbox: 'isolate',
  contract: 'signalbox',
  capabilities: {
    declared: ['reads_tool_io', 'gates_tools'],
    granted: ['reads_tool_io', 'gates_tools'],
    missing: [],
  },
  points: [{ point: 'preToolUse', failPolicy: 'closed', order: 1 }],
  priority: 0,
  timeoutMs: 1500,
  memoryMb: 32,
  mode: 'enforce',
  state: 'live',
  config: { limit: 100 },
};

const INVENTORY = { hooks: [ROW], absent: [], warnings: [], masked: [], health: 'ok' };

const CALL = { toolName: 'refund', args: { amount: 250 } };

const APPROVAL = {
  id: 'apr_b2Zm7uT1',
  status: 'pending',
  point: 'preToolUse',
  hook: 'refund-guard',
  toolName: 'refund',
  sessionId: 's-81',
  hash: '9c1f…',
  createdAt: '2026-03-02T09:14:07.120Z',
  expiresAt: '2026-03-02T09:19:07.120Z',
};

const OUTCOME = {
  action: 'block',
  reason: 'Refunds over 100 need a person',
  input: CALL,
  output: CALL,
  modified: false,
  blocked: true,
  notRun: [],
  logs: [{ hook: 'refund-guard', line: 'amount is over the limit' }],
};

/** By operation of the OpenAPI document. */
export const EXAMPLES: Readonly<Record<string, OperationExample>> = {
  health: { answer: { status: 'ok', reasons: [] } },
  ready: { answer: { ready: true } },
  metrics: { answer: 'signalbox_hook_calls_total{hook="refund-guard",point="preToolUse"} 41\n' },
  me: { answer: { name: 'ops', role: 'operator', version: '0.1.0' } },
  overview: {
    answer: {
      health: 'ok',
      reasons: [],
      startedAt: '2026-03-02T08:00:00.000Z',
      approvalsWaiting: 1,
      points: [
        {
          point: 'preToolUse',
          calls: 41,
          withoutHook: 0,
          despiteFailure: 0,
          hooks: [
            {
              hook: 'refund-guard',
              order: 1,
              failPolicy: 'closed',
              mode: 'enforce',
              state: 'live',
            },
          ],
        },
      ],
      hooks: [
        {
          hook: 'refund-guard',
          package: '@acme/refunds',
          version: '2.1.0',
          sandbox: 'isolate',
          mode: 'enforce',
          state: 'live',
          calls: 41,
          failures: 0,
          failuresLastHour: 0,
          p50Ms: 0.4,
          p99Ms: 1.9,
        },
      ],
    },
  },
  coverage: {
    answer: {
      points: [{ point: 'preToolUse', calls: 41, withoutHook: 0, hooks: 2 }],
      openPaths: [{ point: 'preInput', source: 'webhook', isSubAgent: false, withoutHook: 3 }],
      hooksNeverRun: [{ hook: 'audit-trail', point: 'postToolUse', calls: 0 }],
      pointsWithoutHook: ['preInput'],
      passedWithoutHook: 3,
      passedDespiteFailure: 0,
    },
  },
  inventory: { answer: INVENTORY },
  hooks: { answer: INVENTORY },
  hook: {
    answer: {
      row: ROW,
      manifest: {
        name: 'refund-guard',
        points: ['preToolUse'],
        capabilities: ['reads_tool_io', 'gates_tools'],
      },
      limits: { timeoutMs: 1500, memoryMb: 32 },
      latency: {
        bucketsMs: [1, 10],
        series: [
          {
            time: '2026-03-02T09:14:00.000Z',
            calls: 41,
            failures: 0,
            p50Ms: 0.4,
            p99Ms: 1.9,
            counts: [38, 3, 0],
          },
        ],
      },
      failures: [],
    },
  },
  setMode: { body: { mode: 'enforce' }, answer: { hook: 'refund-guard', mode: 'enforce' } },
  reload: {
    answer: {
      changed: [{ kind: 'hook', name: 'refund-guard', change: 'changed' }],
      needsRestart: [],
    },
  },
  hookMetrics: {
    answer: {
      metrics: [
        {
          hook: 'refund-guard',
          point: 'preToolUse',
          calls: 41,
          panics: 0,
          timeouts: 0,
          total_ms: 20.5,
          avg_ms: 0.5,
          last_error: null,
        },
      ],
    },
  },
  hookBag: { answer: { keys: [{ key: 'risk', producers: ['score'], consumers: [] }] } },
  injectFault: {
    body: { hook: 'refund-guard', fault: 'timeout', calls: 20, reason: 'The drill of March' },
    answer: FAULT,
  },
  showFault: { answer: FAULT },
  endFault: { answer: FAULT },
  acts: {
    answer: {
      acts: [
        {
          time: '2026-03-02T09:14:07.121Z',
          by: 'jane',
          act: 'session hook attached',
          target: 'observer',
          detail: 'session s-81',
        },
      ],
    },
  },
  sessionHooks: { answer: { hooks: ['observer'] } },
  grantHook: { answer: { hooks: ['observer'] } },
  revokeHook: { answer: { hooks: [] } },
  sessionTranscript: {
    answer: {
      lines: [
        {
          time: '2026-03-02T09:14:07.121Z',
          kind: 'hook',
          metadata: { point: 'preToolUse', hook: 'refund-guard', action: 'block' },
        },
      ],
    },
  },
  fire: {
    body: { payload: CALL, context: { sessionId: 's-81', turnId: '3' }, deadlineMs: 10_000 },
    answer: {
      id: 'pZ3kq0-7v',
      action: 'block',
      hook: 'refund-guard',
      reason: 'Refunds over 100 need a person',
      payload: CALL,
      isModified: false,
      inject: [],
      notices: [],
      outputs: {},
      trace: [{ hook: 'refund-guard', action: 'block', ms: 0.4 }],
      notRun: ['audit-trail'],
    },
  },
  points: {
    answer: [
      {
        point: 'preInput',
        summary: 'When a user has sent something, before anything happens with it',
        kind: 'gate',
        decisions: ['allow', 'block', 'ask', 'modify', 'result'],
        writable: ['text', 'attachments'],
        payloadSchema: { type: 'object' },
        examplePayload: { text: 'text' },
      },
    ],
  },
  testHooks: {
    body: { point: 'preToolUse', payload: CALL },
    answer: {
      ...OUTCOME,
      code: null,
      hooks: [{ name: 'refund-guard', action: 'block', code: null }],
    },
  },
  tryHooks: {
    body: { point: 'preToolUse', payload: CALL },
    answer: {
      ...OUTCOME,
      hooks: [{ name: 'refund-guard', action: 'block', ms: 0.4 }],
      verdict: {},
    },
  },
  replay: {
    body: { recording: '{"messages":[{"role":"user","content":"Hello"}]}' },
    answer: {
      calls: [{ line: 1, conversation: 'recording:1', point: 'preInput', action: 'allow' }],
      problems: [],
      counts: { conversations: 1, calls: 0, fires: 1, decisions: 0, failures: 0, problems: 0 },
      isCut: false,
    },
  },
  listDecisions: { answer: { records: [RECORD], next: '1772442847121-981' } },
  showDecision: { answer: { record: RECORD, trace: TRACE, siblings: [RECORD] } },
  streamDecisions: { answer: `id: pZ3kq0-7v\nevent: decision\ndata: ${JSON.stringify(TRACE)}\n\n` },
  listApprovals: { answer: { approvals: [APPROVAL] } },
  showApproval: {
    answer: {
      ...APPROVAL,
      question: {
        prompt: 'Refund 250?',
        reason: 'Refunds over 100 need a person',
        options: ['Allow once', 'Deny'],
        payload: CALL,
        changes: [{ hook: 'currency', path: '/args/currency', after: 'EUR' }],
      },
    },
  },
  answerApproval: {
    body: { answer: 'Allow once', note: 'Checked with the customer', by: 'jane' },
    answer: { ...APPROVAL, status: 'granted', answeredBy: 'jane (ops)' },
  },
  redeemApproval: {
    body: { payload: CALL, sessionId: 's-81' },
    answer: { ok: true, released: { action: 'allow' }, note: 'Checked with the customer' },
  },
  packages: {
    answer: {
      packages: [
        {
          package: '@acme/refunds',
          version: '2.1.0',
          integrity: 'locked',
          provenance: { signature: 'verified', attestation: 'absent' },
          consent: { by: 'jane', at: '2026-03-01T10:00:00.000Z' },
          hooks: ['refund-guard'],
          capabilities: [
            {
              hook: 'refund-guard',
              capability: 'gates_tools',
              declared: true,
              granted: true,
              used: 3,
              lastUsed: '2026-03-02',
            },
          ],
        },
      ],
      findings: [],
      history: [
        {
          time: '2026-03-01T10:00:00.000Z',
          who: 'jane',
          what: 'add',
          package: '@acme/refunds',
          version: '2.1.0',
        },
      ],
    },
  },
  revokeGrant: {
    answer: { package: '@acme/refunds', capability: 'gates_tools', granted: false },
  },
  restoreGrant: { answer: { package: '@acme/refunds', capability: 'gates_tools', granted: true } },
};
