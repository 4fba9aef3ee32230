import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { TokenSettings } from '../../src/config/runtime-config.ts';
import { createKeyring, followTokens, readTokens } from '../../src/server/tokens.ts';
import { openTemporary, type TemporaryRuntime } from '../runtime/temporary-runtime.ts';
import { serve, serveRoles, TOKENS, type Served } from './served.ts';

let temporary: TemporaryRuntime;
let served: Served;

beforeAll(async () => {
  temporary = await openTemporary(
    {
      asker: {
        run: '({ action: "ask", reason: "Really?" })',
        manifest: { points: ['preInput'] },
      },
      guard: {},
    },
    { approvals: { enabled: true } },
  );
  served = await serveRoles(temporary.runtime);
});
afterAll(async () => {
  await served.server.close();
  await temporary.remove();
});

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly role: string;
}

async function operations(): Promise<Operation[]> {
  const { body } = await served.call('/openapi.json', { token: TOKENS.agent });
  const paths = body['paths'] as Record<string, Record<string, { 'x-role': string }>>;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path: path.replaceAll(/\{\w+\}/g, 'preInput'),
      role: operation['x-role'],
    })),
  );
}

const LADDER = ['open', 'agent', 'operator', 'admin'];

async function statusOf({ method, path }: Operation, token?: string): Promise<number> {
  const response = await served.fetch(path, {
    method,
    ...(token !== undefined && { token }),
    // No route takes it: what is asked for is not done.
    ...(method !== 'GET' && { body: '{"unknown":1}' }),
    signal: AbortSignal.timeout(20_000),
  });
  await response.body?.cancel();
  return response.status;
}

test('every route but health and readiness needs a token, and refuses those of lower roles', async () => {
  const all = await operations();
  expect(all.length).toBeGreaterThan(20);
  for (const operation of all) {
    // These act on what their path names, which is nothing that exists.
    const rank = LADDER.indexOf(operation.role);
    const label = `${operation.method} ${operation.path}`;
    const stranger = await statusOf(operation);
    expect([label, stranger === 401]).toEqual([label, rank > 0]);
    for (const [index, role] of (['agent', 'operator'] as const).entries()) {
      const status = await statusOf(operation, TOKENS[role]);
      expect([label, role, status === 403]).toEqual([label, role, index + 1 < rank]);
    }
  }
  const open = all.filter(({ role }) => role === 'open').map(({ path }) => path);
  expect(open).toEqual(expect.arrayContaining(['/healthz', '/readyz']));
});

test('what a role may not do is refused with the role that it takes', async () => {
  const { status, body } = await served.call('/v1/overview', { token: TOKENS.agent });
  expect(status).toBe(403);
  expect(body.error).toMatchObject({
    code: 'role_refused',
    message: expect.stringContaining('"operator"'),
  });
});

test('a caller is told who it is', async () => {
  for (const role of ['agent', 'operator', 'admin'] as const) {
    const { body } = await served.call('/v1/me', { token: TOKENS[role] });
    expect(body).toEqual({ name: `the ${role}`, role, version: '1.2.3' });
  }
});

test('without tokens this machine may do everything', async () => {
  const local = await serve(temporary.runtime);
  expect((await local.call('/v1/me')).body).toMatchObject({ name: 'local', role: 'admin' });
  expect((await local.fetch('/v1/overview')).status).toBe(200);
  await local.server.close();
});

test('strangers learn whether all is well, and nothing of the hooks', async () => {
  expect((await served.call('/healthz')).body).toEqual({ status: 'ok' });
  expect((await served.call('/healthz', { token: TOKENS.agent })).body).toEqual({ status: 'ok' });
  expect((await served.call('/healthz', { token: TOKENS.operator })).body).toEqual({
    status: 'ok',
    reasons: [],
  });
  expect((await served.call('/readyz')).body).toEqual({ ready: true });
});

test('a wrong token is refused at open routes as well', async () => {
  expect((await served.fetch('/healthz', { token: 'guess' })).status).toBe(401);
});

