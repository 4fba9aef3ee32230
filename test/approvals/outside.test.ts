import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Approvals } from '../../src/approvals/approval.ts';
import { openRuntime, type LiveRuntime } from '../../src/index.ts';
import { openServer, type Server } from '../../src/server/server.ts';
import { openTemporary } from '../runtime/temporary-runtime.ts';
import { ASK, idOf, openOffice, PAY, type Office } from './office.ts';

let office: Office;
let runtime: LiveRuntime;
let approvals: Approvals;

beforeAll(async () => {
  office = await openOffice();
  ({ runtime, approvals } = office);
}, 120_000);

afterAll(() => office.temporary.remove());

const ask = (sessionId: string, payload: object = PAY) => office.ask(sessionId, payload);

const serve = (of: LiveRuntime): Promise<Server> =>
  openServer(of, { host: '127.0.0.1', port: 0, payloadBytes: null, version: '0' });

async function send(server: Server, path: string, body?: object) {
  const response = await fetch(`${server.url}${path}`, {
    ...(body !== undefined && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

test('[F04] where nobody can be asked, an ask is a block; a caller that asks itself parks it', async () => {
  const alone = await openTemporary({ asker: { run: ASK } });
  try {
    expect(await alone.runtime.fire('preToolUse', PAY)).toMatchObject({
      action: 'block',
      code: 'no_approver',
      reason: 'No approval system available',
    });
    const own = await alone.runtime.fire('preToolUse', PAY, { canAsk: true });
    expect(own).toMatchObject({ action: 'ask', approval: { id: expect.any(String) as string } });
  } finally {
    await alone.remove();
  }
}, 60_000);

test.each([
  ['a queue of approvals', true],
  ['no queue', false],
])(
  '[F04] with %s a caller over HTTP says whether it can wait for a person',
  async (_, enabled) => {
    const { remove, runtime: asked } = enabled
      ? { ...office.temporary, remove: async () => undefined }
      : await openTemporary({ asker: { run: ASK } });
    const server = await serve(asked);
    const fire = async (context: object) =>
      (await send(server, '/v1/points/preToolUse', { payload: PAY, context })).body;
    const blocked = {
      action: 'block',
      code: 'no_approver',
      reason: 'No approval system available',
    };
    try {
      const sessionId = 'http';
      expect(await fire({ sessionId })).toMatchObject(enabled ? { action: 'ask' } : blocked);
      expect(await fire({ sessionId, canAsk: false })).toMatchObject(blocked);
      const verdict = await fire({ sessionId, canAsk: true });
      const { id } = verdict['approval'] as { readonly id: string };
      const redeem = async () =>
        (await send(server, `/v1/approvals/${id}/redeem`, { payload: PAY })).body;
      expect(await redeem()).toMatchObject({ ok: false, code: 'approval_pending' });
      expect(await send(server, `/v1/approvals/${id}/answer`, { answer: 'Allow' })).toMatchObject({
        status: 200,
      });
      expect(await redeem()).toMatchObject({ ok: true });
      expect(await redeem()).toMatchObject({ ok: false, code: 'approval_replayed' });
    } finally {
      await server.close();
      await remove();
    }
  },
  60_000,
);

test('a grant outlives a restart; rules that came meanwhile still forbid the call', async () => {
  const first = await idOf(ask('restart'));
  const second = await idOf(ask('restart', { toolName: 'push', args: {} }));
  await approvals.approve(first);
  await approvals.approve(second);
  const access = { rules: [{ tool: 'push', tier: 'never' }] };
  const config = { approvals: { enabled: true }, access };
  const restarted = await openRuntime({
    config,
    folder: office.temporary.folder,
    log: { level: 'silent' },
  });
  try {
    expect(await restarted.approvals.redeem(first, PAY)).toMatchObject({ ok: true });
    expect(await restarted.approvals.redeem(second, { toolName: 'push', args: {} })).toMatchObject({
      ok: false,
      code: 'access',
    });
  } finally {
    await restarted.close();
  }
}, 60_000);

test('a grant is void once a package that asked or changed the call is on the block list', async () => {
  const left = await openTemporary(
    {
      cut: {
        home: 'cutters',
        run: `payload.args.note === undefined ? { action: 'allow' } : ({ action: 'modify', payload: { args: {} } })`,
        manifest: { priority: -1 },
      },
      asker: { home: 'askers', run: ASK },
    },
    { approvals: { enabled: true } },
  );
  const askFor = (args: Record<string, unknown>) =>
    left.runtime.fire('preToolUse', { toolName: 'pay', args });
  const packages = left.runtime.config.packages.map(({ package: folder, grants }) => ({
    package: folder,
    grants,
  }));
  try {
    const [plain, changed] = [await askFor({ to: 'x' }), await askFor({ note: 'x' })];
    for (const { approval } of [plain, changed]) {
      await left.runtime.approvals.approve(approval?.id ?? '');
    }
    const redeemed = async ({ approval, payload }: typeof plain, blocked: string) => {
      const restarted = await openRuntime({
        config: { packages, trust: { block: [{ package: blocked, reason: 'stolen' }] } },
        folder: left.folder,
        log: { level: 'silent' },
      });
      try {
        return await restarted.approvals.redeem(approval?.id ?? '', { ...payload });
      } finally {
        await restarted.close();
      }
    };
    expect(await redeemed(plain, 'askers')).toMatchObject({ ok: false, code: 'untrusted' });
    expect(await redeemed(changed, 'cutters')).toMatchObject({ ok: false, code: 'untrusted' });
    expect(await redeemed(plain, 'cutters')).toMatchObject({ ok: true });
  } finally {
    await left.remove();
  }
}, 60_000);

test('a wait ends when another process answers; an aborted wait takes the question back', async () => {
  const id = await idOf(ask('late'));
  const other = await openRuntime({
    config: { approvals: { enabled: true } },
    folder: office.temporary.folder,
    log: { level: 'silent' },
  });
  const waiting = approvals.wait(id);
  await other.approvals.approve(id, { note: 'go on' });
  expect(await waiting).toEqual({ status: 'granted', note: 'go on' });
  await other.close();
  const dropped = await idOf(ask('late'));
  expect(await approvals.wait(dropped, { signal: AbortSignal.abort() })).toMatchObject({
    status: 'cancelled',
  });
  await expect(approvals.approve(dropped)).rejects.toMatchObject({ code: 'approval_settled' });
}, 60_000);

test('questions are listed, shown, answered and used over HTTP', async () => {
  const server = await serve(runtime);
  const call = (path: string, body?: object) => send(server, `/v1/approvals${path}`, body);
  try {
    const id = await idOf(ask('listed'));
    const { body } = await call('?sessionId=listed');
    expect(body['approvals']).toMatchObject([{ id }]);
    expect((await call(`/${id}`)).body['question']).toMatchObject({ prompt: 'Pay?' });
    expect((await call(`/${id}/answer`, { answer: 'Allow once' })).status).toBe(200);
    expect((await call(`/${id}/answer`, { answer: 'Deny' })).status).toBe(409);
    expect((await call(`/${id}/redeem`, { payload: PAY })).body).toMatchObject({ ok: true });
    expect((await call('/nothing')).status).toBe(404);
    expect((await call(`/${id}/answer`, { answer: 1 })).status).toBe(400);
  } finally {
    await server.close();
  }
}, 60_000);
