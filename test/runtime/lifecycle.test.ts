import { join } from 'node:path';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import { openRuntime } from '../../src/index.ts';
import { openTemporary } from './temporary-runtime.ts';

const SLOW =
  'new Promise((done) => setTimeout(() => done({ action: "block", reason: "late" }), 200))';

test('closing lets running calls finish, refuses new ones, and ends every process; closing twice is once', async () => {
  const { runtime, remove } = await openTemporary({ slow: { run: SLOW } });
  onTestFinished(remove);
  const running = runtime.fire('preToolUse', { toolName: 'x' });
  const pids = runtime.processes().map(({ pid }) => pid);
  const closing = runtime.close();
  await expect(runtime.fire('preToolUse', { toolName: 'x' })).rejects.toMatchObject({
    code: 'runtime_closed',
  });
  await expect(
    runtime.test({ point: 'preToolUse', payload: { toolName: 'x' } }),
  ).rejects.toMatchObject({ code: 'runtime_closed' });
  await expect(runtime.fire('preInput', { text: 'no hooks there' })).rejects.toMatchObject({
    code: 'runtime_closed',
  });
  expect(await running).toMatchObject({ action: 'block', reason: 'late' });
  await Promise.all([closing, runtime.close()]);
  expect(pids.length).toBeGreaterThan(0);
  expect(pids.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
});

test('a caller that aborts has its verdict at once, by the policy of the hook', async () => {
  const { runtime, remove } = await openTemporary({ never: { run: 'new Promise(() => {})' } });
  onTestFinished(remove);
  const abort = new AbortController();
  const running = runtime.fire(
    'preToolUse',
    { toolName: 'x' },
    { sessionId: 's', signal: abort.signal },
  );
  abort.abort();
  expect(await running).toMatchObject({ action: 'block', code: 'cancelled', hook: 'never' });
  const late = await runtime.fire(
    'preToolUse',
    { toolName: 'x' },
    { sessionId: 's', signal: abort.signal },
  );
  expect(late).toMatchObject({ action: 'block', code: 'cancelled' });
});

test('a payload over the limit, or without a JSON form, fails each hook by its policy', async () => {
  const { runtime, remove } = await openTemporary(
    {
      open: { scene: 'open', run: '({ action: "allow" })', manifest: { failPolicy: 'open' } },
      closed: { scene: 'closed', run: '({ action: "allow" })' },
      blind: { scene: 'blind', run: '({ action: "allow" })', manifest: { capabilities: [] } },
      grower: {
        scene: 'grow',
        run: '({ action: "modify", payload: { args: { text: "x".repeat(2000) } } })',
        manifest: { priority: -1 },
      },
      last: { scene: 'grow', run: '({ action: "allow" })' },
    },
    { limits: { payloadBytes: 1000 } },
  );
  onTestFinished(remove);
  const big = { toolName: 'x', args: { text: 'x'.repeat(1001) } };
  const call = (
    sessionId: string,
    payload: { toolName: string; args?: Record<string, unknown> },
  ): ReturnType<typeof runtime.fire<'preToolUse'>> =>
    runtime.fire('preToolUse', payload, { sessionId });
  expect(await call('open', big)).toMatchObject({
    action: 'allow',
    trace: [{ code: 'payload_size' }],
    payload: big,
  });
  expect(await call('closed', big)).toMatchObject({
    action: 'block',
    code: 'payload_size',
    reason: 'Hook "closed" failed (fail-closed)',
  });
  expect(await call('blind', big)).toMatchObject({ action: 'block', code: 'payload_size' });
  expect(await call('none', big)).toMatchObject({ action: 'allow' });
  expect(await call('grow', { toolName: 'x' })).toMatchObject({
    action: 'block',
    code: 'payload_size',
    hook: 'last',
  });
  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  expect(await call('closed', { toolName: 'x', args: circle })).toMatchObject({
    action: 'block',
    code: 'unserialisable',
  });
  expect(await call('closed', { toolName: 'x', args: { n: 1n } })).toMatchObject({
    action: 'block',
    code: 'unserialisable',
  });
});

test('a file for a configuration, an object for one, and what is wrong with either', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-open-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await expect(openRuntime({ config: join(folder, 'runtime.json') })).rejects.toMatchObject({
    code: 'config_missing',
  });
  await expect(openRuntime({ config: { hocks: {} }, folder })).rejects.toMatchObject({
    code: 'config_invalid',
  });
  const empty = await openRuntime({ config: {}, folder, log: { level: 'silent' } });
  expect(empty.inventory()).toMatchObject({ hooks: [], absent: [], health: 'ok' });
  expect(await empty.fire('preToolUse', { toolName: 'x' })).toMatchObject({ action: 'allow' });
  await empty.close();
});

test('a required hook that is not there stops the start', async () => {
  await expect(
    openTemporary({ here: {} }, { hooks: { required: ['gone'] } }),
  ).rejects.toMatchObject({ code: 'hook_required' });
});

test('what was opened is closed when the start fails', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-open-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const options = {
    config: { hooks: { required: ['gone'] } },
    folder,
    log: { level: 'silent' },
  } as const;
  await expect(openRuntime(options)).rejects.toMatchObject({ code: 'hook_required' });
  // The database would be locked or its worker would keep this process alive.
  const runtime = await openRuntime({ config: {}, folder, log: { level: 'silent' } });
  await runtime.close();
});

test('many calls at once keep apart: each has the answer to its own payload', async () => {
  const { runtime, remove } = await openTemporary({
    echo: {
      run: 'new Promise((done) => setTimeout(() => done({ action: "modify", payload: { args: { n: payload.args.n + 1 } } }), payload.args.n % 7))',
    },
  });
  onTestFinished(remove);
  const verdicts = await Promise.all(
    Array.from({ length: 60 }, (_, n) =>
      runtime.fire('preToolUse', { toolName: 'x', args: { n } }, { sessionId: `s${n % 5}` }),
    ),
  );
  expect(verdicts.map(({ payload }) => payload.args['n'])).toEqual(
    Array.from({ length: 60 }, (_, n) => n + 1),
  );
});
