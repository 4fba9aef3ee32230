import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { openTemporary, type TemporaryRuntime } from '../runtime/temporary-runtime.ts';
import { serve, type Answer, type Served } from './served.ts';

interface Media {
  readonly schema: object;
  readonly example?: unknown;
}

interface Operation {
  readonly operationId: string;
  readonly 'x-role': string;
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<
    Record<string, { readonly content: Readonly<Record<string, Media>> }>
  >;
}

interface Route {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

let temporary: TemporaryRuntime;
let served: Served;
let ajv: Ajv2020;
let routes: ReadonlyMap<string, Route>;

beforeAll(async () => {
  temporary = await openTemporary(
    {
      guard: {
        run: `payload.toolName === 'refund'
          ? { action: 'block', reason: 'Not without a person' } : { action: 'allow' }`,
      },
      watcher: { run: '({ action: "block" })', manifest: { priority: 1 } },
      asker: {
        run: 'payload.text === "ask" ? { action: "ask", reason: "Really?" } : { action: "allow" }',
        manifest: { points: ['preInput'] },
      },
      thrower: {
        run: '{ throw new Error("no") }',
        manifest: { points: ['preTurn'], label: 'Throws' },
      },
      homely: { home: 'local', manifest: { points: ['postTurn'] } },
      broken: { home: 'local', manifest: { points: ['nowhere'] } },
      attached: {
        home: 'local',
        module: 'export function after_turn() {}',
        manifest: { points: ['postTurn'], contract: 'agent-os', global: false },
      },
    },
    { approvals: { enabled: true }, hooks: { mode: { watcher: 'shadow' } } },
  );
  served = await serve(temporary.runtime);
  const { body: document } = await served.call('/openapi.json');
  ajv = new Ajv2020({ strict: false, allErrors: true });
  ajv.addSchema({ ...document, $id: 'document' });
  const paths = document['paths'] as Record<string, Record<string, Operation>>;
  routes = new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [
        operation.operationId,
        { method: method.toUpperCase(), path, operation },
      ]),
    ),
  );
});
afterAll(async () => {
  await served.server.close();
  await temporary.remove();
});

/** What is wrong with a value under a schema of the document. */
function misfits(schema: object, value: unknown): unknown[] {
  const text = JSON.stringify(schema).replaceAll('"#/components', '"document#/components');
  const validate = ajv.compile(JSON.parse(text) as object);
  return validate(value) ? [] : (validate.errors ?? []);
}

/** Sends the example of an operation, or what stands in its place, and holds the answer against the document. */
async function tryOut(
  id: string,
  { path, body, query = '' }: { path?: string; body?: unknown; query?: string } = {},
): Promise<Answer> {
  const route = routes.get(id);
  if (route === undefined) throw new Error(`no operation ${id}`);
  const example = route.operation.requestBody?.content['application/json']?.example;
  const { status, body: answer } = await served.call(`${path ?? route.path}${query}`, {
    method: route.method,
    ...((body ?? example) !== undefined && { body: body ?? example }),
  });
  expect([id, status, answer.error]).toEqual([id, 200, undefined]);
  const media = route.operation.responses['200']?.content['application/json'];
  expect([id, misfits(media?.schema ?? {}, answer)]).toEqual([id, []]);
  tried.add(id);
  return answer;
}

const tried = new Set<string>();

/** Operations whose answers are no JSON. */
const TEXTS = ['metrics', 'streamDecisions'];

test('every operation says who may call it, and its examples fit its own schemas', () => {
  expect(routes.size).toBeGreaterThan(25);
  for (const [id, { operation }] of routes) {
    expect([id, operation['x-role']]).toEqual([
      id,
      expect.stringMatching(/^(open|agent|operator|admin)$/),
    ]);
    const medias = [operation.requestBody, operation.responses['200']].flatMap((part) =>
      Object.values(part?.content ?? {}),
    );
    expect([id, medias.length > 0]).toEqual([id, true]);
    for (const { schema, example } of medias) {
      expect([id, example]).not.toEqual([id, undefined]);
      expect([id, misfits(schema, example)]).toEqual([id, []]);
    }
  }
});

