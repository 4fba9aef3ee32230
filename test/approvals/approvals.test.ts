import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Approvals } from '../../src/approvals/approval.ts';
import type { LiveRuntime } from '../../src/index.ts';
import { openDatabase } from '../../src/sql/database.ts';
import { idOf, openOffice, PAY, type Office } from './office.ts';

let office: Office;
let runtime: LiveRuntime;
let approvals: Approvals;

beforeAll(async () => {
  office = await openOffice();
  ({ runtime, approvals } = office);
}, 120_000);

afterAll(() => office.temporary.remove());

const ask = (sessionId: string, payload: object = PAY) => office.ask(sessionId, payload);

test('[C03] a person approves exactly the changed call, and only that runs', async () => {
  const mail = { toolName: 'mail', args: { to: 'x@y.z', body: 'SSN 123-45-6789' } };
  const verdict = await ask('c03', mail);
  expect(verdict).toMatchObject({ action: 'ask', hook: 'asker' });
  const id = verdict.approval?.id ?? '';
  const view = await approvals.show(id);
  expect(view.question?.payload['args']).toEqual({ to: 'x@y.z', body: 'SSN [REDACTED]' });
  await approvals.approve(id);
  expect(await approvals.redeem(id, mail)).toMatchObject({ ok: false, code: 'approval_mismatch' });
  expect(await approvals.redeem(id, { ...verdict.payload })).toEqual({
    ok: true,
    released: { action: 'modify' },
  });
});

test('[F01] a grant holds for the same arguments alone, in whatever order and escapes they are written', async () => {
  const id = await idOf(ask('f01', { toolName: 'edit', args: { path: 'a.txt', mode: 'é' } }));
  await approvals.approve(id);
  const other = { toolName: 'edit', args: { path: '/etc/shadow', mode: 'é' } };
  expect(await approvals.redeem(id, other)).toMatchObject({ ok: false });
  const same = JSON.parse('{"args":{"mode":"\\u00e9","path":"a.txt"},"toolName":"edit"}') as object;
  expect(await approvals.redeem(id, same as typeof PAY)).toMatchObject({ ok: true });
});

test('[F03] a person sees the final arguments, what changed in them and by which hook', async () => {
  const id = await idOf(ask('f03', { toolName: 'mail', args: { to: 'a', body: 'SSN 1' } }));
  const { question } = await approvals.show(id);
  expect(question?.changes).toEqual([
    { hook: 'redact', path: '/args/body', before: 'SSN 1', after: 'SSN [REDACTED]' },
  ]);
});

test('[F06] the words of a person come back with the answer and are recorded', async () => {
  const denied = await idOf(ask('f06'));
  await approvals.deny(denied, { note: 'use the sandbox account' });
  expect(await approvals.wait(denied)).toEqual({
    status: 'denied',
    reason: 'User denied: Pay?',
    note: 'use the sandbox account',
  });
  const { records } = await runtime.records.query({ session: 'f06', code: 'approval_denied' });
  expect(records[0]).toMatchObject({ hook: 'asker', reason: 'use the sandbox account' });
});

test.each(['allow', 'Allow once', 'ALLOW ALWAYS'])('[AP47] "%s" grants', async (answer) => {
  const id = await idOf(ask('words'));
  expect(await approvals.answer(id, { answer })).toMatchObject({ status: 'granted' });
});

test.each(['yes', 'ok', 'allow it', ' allow', 'Approve', '', 'deny', 'true'])(
  '[AP47] "%s" denies',
  async (answer) => {
    const id = await idOf(ask('f06', { ...PAY, toolCallId: answer }));
    expect(await approvals.answer(id, { answer })).toMatchObject({ status: 'denied' });
    expect(await approvals.redeem(id, PAY)).toMatchObject({ ok: false, code: 'approval_denied' });
  },
);

test('[AP50] an answer that does not come is a denial, unless the hook itself said allow', async () => {
  const denied = await idOf(ask('timeout', { toolName: 'x', args: { default: 'deny' } }));
  expect(await approvals.wait(denied)).toEqual({
    status: 'expired',
    reason: `Approval timeout - denied by default: ${'p'.repeat(200)}...[truncated]`,
  });
  await expect(approvals.approve(denied)).rejects.toMatchObject({ code: 'approval_settled' });
  const payload = { toolName: 'x', args: { default: 'allow' } };
  const allowed = await idOf(ask('timeout', payload));
  expect(await approvals.wait(allowed)).toEqual({ status: 'granted' });
  expect(await approvals.redeem(allowed, payload)).toMatchObject({ ok: true });
});

