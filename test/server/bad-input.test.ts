import { connect } from 'node:net';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { ROOT } from '../house/imports.ts';
import { openTemporary, type TemporaryRuntime } from '../runtime/temporary-runtime.ts';
import { serveRoles, TOKENS, type Served } from './served.ts';

let temporary: TemporaryRuntime;
let served: Served;

beforeAll(async () => {
  temporary = await openTemporary(
    {
      guard: {},
      scoped: { home: '@acme/guards' },
      asker: {
        run: '({ action: "ask", reason: "Really?", timeoutMs: 1 })',
        manifest: { points: ['preInput'] },
      },
    },
    { approvals: { enabled: true } },
  );
  served = await serveRoles(temporary.runtime, { payloadBytes: 100_000 });
});
afterAll(async () => {
  await served.server.close();
  await temporary.remove();
});

const token = TOKENS.admin;

/** Sends a request head as it is, and returns the status line and body that come back. */
async function raw(...lines: string[]): Promise<{ status: number; text: string }> {
  const socket = connect(served.server.port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk) => (text += chunk.toString('latin1')));
  socket.on('error', () => undefined);
  socket.write([...lines, 'connection: close', '', ''].join('\r\n'));
  await new Promise((resolve) => socket.once('close', resolve));
  return { status: Number(text.slice(9, 12)), text };
}

const HOST = 'host: localhost';
const AUTHORIZATION = `authorization: Bearer ${token}`;

describe('paths', () => {
  test.each([
    '/v1/../v1/overview',
    '/v1/%2e%2e/v1/overview',
    '/v1%2foverview',
    '//v1/overview',
    '/v1//overview',
    '/v1/overview/',
    '/V1/overview',
    '/v1/overview%00',
    '/v1/overview;.json',
    '/assets/..%2f..%2f..%2fpackage.json',
    '/assets/%2e%2e%2f%2e%2e%2fserver.ts',
    '/assets/....//server.ts',
    '/assets/%00',
    '/assets/..%5c..%5cserver.ts',
    '/.git/config',
    '/server.ts',
  ])('%s leads nowhere', async (path) => {
    const { status, text } = await raw(`GET ${path} HTTP/1.1`, HOST, AUTHORIZATION);
    expect([400, 403, 404]).toContain(status);
    expect(text).not.toMatch(/"name": ?"signalbox"|import |\[core\]/);
    expect(text).not.toContain(ROOT);
  });

  test('tricks open nothing to those without a token', async () => {
    for (const path of [
      '/v1/../healthz',
      '/healthz/../v1/overview',
      '/healthz%2f..%2fv1%2foverview',
    ]) {
      const { status, text } = await raw(`GET ${path} HTTP/1.1`, HOST);
      expect([path, [400, 401, 404].includes(status)]).toEqual([path, true]);
      expect(text).not.toContain('startedAt');
    }
    const { status } = await raw('GET http://localhost/v1/overview HTTP/1.1', HOST);
    expect([400, 401, 404]).toContain(status);
  });

  test('a part that is too long is one clear error', async () => {
    const { status, body } = await served.call(`/v1/hooks/${'x'.repeat(2000)}`, { token });
    expect(status).toBe(400);
    expect(body.error?.code).toBe('request_invalid');
  });

  test('a package with a scope is one part of a path', async () => {
    const path = `/v1/packages/${encodeURIComponent('@acme/guards')}/grants/injects_context`;
    expect((await served.fetch(path, { token, method: 'DELETE' })).status).toBe(200);
    const [change] = temporary.runtime.grants.changes().toReversed();
    expect(change).toMatchObject({ action: 'revoke', target: '@acme/guards' });
    expect((await served.fetch(path, { token, method: 'PUT' })).status).toBe(200);
  });
});