describe('the server answers as its document says', () => {
  test.each([
    'health',
    'ready',
    'me',
    'overview',
    'coverage',
    'inventory',
    'hooks',
    'hookMetrics',
    'hookBag',
    'points',
    'testHooks',
    'tryHooks',
    'replay',
    'packages',
    'listApprovals',
  ])('%s', async (id) => {
    await tryOut(id);
  });

  test('fire, and what is known of it afterwards', async () => {
    const path = '/v1/points/preToolUse';
    const verdict = await tryOut('fire', { path });
    const { records } = (await tryOut('listDecisions', {
      query: '?hook=guard&wouldBlock=false&limit=1',
    })) as {
      records: [{ id: string }];
    };
    expect(records).toMatchObject([{ hook: 'guard', fireId: verdict['id'] }]);
    const [record] = records;
    for (const id of [record.id, String(verdict['id'])]) {
      const detail = await tryOut('showDecision', { path: `/v1/decisions/${id}` });
      expect(detail).toMatchObject({
        trace: { fireId: verdict['id'], hooks: [{ hook: 'guard' }] },
      });
      expect(detail['siblings']).toContainEqual(record);
    }
    const unknown = await served.call('/v1/decisions/nothing');
    expect(unknown).toMatchObject({ status: 404, body: { error: { code: 'decision_unknown' } } });
    const { lines } = await tryOut('sessionTranscript', { path: '/v1/sessions/s-81/transcript' });
    expect(lines).toContainEqual({
      time: expect.any(String),
      kind: 'hook',
      metadata: { point: 'before_tool_call', hook: 'guard', action: 'deny', turn: '3' },
    });
  });

  test('a hook with its failures', async () => {
    await served.call('/v1/points/preTurn', { body: { payload: { turn: 1, messages: [] } } });
    const detail = await tryOut('hook', { path: '/v1/hooks/thrower' });
    expect(detail).toMatchObject({
      row: { hook: 'thrower', label: 'Throws' },
      manifest: { name: 'thrower', points: ['preTurn'] },
      latency: { series: [{ calls: 1, failures: 1 }] },
      failures: [{ hook: 'thrower', code: 'thrown' }],
    });
    const overview = await tryOut('overview');
    expect(overview).toMatchObject({ health: 'degraded', reasons: [{ hook: 'broken' }] });
    expect(overview['hooks']).toContainEqual(
      expect.objectContaining({ hook: 'thrower', calls: 1, failures: 1, failuresLastHour: 1 }),
    );
  });

  test('questions and answers', async () => {
    const sent = { payload: { text: 'ask' }, context: { sessionId: 's' } };
    const { body } = await served.call('/v1/points/preInput', { body: sent });
    const { id } = body['approval'] as { id: string };
    const path = `/v1/approvals/${id}`;
    expect(await tryOut('showApproval', { path })).toMatchObject({
      question: { reason: 'Really?' },
    });
    await tryOut('answerApproval', { path: `${path}/answer` });
    const { payload } = body;
    const redeemed = await tryOut('redeemApproval', { path: `${path}/redeem`, body: { payload } });
    expect(redeemed).toMatchObject({ ok: true });
    const again = await tryOut('redeemApproval', { path: `${path}/redeem`, body: { payload } });
    expect(again).toMatchObject({ ok: false, code: 'approval_replayed' });
  });

  test('grants, modes, sessions and a reload', async () => {
    const grant = '/v1/packages/plain/grants/injects_context';
    await tryOut('revokeGrant', { path: grant });
    await tryOut('restoreGrant', { path: grant });
    expect(await tryOut('packages')).toMatchObject({
      history: [
        { what: 'restore', who: 'local' },
        { what: 'revoke', who: 'local' },
      ],
    });
    await tryOut('setMode', { path: '/v1/hooks/watcher/mode' });
    expect(temporary.runtime.inventory().hooks).toContainEqual(
      expect.objectContaining({ hook: 'watcher', mode: 'enforce' }),
    );
    const session = '/v1/sessions/s/hooks/attached';
    await tryOut('grantHook', { path: session });
    await tryOut('sessionHooks', { path: '/v1/sessions/s/hooks' });
    await tryOut('revokeHook', { path: session });
    await tryOut('reload');
    const { acts } = await tryOut('acts');
    expect(acts).toMatchObject([
      { by: 'local', act: 'reload applied', target: '' },
      { by: 'local', act: 'session hook detached', target: 'attached', detail: 'session s' },
      { by: 'local', act: 'session hook attached', target: 'attached', detail: 'session s' },
      { by: 'local', act: 'mode enforce', target: 'watcher' },
      { by: 'local', act: 'grant restore', target: 'plain', detail: 'injects_context' },
      { by: 'local', act: 'grant revoke', target: 'plain', detail: 'injects_context' },
    ]);
  });

  test('a fault that is injected, shown and ended, and health says so', async () => {
    const order = { hook: 'guard', fault: 'throw', calls: 20 };
    expect(await tryOut('injectFault', { body: order })).toMatchObject({ fault: { by: 'local' } });
    const call = { payload: { toolName: 'list' } };
    const { body } = await served.call('/v1/points/preToolUse', { body: call });
    expect(body).toMatchObject({ action: 'block', code: 'thrown' });
    const { reasons } = await tryOut('health');
    expect(reasons).toContainEqual({
      hook: 'guard',
      code: 'fault_injected',
      message: 'local has it fail (throw): 1 of 20 calls so far',
    });
    const { reasons: shown } = await tryOut('overview');
    expect(shown).toContainEqual(expect.objectContaining({ code: 'fault_injected' }));
    expect(await tryOut('showFault')).toMatchObject({ fault: { met: 1 } });
    expect(await tryOut('endFault')).toMatchObject({ fault: { ended: 'request' } });
  });

  test('and nothing that is documented was left out', () => {
    expect([...routes.keys()].filter((id) => !tried.has(id) && !TEXTS.includes(id))).toEqual([]);
  });
});

