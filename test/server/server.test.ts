import { once } from 'node:events';
import { connect } from 'node:net';

import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

import { POINT_NAMES } from '../../sdk/points.ts';
import { openServer, type Server, type ServerOptions } from '../../src/server/server.ts';
import type { LiveRuntime } from '../../src/live-runtime.ts';
import type { Inventory } from '../../src/runtime.ts';
import { openTemporary, type TemporaryRuntime } from '../runtime/temporary-runtime.ts';

let temporary: TemporaryRuntime;
let runtime: LiveRuntime;

beforeAll(async () => {
  temporary = await openTemporary({
    guard: {
      module: `export const createHook = () => (point, payload, ctx) => {
        ctx.log('looked at ' + payload.toolName);
        const isBad = payload.toolName === 'cancel';
        return isBad ? { action: 'block', reason: 'No' } : { action: 'allow' };
      };`,
    },
    later: { manifest: { priority: 1 } },
    sluggish: {
      module: `export const createHook = () => async (point, payload, ctx) => {
        await ctx.store.put('marks', payload.text, true);
        if (payload.text.startsWith('never')) await new Promise(() => {});
        if (payload.text.startsWith('slow')) await new Promise((done) => setTimeout(done, 300));
        return { action: 'allow' };
      };`,
      manifest: {
        points: ['preInput'],
        capabilities: ['store:write', 'reads_input', 'gates_input'],
        timeoutMs: 60_000,
      },
    },
    echo: {
      run: '({ action: "allow", notice: { text: JSON.stringify([ctx.caller, ctx.session]) } })',
      manifest: { points: ['preOutput'] },
    },
    homely: { home: 'local', manifest: { points: ['postTurn'] } },
    broken: { home: 'local', manifest: { points: ['nowhere'] } },
  });
  ({ runtime } = temporary);
});
afterAll(() => temporary.remove());

const opened: Server[] = [];
afterEach(async () => {
  for (const server of opened.splice(0)) await server.close();
});

async function serve(options: Partial<ServerOptions> = {}) {
  const server = await openServer(runtime, {
    host: '127.0.0.1',
    port: 0,
    payloadBytes: 4 * 1024 * 1024,
    version: '0.0.0',
    ...options,
  });
  opened.push(server);
  return { server, url: server.url };
}

/** Resolves when the sluggish hook runs on a text. */
async function started(text: string): Promise<void> {
  await expect.poll(() => runtime.store.get('marks', text), { timeout: 20_000 }).toBe(true);
}

async function post(url: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  // Of whatever shape: the tests say which.
  const answer = (await response.json()) as { error: { code: string; message: string } };
  return { status: response.status, headers: response.headers, body: answer };
}

/** Sends bytes as they are and returns everything that comes back before the connection ends. */
async function raw(server: Server, ...parts: string[]): Promise<string> {
  const socket = connect(server.port, '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk) => (answer += chunk.toString('latin1')));
  socket.on('error', () => undefined);
  for (const part of parts) socket.write(part);
  await new Promise((resolve) => socket.once('close', resolve));
  return answer;
}

const CALL = { toolName: 'cancel', args: { id: 1 } };

test('a fire over HTTP is a fire, and its verdict comes back whole', async () => {
  const { url } = await serve();
  const { status, body } = await post(`${url}/v1/points/preToolUse`, { payload: CALL });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    id: expect.any(String),
    action: 'block',
    reason: 'No',
    hook: 'guard',
    payload: CALL,
    isModified: false,
    inject: [],
    notices: [],
    outputs: {},
    trace: [{ hook: 'guard', action: 'block', ms: expect.any(Number) }],
    notRun: ['later'],
  });
});

test('what the caller says of session and user reaches the hook', async () => {
  const { url } = await serve();
  const context = { sessionId: 's', turnId: '1', caller: { userId: 'u', source: 'webhook' } };
  const sent = { payload: { text: 'x' }, context };
  const { body } = await post(`${url}/v1/points/preOutput`, sent);
  const [{ text }] = (body as unknown as { notices: [{ text: string }] }).notices;
  expect(JSON.parse(text)).toEqual([
    { userId: 'u', source: 'webhook' },
    { id: 's', turn: '1' },
  ]);
});

