import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DecisionRecord } from '../../src/records/records.ts';
import type { LiveRuntime } from '../../src/index.ts';
import { openTemporary, type TemporaryRuntime } from './temporary-runtime.ts';

let temporary: TemporaryRuntime;
let runtime: LiveRuntime;

beforeAll(async () => {
  temporary = await openTemporary(
    {
      redactor: {
        scene: 'left',
        run: '({ action: "modify", payload: { args: { text: "[redacted]" } } })',
      },
      blocker: {
        scene: 'C09',
        run: '({ action: "block", reason: "would stop " + payload.toolName })',
      },
      reader: { scene: 'left', run: '({ action: "block", reason: payload.args.text })' },
      writer: {
        scene: 'effects',
        run: 'ctx.store.put("rows", "k", 1).then(() => ({ action: "allow" }), (error) => ({ action: "block", reason: error.code }))',
        manifest: { capabilities: ['store:write', 'gates_tools'] },
      },
      thrower: { scene: 'fails', run: '{ throw new Error("on purpose"); }' },
      neutral: { scene: 'neutral', run: '({ action: "allow" })' },
      publisher: {
        scene: 'bag',
        run: '({ action: "allow", notice: { text: "n" }, outputs: { k: 1 } })',
        manifest: { outputs: ['k'] },
      },
      consumer: {
        scene: 'bag',
        run: '({ action: "allow", notice: { text: JSON.stringify(ctx.inputs) } })',
        manifest: { inputs: ['k'] },
      },
    },
    {
      hooks: {
        mode: {
          blocker: 'shadow',
          reader: 'shadow',
          writer: 'shadow',
          thrower: 'shadow',
          neutral: 'shadow',
          publisher: 'shadow',
        },
      },
    },
  );
  ({ runtime } = temporary);
});

afterAll(() => temporary.remove());

function call(scene: string): ReturnType<typeof runtime.fire<'preToolUse'>> {
  return runtime.fire(
    'preToolUse',
    { toolName: 'tool', args: { text: 'plain' } },
    { sessionId: scene },
  );
}

/** The records of a scene once there are as many as expected. */
async function recordsOf(session: string, count = 1): Promise<readonly DecisionRecord[]> {
  return expect
    .poll(async () => (await runtime.records.query({ session })).records, { timeout: 20_000 })
    .toHaveLength(count)
    .then(async () => (await runtime.records.query({ session })).records);
}

test('[C09] a hook in shadow mode stops nothing, and what it would have done is recorded', async () => {
  const verdict = await call('C09');
  expect(verdict).toMatchObject({ action: 'allow', trace: [], notRun: [] });
  expect(await recordsOf('C09')).toMatchObject([
    {
      hook: 'blocker',
      action: 'block',
      wouldBlock: true,
      fireId: verdict.id,
      reason: 'would stop tool',
    },
  ]);
  expect(temporary.logged()).toContainEqual(
    expect.objectContaining({ event: 'guardrail_decision', hook: 'blocker', wouldBlock: true }),
  );
});

test('it sees the payload as the enforced chain left it', async () => {
  expect((await call('left')).payload.args).toEqual({ text: '[redacted]' });
  const records = await recordsOf('left', 2);
  expect(records.find(({ hook }) => hook === 'reader')?.reason).toBe('[redacted]');
});

test('its writes are refused as such, and nothing is written', async () => {
  await call('effects');
  expect(await recordsOf('effects')).toMatchObject([
    { hook: 'writer', action: 'block', reason: 'shadow' },
  ]);
  expect(await runtime.store.get('rows', 'k')).toBeNull();
});

test('its failure is recorded under a code of its own', async () => {
  expect(await call('fails')).toMatchObject({ action: 'allow' });
  const [record] = await recordsOf('fails');
  expect(record).toMatchObject({ hook: 'thrower', code: 'shadow', wouldBlock: true });
  expect(record?.reason).toContain('thrown');
});

test('what it publishes reaches no other hook', async () => {
  await call('bag');
  await recordsOf('bag', 2);
  const verdict = await call('bag');
  expect(verdict.notices.map(({ text }) => text)).toEqual(['{}']);
});

test('it runs in a process of its own', () => {
  const owners = new Set(runtime.processes().map(({ owner }) => owner));
  expect([...owners].toSorted()).toEqual(['plain@1.0.0', 'shadow plain@1.0.0']);
});

test('closing waits for shadow runs, and a neutral one leaves no record', async () => {
  const own = await openTemporary(
    {
      slow: {
        run: 'new Promise((done) => setTimeout(() => done({ action: "block", reason: "late" }), 100))',
      },
    },
    { hooks: { mode: { slow: 'shadow' } } },
  );
  const verdict = await own.runtime.fire('preToolUse', { toolName: 'x' });
  expect(verdict.action).toBe('allow');
  await own.remove();
  expect(own.logged()).toContainEqual(
    expect.objectContaining({ hook: 'slow', action: 'block', wouldBlock: true }),
  );
});
