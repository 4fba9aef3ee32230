import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRuntime } from '../../src/index.ts';
import { openTemporary, type TemporaryRuntime } from '../runtime/temporary-runtime.ts';

const TOOL = ['reads_tool_io', 'gates_tools'];
const READ = `ctx.store.get(payload.args.from, "k").then(
  (row) => ({ action: "block", reason: "read " + row }))`;

/** A busy machine takes its time to start many sandboxes. */
const BUSY_MS = 120_000;

let opened: TemporaryRuntime;

beforeAll(async () => {
  opened = await openTemporary(
    {
      reader: {
        home: 'loose',
        scene: 'reader',
        run: READ,
        manifest: { capabilities: [...TOOL, 'store:read'] },
      },
      strict: {
        home: 'strict',
        scene: 'strict',
        run: READ,
        manifest: { capabilities: [...TOOL, 'store:read'] },
      },
      open: {
        home: 'strict',
        scene: 'open',
        run: '({ action: "block", reason: "ran" })',
        manifest: { capabilities: [...TOOL], failPolicy: 'open' },
      },
    },
    { partial: ['loose'] },
  );
  await opened.runtime.store.put('documents', 'k', 1);
  await opened.runtime.store.put('people', 'k', 2);
}, BUSY_MS);

afterAll(() => opened?.remove());

function fire(scene: string, from = 'documents'): Promise<{ reason?: string; code?: string }> {
  return opened.runtime.fire('preToolUse', { toolName: 't', args: { from } }, { sessionId: scene });
}

function grantedTo(hook: string): readonly string[] | undefined {
  return opened.runtime.inventory().hooks.find((row) => row.hook === hook)?.capabilities.granted;
}

test('a narrowed grant holds from the next call, in a sandbox that runs already', async () => {
  const { grants } = opened.runtime;
  expect(await fire('reader', 'people')).toMatchObject({ reason: 'read 2' });
  await grants.narrow({ target: 'reader', capabilities: ['store:read:documents'], by: 'ann' });
  expect(await fire('reader', 'people')).toMatchObject({ code: 'capability' });
  expect(await fire('reader')).toMatchObject({ reason: 'read 1' });
  expect(grantedTo('reader')).toEqual([...TOOL, 'store:read:documents']);
  await grants.restore({ target: 'reader', capabilities: ['store:read'], by: 'bob' });
  expect(await fire('reader', 'people')).toMatchObject({ reason: 'read 2' });
});

test('a hook that lacks what it declares fails by its policy, and says so', async () => {
  const { grants } = opened.runtime;
  await grants.revoke({ target: 'strict', capabilities: ['gates_tools'], by: 'ann' });
  // The hook "strict" and the package "strict" go by one name: both lose it.
  expect(await fire('strict')).toMatchObject({ action: 'block', code: 'ungranted' });
  expect(await fire('open')).toMatchObject({ action: 'allow' });
  expect(opened.runtime.inventory()).toMatchObject({ health: 'degraded' });
  await grants.restore({ target: 'strict', capabilities: ['gates_tools'], by: 'ann' });
  expect(await fire('strict')).toMatchObject({ reason: 'read 1' });
  expect(await fire('open')).toMatchObject({ reason: 'ran' });
});

test('who changed what and when is kept', async () => {
  const changes = opened.runtime.grants.changes();
  expect(changes.map(({ by, action, target }) => `${by} ${action} ${target}`)).toEqual([
    'ann narrow reader',
    'bob restore reader',
    'ann revoke strict',
    'ann restore strict',
  ]);
  expect(opened.logged()).toContainEqual(
    expect.objectContaining({ event: 'grant_revoke', target: 'strict', by: 'ann' }),
  );
});

test('a revocation that would take nothing is refused with what is held', async () => {
  const { grants } = opened.runtime;
  const by = 'ann';
  const request = { target: 'reader', by };
  await expect(
    grants.revoke({ ...request, capabilities: ['store:read:documents'] }),
  ).rejects.toMatchObject({
    code: 'request_invalid',
    message: expect.stringContaining('narrow') as string,
  });
  await expect(grants.revoke({ ...request, capabilities: ['llm:call'] })).rejects.toMatchObject({
    code: 'request_invalid',
  });
  await expect(grants.revoke({ ...request, capabilities: ['gates_tool'] })).rejects.toMatchObject({
    message: expect.stringContaining('gates_tools') as string,
  });
  await expect(
    grants.revoke({ target: 'raeder', capabilities: ['gates_tools'], by }),
  ).rejects.toMatchObject({
    code: 'hook_unknown',
    hint: expect.stringContaining('reader') as string,
  });
  await expect(
    grants.revoke({ target: 'reader', capabilities: ['gates_tools'], by: ' ' }),
  ).rejects.toMatchObject({ code: 'request_invalid' });
});

test(
  'a revocation of another process holds here within a moment, and after a start',
  { timeout: 120_000 },
  async () => {
    const { runtime, folder } = opened;
    const { packages, limits } = runtime.config;
    const config = {
      packages,
      limits,
      records: runtime.config.records,
      store: runtime.config.store,
    };
    const other = await openRuntime({ config, folder, log: { level: 'silent' } });
    try {
      const revoked = { target: 'reader', capabilities: ['store:read'], by: 'ann' };
      await other.grants.revoke(revoked);
      await expect.poll(() => grantedTo('reader'), { timeout: 20_000 }).toEqual(TOOL);
      // The store is not on ctx any more.
      expect(await fire('reader')).toMatchObject({ code: 'thrown' });
      const third = await openRuntime({ config, folder, log: { level: 'silent' } });
      const row = third.inventory().hooks.find(({ hook }) => hook === 'reader');
      await third.close();
      expect(row?.capabilities).toMatchObject({ granted: TOOL, missing: ['store:read'] });
      await expect(
        openRuntime({ config: { ...config, hooks: { required: ['strict'] } }, folder }).then(
          async (fine) => {
            await fine.grants.revoke({ ...revoked, target: 'strict' });
            await fine.close();
            return openRuntime({ config: { ...config, hooks: { required: ['strict'] } }, folder });
          },
        ),
      ).rejects.toMatchObject({ code: 'hook_required' });
    } finally {
      await other.close();
    }
  },
);