test('[AM49] [AM53] GET /inspect/hooks lists local and package hooks, their sandboxes, and what is not live', async () => {
  const { url } = await serve();
  const response = await fetch(`${url}/inspect/hooks`);
  expect(response.status).toBe(200);
  const body = (await response.json()) as Inventory;
  expect(body.hooks).toContainEqual(
    expect.objectContaining({
      hook: 'guard',
      origin: { kind: 'package', name: 'plain', version: '1.0.0' },
      sandbox: 'isolate',
      points: [{ point: 'preToolUse', failPolicy: 'closed', order: 1 }],
    }),
  );
  expect(body.hooks).toContainEqual(
    expect.objectContaining({
      hook: 'homely',
      origin: { kind: 'local', name: 'local', version: '' },
      sandbox: 'worker',
    }),
  );
  expect(body.absent).toMatchObject([{ hook: 'broken', reason: 'skipped', code: 'hook_skipped' }]);
  expect(body.warnings).toMatchObject([{ code: 'hook_skipped', hint: expect.any(String) }]);
});

test('health is 200, degraded with the reasons where a hook is not live', async () => {
  const { url } = await serve();
  const response = await fetch(`${url}/healthz`);
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({
    status: 'degraded',
    reasons: [
      { hook: 'broken', code: 'hook_skipped', message: expect.stringContaining('nowhere') },
    ],
  });
});

test('[AM50] [AM51] a test answers with exactly the documented keys', async () => {
  const { url } = await serve();
  const request = { point: 'preToolUse', hookName: 'guard', payload: CALL };
  const { status, body } = await post(`${url}/inspect/hooks/test`, request);
  expect(status).toBe(200);
  const input = expect.objectContaining(CALL) as unknown;
  expect(body).toEqual({
    action: 'block',
    reason: 'No',
    code: null,
    input,
    output: input,
    modified: false,
    blocked: true,
    hooks: [{ name: 'guard', action: 'block', code: null }],
    notRun: [],
    logs: [{ hook: 'guard', line: 'looked at cancel' }],
  });
});

test('[AM50] without a name the whole chain is tested', async () => {
  const { url } = await serve();
  const test = (toolName: string) =>
    post(`${url}/inspect/hooks/test`, { point: 'preToolUse', payload: { toolName } });
  expect((await test('look')).body).toMatchObject({
    action: 'allow',
    reason: null,
    blocked: false,
    hooks: [{ name: 'guard' }, { name: 'later' }],
    notRun: [],
  });
  expect((await test('cancel')).body).toMatchObject({ blocked: true, notRun: ['later'] });
});

test('[AM52] the same test gives the same answer', async () => {
  const { url } = await serve();
  const request = { point: 'preToolUse', payload: CALL };
  const first = await post(`${url}/inspect/hooks/test`, request);
  const second = await post(`${url}/inspect/hooks/test`, request);
  expect(second.body).toEqual(first.body);
});

test('a test of a hook that is not there names the nearest', async () => {
  const { url } = await serve();
  const request = { point: 'preToolUse', hookName: 'gard', payload: CALL };
  expect(await post(`${url}/inspect/hooks/test`, request)).toMatchObject({
    status: 404,
    body: { error: { code: 'hook_unknown', hint: expect.stringContaining('"guard"') } },
  });
});

test('an unknown point is 404 and names the nearest', async () => {
  const { url } = await serve();
  const fired = await post(`${url}/v1/points/preTolUse`, { payload: {} });
  expect(fired.status).toBe(404);
  expect(fired.body.error).toMatchObject({
    code: 'point_unknown',
    hint: expect.stringContaining('"preToolUse"'),
  });
  const tested = await post(`${url}/inspect/hooks/test`, { point: '__proto__', payload: {} });
  expect(tested).toMatchObject({ status: 404, body: { error: { code: 'point_unknown' } } });
});

test.each([
  [{}, 'the body lacks "payload"'],
  [[], 'the body must be a object'],
  [{ payload: 'x' }, 'the body.payload must be a object'],
  [{ payload: {}, more: 1 }, 'the body has the unknown key "more"'],
  [{ payload: {}, context: { session: 's' } }, 'the body.context has the unknown key "session"'],
  [{ payload: {}, context: { signal: {} } }, 'the body.context has the unknown key "signal"'],
  [
    { payload: {}, context: { caller: { source: 'god' } } },
    'the body.context.caller.source must be one of',
  ],
  [
    { payload: {}, context: { caller: { admin: true } } },
    'the body.context.caller has the unknown key "admin"',
  ],
  [{ payload: {}, deadlineMs: 0 }, 'the body.deadlineMs must be at least 1'],
  [{ payload: {}, deadlineMs: '5' }, 'the body.deadlineMs must be an integer'],
  ['{"payload":', 'the body is not JSON'],
  ['', 'the body is empty'],
  ['{"payload":{"__proto__":{"a":1}}}', 'or has a key such as "__proto__"'],
])(
  'a request that is not valid is 400, names the place and shows no value: %j',
  async (sent, detail) => {
    const { url } = await serve();
    const { status, body } = await post(`${url}/v1/points/preToolUse`, sent);
    expect(status).toBe(400);
    expect(body.error.code).toBe('request_invalid');
    expect(body.error.message).toContain(detail);
  },
);