test('a grant works once; the second use is refused and recorded', async () => {
  const id = await idOf(ask('replay'));
  expect(await approvals.redeem(id, PAY)).toMatchObject({ code: 'approval_pending' });
  await approvals.approve(id);
  const both = await Promise.all([approvals.redeem(id, PAY), approvals.redeem(id, PAY)]);
  expect(both.filter(({ ok }) => ok)).toHaveLength(1);
  expect(await approvals.redeem(id, PAY)).toMatchObject({ ok: false, code: 'approval_replayed' });
  const { records } = await runtime.records.query({ session: 'replay', code: 'approval_replayed' });
  expect(records.length).toBeGreaterThanOrEqual(1);
});

test('a grant is of no use in another session', async () => {
  const id = await idOf(ask('elsewhere'));
  await approvals.approve(id);
  expect(await approvals.redeem(id, PAY, { sessionId: 'other' })).toMatchObject({
    ok: false,
    code: 'approval_mismatch',
  });
});

test('[AP52] "always" holds for the same question in the same session, each time by a new grant', async () => {
  const first = await idOf(ask('always'));
  await approvals.approve(first, { always: true });
  const again = await idOf(ask('always'));
  expect(again).not.toBe(first);
  expect(await approvals.wait(again)).toEqual({ status: 'granted' });
  expect(await approvals.redeem(again, PAY)).toMatchObject({ ok: true });
  expect(await approvals.redeem(again, PAY)).toMatchObject({ ok: false });
  const elsewhere = await idOf(ask('other'));
  expect(await approvals.show(elsewhere)).toMatchObject({ status: 'pending' });
  const otherTool = await idOf(ask('always', { toolName: 'refund', args: {} }));
  expect(await approvals.show(otherTool)).toMatchObject({ status: 'pending' });
});

test('granting releases the next lower action', async () => {
  const id = await idOf(ask('released'));
  await approvals.approve(id);
  expect(await approvals.redeem(id, PAY)).toMatchObject({
    ok: true,
    released: { action: 'result', result: 'canned', isError: false },
  });
});

test('[AM15] access rules have the last word on the call as hooks left it', async () => {
  expect(await ask('x', { toolName: 'wipe', args: {} })).toMatchObject({
    action: 'block',
    code: 'access',
    hook: '(access)',
    reason: 'Access rules forbid the tool "wipe"',
  });
  expect(await ask('x', { toolName: 'deploy/prod', args: {} })).toMatchObject({
    action: 'ask',
    hook: '(access)',
  });
  expect(await ask('x', { toolName: 'plain', args: {} })).toMatchObject({ action: 'allow' });
  expect(await ask('never', { toolName: 'wipe', args: {} })).toMatchObject({ action: 'block' });
  const { records } = await runtime.records.query({ session: 'x', code: 'access' });
  expect(records).toHaveLength(1);
});

test('a call of a sub-agent is reviewed where others are confirmed: "always" is not remembered', async () => {
  const call = { toolName: 'deploy', args: {}, isDelegated: true };
  const first = await idOf(ask('delegated', call));
  await approvals.approve(first, { always: true });
  expect(await approvals.show(await idOf(ask('delegated', call)))).toMatchObject({
    status: 'pending',
  });
});

test('arguments are encrypted while a question is open and gone once it is settled', async () => {
  const secret = { toolName: 'pay', args: { card: 'marker-9d1c' } };
  const open = await idOf(ask('c03', secret));
  const denied = await idOf(ask('c03', secret));
  await approvals.deny(denied);
  const { file } = runtime.config.records;
  const texts = await Promise.all([file, `${file}-wal`].map((each) => readFile(each, 'latin1')));
  expect(texts.join('')).not.toContain('marker-9d1c');
  expect((await approvals.show(open)).question?.payload['args']).toEqual(secret.args);
  expect((await approvals.show(denied)).question).toBeUndefined();
  const key = join(office.temporary.folder, '.signalbox', 'approvals.key');
  expect((await stat(key)).mode & 0o777).toBe(0o600);
});

test('a row that something without the key changed is refused and recorded', async () => {
  const id = await idOf(ask('forged'));
  const database = await openDatabase(runtime.config.records.file);
  await database.run({
    sql: `update approvals set status = 'granted' where id = ?`,
    parameters: [id],
  });
  await database.close();
  expect(await approvals.show(id)).toMatchObject({ status: 'forged' });
  expect(await approvals.redeem(id, PAY)).toMatchObject({ ok: false, code: 'approval_forged' });
  await expect(approvals.approve(id)).rejects.toMatchObject({ code: 'approval_settled' });
  const { records } = await runtime.records.query({ session: 'forged', code: 'approval_forged' });
  expect(records.length).toBeGreaterThanOrEqual(1);
});