test('metrics are in the Prometheus text format', async () => {
  const response = await served.fetch('/metrics');
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  expect(await response.text()).toContain('signalbox_hook_calls_total{hook="guard"');
});

test('the last failures of a hook are shown however many records came after them', async () => {
  const { records } = temporary.runtime;
  const record = { hook: 'watcher', point: 'preToolUse', action: 'block', durationMs: 1 } as const;
  await records.append({ ...record, code: 'crash' });
  await Promise.all(Array.from({ length: 600 }, () => records.append(record)));
  const { body } = await served.call('/v1/hooks/watcher');
  expect(body['failures']).toMatchObject([{ hook: 'watcher', code: 'crash' }]);
});

test('a recording is replayed without leaving a trace', async () => {
  const call = {
    id: 'c1',
    type: 'function',
    function: { name: 'refund', arguments: '{"amount":250}' },
  };
  const messages = [
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: null, tool_calls: [call] },
  ];
  const before = await temporary.runtime.records.query();
  const recording = `\n${JSON.stringify({ id: 'talk', messages })}\nnonsense\n`;
  const answer = await tryOut('replay', { body: { recording } });
  expect(answer).toMatchObject({
    counts: { conversations: 1, problems: 1 },
    problems: [{ code: 'conversation_invalid' }],
  });
  expect(answer['calls']).toContainEqual({
    line: 2,
    conversation: 'talk',
    call: 0,
    point: 'preToolUse',
    tool: 'refund',
    action: 'block',
    hook: 'guard',
    reason: 'Not without a person',
  });
  expect(await temporary.runtime.records.query()).toEqual(before);
});