test('a payload that does not fit its point is told by the runtime', async () => {
  const { url } = await serve();
  expect(await post(`${url}/v1/points/preInput`, { payload: {} })).toMatchObject({
    status: 400,
    body: { error: { code: 'payload_invalid', message: expect.stringContaining('text') } },
  });
});

test('a body beyond the limit is 413 and one of another type is 415', async () => {
  const { url } = await serve({ payloadBytes: 1000 });
  const big = { payload: { text: 'x'.repeat(400_000) } };
  expect(await post(`${url}/v1/points/preInput`, big)).toMatchObject({
    status: 413,
    body: { error: { code: 'body_too_large' } },
  });
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    '',
  ]) {
    const answer = await post(`${url}/v1/points/preInput`, '{"payload":{}}', {
      'content-type': type,
    });
    expect(answer).toMatchObject({
      status: 415,
      body: { error: { code: 'media_type_unsupported' } },
    });
  }
});

test('other paths are 404 and other methods 405, in JSON', async () => {
  const { url } = await serve();
  const gone = await fetch(`${url}/v2/points?token=secret`);
  expect(gone.status).toBe(404);
  const { error } = (await gone.json()) as { error: { code: string; message: string } };
  expect(error).toMatchObject({ code: 'not_found', message: 'Nothing is at "/v2/points"' });
  const wrong = await fetch(`${url}/v1/points/preInput`);
  expect(wrong.status).toBe(405);
  expect(await wrong.json()).toMatchObject({
    error: { code: 'method_not_allowed', hint: expect.stringContaining('POST') },
  });
  expect((await fetch(`${url}/healthz`, { method: 'DELETE' })).status).toBe(405);
  expect((await fetch(`${url}/%zz`)).status).toBe(400);
  expect((await fetch(`${url}/v1/points/${'x'.repeat(5000)}`, { method: 'POST' })).status).toBe(
    400,
  );
});

/** Whether the log tells of a call that was cancelled, and how often. */
function cancelled(): number {
  return temporary.logged().filter(({ code }) => code === 'cancelled').length;
}

test('a deadline ends the call with 504 and stops the hook', async () => {
  const { url } = await serve();
  const before = cancelled();
  const sent = { payload: { text: 'never 1' }, deadlineMs: 30 };
  expect(await post(`${url}/v1/points/preInput`, sent)).toMatchObject({
    status: 504,
    body: { error: { code: 'deadline_passed' } },
  });
  await expect.poll(cancelled, { timeout: 10_000 }).toBe(before + 1);
});

test('a caller that goes away cancels its call', async () => {
  const { url } = await serve();
  const before = cancelled();
  const caller = new AbortController();
  const call = fetch(`${url}/v1/points/preInput`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"payload":{"text":"never 2"}}',
    signal: caller.signal,
  });
  await started('never 2');
  caller.abort();
  await expect(call).rejects.toMatchObject({ name: 'AbortError' });
  await expect.poll(cancelled, { timeout: 10_000 }).toBe(before + 1);
});

test('a stopping server finishes what runs and takes nothing more', async () => {
  const { server, url } = await serve({ drainMs: 60_000 });
  const running = post(`${url}/v1/points/preInput`, { payload: { text: 'slow 1' } });
  await started('slow 1');
  const closed = server.close();
  const { status, headers } = await running;
  expect([status, headers.get('connection')]).toEqual([200, 'close']);
  await closed;
  await expect(fetch(`${url}/healthz`)).rejects.toThrow('fetch failed');
});

test('a connection that never finishes its request does not hold up the end', async () => {
  const { server } = await serve({ drainMs: 50 });
  const socket = connect(server.port, '127.0.0.1');
  const head = 'content-type: application/json\r\ncontent-length: 9\r\nexpect: 100-continue';
  socket.write(`POST /v1/points/preInput HTTP/1.1\r\nhost: localhost\r\n${head}\r\n\r\n`);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect(answer.toString()).toContain('100 Continue');
  socket.on('error', () => undefined);
  const ended = new Promise((resolve) => socket.once('close', resolve));
  await Promise.all([server.close(), ended]);
});

test('without a token no other machine is served', async () => {
  for (const host of ['0.0.0.0', '::', '::ffff:127.0.0.1', 'example.com', '10.0.0.1']) {
    await expect(serve({ host })).rejects.toMatchObject({ code: 'bind_refused' });
  }
  await expect(serve({ host: '0.0.0.0', token: '' })).rejects.toMatchObject({
    code: 'bind_refused',
  });
  await serve({ host: '0.0.0.0', token: 'secret' });
  await serve({ host: 'localhost' });
});