describe('who did something is recorded by its token', () => {
  test('an answer to a question, with what the caller says of itself beside it', async () => {
    const context = { sessionId: 's' };
    const { body: verdict } = await served.call('/v1/points/preInput', {
      token: TOKENS.agent,
      body: { payload: { text: 'x' }, context },
    });
    const { id } = verdict['approval'] as { id: string };
    const answer = await served.call(`/v1/approvals/${id}/answer`, {
      token: TOKENS.operator,
      body: { answer: 'Allow once', by: 'jane' },
    });
    expect(answer).toMatchObject({
      status: 200,
      body: { status: 'granted', answeredBy: 'jane (the operator)' },
    });
  });

  test('a grant that was taken and given back', async () => {
    const path = '/v1/packages/plain/grants/gates_tools';
    const admin = { token: TOKENS.admin };
    expect((await served.fetch(path, { ...admin, method: 'DELETE' })).status).toBe(200);
    expect((await served.fetch(path, { ...admin, method: 'PUT' })).status).toBe(200);
    expect(temporary.runtime.grants.changes()).toMatchObject([
      { action: 'revoke', target: 'plain', by: 'the admin' },
      { action: 'restore', target: 'plain', by: 'the admin' },
    ]);
  });

  test('every other act that changes something, in the log', async () => {
    await served.fetch('/v1/sessions/s/hooks/guard', { token: TOKENS.admin, method: 'DELETE' });
    await expect
      .poll(() => temporary.logged().filter(({ event }) => event === 'api_act'), {
        timeout: 20_000,
      })
      .toContainEqual(
        expect.objectContaining({ act: 'revokeHook', by: 'the admin', role: 'admin' }),
      );
  });
});

test('a broken lock is told with its path to the admin who reloads, and not to who looks at packages', async () => {
  const lock = join(temporary.folder, 'runtime.lock.json');
  await writeFile(lock, '{');
  try {
    const reload = { method: 'POST', token: TOKENS.admin };
    const refused = await served.call('/v1/reload', reload);
    expect(refused).toMatchObject({ status: 409, body: { error: { code: 'lock_invalid' } } });
    expect(refused.body.error?.message).toContain(lock);
    const failed = await served.call('/v1/packages', { token: TOKENS.operator });
    expect(failed).toMatchObject({ status: 500, body: { error: { code: 'lock_invalid' } } });
    expect(JSON.stringify(failed.body)).not.toContain(temporary.folder);
  } finally {
    await rm(lock);
  }
});

describe('tokens of runtime.json', () => {
  const name = 'ci';
  const role = 'operator';

  test('are known by their digest', async () => {
    const sha256 = 'f42bea193dfd5256c8299496c0faf82611c41176379feb4fcbd87232fd80a511';
    const tokens = readTokens([{ name, role, sha256 }], {});
    const other = await serve(temporary.runtime, { tokens: () => tokens });
    const token = 'sbx_21c5agoPggJTK8Eens5wWzjIArvALN85niuSFpFO8Ho';
    expect((await other.call('/v1/me', { token })).body).toMatchObject({ name, role });
    expect((await other.fetch('/v1/me', { token: sha256 })).status).toBe(401);
    await other.server.close();
  });

  test('are followed when the configuration is replaced, and never leave the server open', async () => {
    const env = { CI: 'ci-0123456789abcdef', NEW: 'new-0123456789abcdef' };
    let settings: readonly TokenSettings[] = [];
    const faults: unknown[] = [];
    const tokens = followTokens(
      () => settings,
      env,
      (error) => faults.push(error),
    );
    const other = await serve(temporary.runtime, { tokens });
    const statusOf = async (token?: string) =>
      (await other.fetch('/v1/me', token === undefined ? {} : { token })).status;
    expect(await statusOf()).toBe(200);
    settings = [{ name, role, env: 'CI' }];
    expect([await statusOf(), await statusOf(env.CI), await statusOf(env.NEW)]).toEqual([
      401, 200, 401,
    ]);
    settings = [{ name, role, env: 'NEW' }];
    expect([await statusOf(env.CI), await statusOf(env.NEW)]).toEqual([401, 200]);
    settings = [{ name, role, env: 'GONE' }];
    expect([await statusOf(), await statusOf(env.NEW)]).toEqual([401, 401]);
    settings = [];
    expect(await statusOf()).toBe(401);
    expect(faults).toMatchObject([{ code: 'token_unusable' }]);
    await other.server.close();
  });

  test.each([
    ['as it was', {}, true],
    ['of another role', { role: 'agent' }, false],
    ['of another value', { env: 'NEW' }, false],
    ['of another name', { name: 'other' }, false],
  ] as const)(
    'are read anew in a reload: who came with one that is now %s, %j, is known: %s',
    (_, change, isKnown) => {
      const env = { CI: 'ci-0123456789abcdef', NEW: 'new-0123456789abcdef' };
      const setting = { name, role, env: 'CI' } as const;
      let settings: readonly TokenSettings[] = [setting];
      const keys = createKeyring(undefined, () => readTokens(settings, env));
      const caller = keys.tokens()[0]?.caller;
      settings = [{ ...setting, ...change }];
      expect(keys.knows(caller)).toBe(isKnown);
    },
  );

  test.each([{}, { CI: '' }, { CI: 'short' }])(
    'stop the start when their variable holds no usable token: %j',
    (env) => {
      expect(() => readTokens([{ name, role, env: 'CI' }], env)).toThrow(
        expect.objectContaining({ code: 'token_unusable' }),
      );
    },
  );
});