describe('headers', () => {
  test.each([
    ['two hosts', [HOST, 'host: evil.example', AUTHORIZATION]],
    ['two tokens', [HOST, AUTHORIZATION, 'authorization: Bearer other']],
    ['two origins', [HOST, AUTHORIZATION, 'origin: http://localhost', 'origin: http://evil']],
    ['a folded header', [HOST, AUTHORIZATION, 'x-a: 1', ' folded']],
    ['a header with a null byte', [HOST, AUTHORIZATION, 'x-a: a\0b']],
  ])('%s are refused', async (_what, lines) => {
    const { status, text } = await raw('GET /v1/overview HTTP/1.1', ...lines);
    expect(status).toBe(400);
    expect(text).toContain('"request_invalid"');
  });

  test('methods are not overridden, and forwarded hosts are not believed', async () => {
    const { status } = await raw(
      'GET /v1/reload HTTP/1.1',
      HOST,
      AUTHORIZATION,
      'x-http-method-override: POST',
    );
    expect(status).toBe(405);
    const forwarded = await served.fetch('/v1/overview', {
      token,
      headers: { 'x-forwarded-host': 'evil', 'x-forwarded-for': '1.2.3.4' },
    });
    expect(forwarded.status).toBe(200);
  });

  test('a token in the query or a cookie opens nothing', async () => {
    expect((await served.fetch(`/v1/overview?token=${token}`)).status).toBe(401);
    const cookie = `token=${token}; authorization=${token}`;
    expect((await served.fetch('/v1/overview', { headers: { cookie } })).status).toBe(401);
  });

  test('a page of another origin is refused even with a token', async () => {
    const headers = { origin: 'https://evil.example' };
    const { status, body } = await served.call('/v1/reload', { token, method: 'POST', headers });
    expect([status, body.error?.code]).toEqual([403, 'origin_refused']);
    const preflight = await served.fetch('/v1/reload', { method: 'OPTIONS', headers });
    expect(preflight.status).toBe(403);
    expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('every answer keeps browsers from loading, framing and guessing', async () => {
    for (const path of ['/healthz', '/v1/overview', '/nowhere', '/openapi.json', '/']) {
      const { headers } = await served.fetch(path, { token });
      expect([path, headers.get('content-security-policy')]).toEqual([
        path,
        expect.stringMatching(/^default-src 'none';.*frame-ancestors 'none'/),
      ]);
      expect([path, headers.get('content-security-policy')]).not.toEqual([
        path,
        expect.stringContaining('unsafe'),
      ]);
      expect([path, headers.get('x-content-type-options')]).toEqual([path, 'nosniff']);
      expect([path, headers.get('referrer-policy')]).toEqual([path, 'no-referrer']);
      expect(headers.get('set-cookie')).toBeNull();
    }
  });
});

describe('bodies and queries', () => {
  const WITH_BODY = [
    ['POST', '/v1/test'],
    ['POST', '/v1/replay'],
    ['POST', '/inspect/hooks/test'],
    ['PUT', '/v1/hooks/guard/mode'],
    ['POST', '/v1/approvals/x/answer'],
    ['POST', '/v1/approvals/x/redeem'],
    ['POST', '/v1/points/preToolUse'],
  ] as const;

  test.each(WITH_BODY)('%s %s refuses what it cannot read', async (method, path) => {
    for (const body of [
      '',
      '{',
      '[]',
      'null',
      '"x"',
      '{"unknown":1}',
      '{"__proto__":{"a":1}}',
      '\u0000',
    ]) {
      const answer = await served.call(path, { method, token, body });
      expect([body, answer.status, answer.body.error?.code]).toEqual([
        body,
        400,
        'request_invalid',
      ]);
    }
    const big = JSON.stringify({ payload: 'x'.repeat(500_000) });
    expect(await served.call(path, { method, token, body: big })).toMatchObject({
      status: 413,
      body: { error: { code: 'body_too_large' } },
    });
  });

  test.each([
    '/v1/decisions?limit=0',
    '/v1/decisions?limit=5000',
    '/v1/decisions?limit=x',
    '/v1/decisions?before=yesterday',
    '/v1/decisions?since=yesterday',
    '/v1/decisions?hook=a&hook=b',
    '/v1/decisions?unknown=1',
    '/v1/decisions?__proto__[a]=1',
    '/v1/decisions?wouldBlock=yes',
    `/v1/decisions?hook=${'x'.repeat(1000)}`,
    '/v1/decisions/stream?recent=-1',
    '/v1/decisions/stream?plain=maybe',
    '/v1/approvals?status=all',
  ])('%s is 400', async (path) => {
    const { status, body } = await served.call(path, { token });
    expect([status, body.error?.code]).toEqual([400, 'request_invalid']);
  });

  test.each([
    ['GET', '/v1/hooks/nobody', 'hook_unknown'],
    ['GET', '/v1/hooks/__proto__', 'hook_unknown'],
    ['GET', '/v1/decisions/nothing', 'decision_unknown'],
    ['GET', '/v1/approvals/nothing', 'approval_unknown'],
    ['PUT', '/v1/packages/nobody/grants/gates_tools', 'hook_unknown'],
    ['PUT', '/v1/sessions/s/hooks/nobody', 'hook_unknown'],
  ])('%s %s: what is not there is 404', async (method, path, code) => {
    const { status, body } = await served.call(path, { method, token });
    expect([status, body.error?.code]).toEqual([404, code]);
  });

  test('a capability that is none, or is not held, is 400', async () => {
    for (const capability of ['rule_the_world', 'store:read:%2e%2e', 'net:fetch:evil.example']) {
      const path = `/v1/packages/plain/grants/${capability}`;
      const { status, body } = await served.call(path, { method: 'DELETE', token });
      expect([capability, status, body.error?.code]).toEqual([capability, 400, 'request_invalid']);
    }
  });

  test('a guard is not put into shadow mode without force and a reason', async () => {
    const path = '/v1/hooks/guard/mode';
    for (const body of [{ mode: 'shadow' }, { mode: 'shadow', force: true }]) {
      expect(await served.call(path, { method: 'PUT', token, body })).toMatchObject({
        status: 409,
        body: { error: { code: 'mode_refused' } },
      });
    }
    expect(temporary.runtime.inventory().hooks).toContainEqual(
      expect.objectContaining({ hook: 'guard', mode: 'enforce' }),
    );
  });

  test('a question whose time is up, or that was answered, is 409', async () => {
    const { body } = await served.call('/v1/points/preInput', {
      token: TOKENS.agent,
      body: { payload: { text: 'x' } },
    });
    const { id, expiresAt } = body['approval'] as { id: string; expiresAt: string };
    await expect.poll(() => Date.now() > Date.parse(expiresAt), { timeout: 20_000 }).toBe(true);
    const answer = await served.call(`/v1/approvals/${id}/answer`, {
      token: TOKENS.operator,
      body: { answer: 'Allow once' },
    });
    expect(answer).toMatchObject({ status: 409, body: { error: { code: 'approval_settled' } } });
  });
});

describe('rates', () => {
  const LIMITS = { requestsPerMinute: 5, firesPerMinute: 3 };

  async function statuses(count: number, ask: () => Promise<Response>): Promise<number[]> {
    const all: number[] = [];
    for (let index = 0; index < count; index += 1) all.push((await ask()).status);
    return all;
  }

  test('a caller that comes too often is told when to come again; others go on', async () => {
    const limited = await serveRoles(temporary.runtime, { limits: LIMITS });
    const ask = (role: keyof typeof TOKENS) => limited.fetch('/v1/me', { token: TOKENS[role] });
    expect(await statuses(6, () => ask('operator'))).toEqual([200, 200, 200, 200, 200, 429]);
    const refused = await ask('operator');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ error: { code: 'rate_limited' } });
    expect((await ask('admin')).status).toBe(200);
    const fire = () =>
      limited.fetch('/v1/points/preToolUse', {
        token: TOKENS.operator,
        body: { payload: { toolName: 'x' } },
      });
    expect(await statuses(4, fire)).toEqual([200, 200, 200, 429]);
    await limited.server.close();
  });

  test('who guesses tokens is slowed down, and who has one is not', async () => {
    const guessed = await serveRoles(temporary.runtime);
    const all = await statuses(62, () => guessed.fetch('/v1/me', { token: 'guess' }));
    expect(all.slice(0, 60)).toEqual(Array.from({ length: 60 }, () => 401));
    expect(all.slice(60)).toEqual([429, 429]);
    expect((await guessed.fetch('/v1/me', { token })).status).toBe(200);
    await guessed.server.close();
  });
});