test('a port in use is one clear error', async () => {
  const { server } = await serve();
  await expect(serve({ port: server.port })).rejects.toMatchObject({
    code: 'listen_failed',
    message: expect.stringContaining('the port is in use'),
  });
});

test('with a token everything but the health needs it', async () => {
  const { url } = await serve({ token: 'right' });
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  const get = (path: string, authorization?: string) =>
    fetch(`${url}${path}`, authorization === undefined ? {} : { headers: { authorization } });
  for (const path of ['/inspect/hooks', '/openapi.json', '/nowhere', '/healthz/x']) {
    const response = await get(path);
    expect([path, response.status]).toEqual([path, 401]);
    expect(await response.json()).toMatchObject({ error: { code: 'unauthorised' } });
  }
  for (const wrong of [
    'Bearer wrong',
    'Bearer right2',
    'Bearer righ',
    'Bearer ',
    'right',
    'Basic right',
  ]) {
    expect([wrong, (await get('/inspect/hooks', wrong)).status]).toEqual([wrong, 401]);
  }
  expect((await get('/inspect/hooks', 'Bearer right')).status).toBe(200);
  const big = await post(`${url}/v1/points/preInput`, '{"payload":', {});
  expect(big.status).toBe(401);
});

test('a name of another machine, and a page of another origin, are refused', async () => {
  const { server, url } = await serve();
  const request = (host: string) =>
    `GET /healthz HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`;
  for (const host of [
    'evil.example',
    `evil.example:${server.port}`,
    '127.0.0.1.evil.example',
    'localhost.',
    '10.0.0.1',
  ]) {
    const answer = await raw(server, request(host));
    expect([host, answer.slice(9, 12)]).toEqual([host, '403']);
    expect(answer).toContain('"host_refused"');
  }
  for (const host of ['localhost', 'LOCALHOST:80', '[::1]:8787', '127.0.0.1']) {
    expect([host, (await raw(server, request(host))).slice(9, 12)]).toEqual([host, '200']);
  }
  const status = async (headers: Record<string, string>) =>
    (await post(`${url}/v1/points/preInput`, { payload: { text: 'x' } }, headers)).status;
  expect(await status({ origin: 'https://evil.example' })).toBe(403);
  expect(await status({ origin: 'null' })).toBe(403);
  expect(await status({ origin: `http://127.0.0.1:${server.port + 1}` })).toBe(403);
  expect(await status({ 'sec-fetch-site': 'cross-site' })).toBe(403);
  expect(await status({ 'sec-fetch-site': 'same-site' })).toBe(403);
  expect(await status({ origin: url })).toBe(200);
});

test('bytes that are no request get an error in JSON', async () => {
  const { server } = await serve();
  const answers = await Promise.all([
    raw(server, 'nonsense\r\n\r\n'),
    raw(server, 'GET / HTTP/1.1\r\nconnection: close\r\n\r\n'),
    raw(server, `GET / HTTP/1.1\r\nhost: localhost\r\nx: ${'x'.repeat(40_000)}\r\n\r\n`),
    raw(
      server,
      'POST /v1/points/preInput HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n',
    ),
  ]);
  for (const answer of answers) {
    expect(answer).toMatch(/^HTTP\/1.1 4\d\d /);
    const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)) as { error: object };
    expect(body.error).toMatchObject({ code: 'request_invalid', hint: expect.any(String) });
  }
  expect(answers[2]).toContain('431');
});

test('a body nested beyond any stack is answered, and the server goes on', async () => {
  const { url } = await serve();
  const deep = `{"payload":{"text":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}}`;
  const { status } = await post(`${url}/v1/points/preInput`, deep);
  expect(status).toBe(400);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});

interface Document {
  openapi: string;
  paths: Record<string, Record<string, { requestBody: object; responses: object }>>;
  components: { schemas: Record<string, { required?: string[]; properties: object }> };
}

test('the OpenAPI document comes from the schemas that requests are held against', async () => {
  const { url } = await serve();
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as Document;
  expect(document.openapi).toBe('3.1.0');
  const { schemas } = document.components;
  expect(Object.keys(schemas)).toEqual(
    expect.arrayContaining(['Verdict', 'Error', ...POINT_NAMES.map((point) => `Payload.${point}`)]),
  );
  expect(schemas['Payload.preToolUse']?.required).toEqual(['toolName']);
  const fire = JSON.stringify(document.paths['/v1/points/{point}']?.['post']);
  expect(fire).toContain('"#/components/schemas/Payload.preToolUse"');
  expect(fire).toContain('undecided');
  const refs = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)];
  for (const [, name = ''] of refs) expect(schemas).toHaveProperty([name]);
});
