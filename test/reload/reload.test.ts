import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LiveRuntime } from '../../src/index.ts';
import { openDatabase } from '../../src/sql/database.ts';
import { openOperatorRows } from '../../src/sql/operator-rows.ts';
import { createCheckout, packageEntry, type Checkout } from './checkout.ts';

/** A busy machine takes its time to start sandboxes. */
const BUSY_MS = 120_000;
/** The clocks of file systems are not trusted for less. */
const CLOCK_TICK_MS = 1100;
const WHO = { who: 'ann' };
const says = (word: string): string => `({ action: 'block', reason: '${word}' })`;

let checkout: Checkout;
let runtime: LiveRuntime;
let packages: object[];
let settings: Record<string, unknown>;

beforeAll(async () => {
  checkout = await createCheckout();
  packages = [packageEntry('steady'), packageEntry('moving')];
  await checkout.hook('steady', 'steady', { run: '({ action: "allow" })' });
  await checkout.hook('moving', 'moving', { run: says('one'), manifest: { priority: 1 } });
  await checkout.hook('local', 'asker', {
    run: '({ action: "ask", reason: "really" })',
    manifest: { points: ['preInput'] },
  });
  await checkout.hook('local', 'quiet', {
    run: says('quiet one'),
    manifest: { points: ['preOutput'] },
  });
  settings = { packages, approvals: { enabled: true } };
  await checkout.configure(settings);
  // What was written within the second before it is read counts as written after it.
  await sleep(CLOCK_TICK_MS);
  runtime = await checkout.open();
}, BUSY_MS);
afterAll(() => checkout?.remove());

async function reasonAt(turnId?: string, sessionId = 's'): Promise<string | undefined> {
  const context = { sessionId, ...(turnId !== undefined && { turnId }) };
  return (await runtime.fire('preToolUse', { toolName: 't' }, context)).reason;
}

const pidsOf = (owner: string): number[] =>
  runtime
    .processes()
    .filter((process) => process.owner === owner)
    .map(({ pid }) => pid);

test(
  'a turn that runs ends with the hooks it began with, the next one has the new ones',
  { timeout: BUSY_MS },
  async () => {
    expect(await reasonAt('t1')).toBe('one');
    const before = { steady: pidsOf('steady@1.0.0'), local: pidsOf('local') };
    await checkout.hook('moving', 'moving', { run: says('two'), manifest: { priority: 1 } });
    expect(await runtime.reload(WHO)).toEqual({
      changed: [{ kind: 'hook', name: 'moving', change: 'changed' }],
      needsRestart: [],
    });
    expect(await reasonAt('t1')).toBe('one');
    expect(await reasonAt('t1', 'another session')).toBe('two');
    expect(await reasonAt()).toBe('two');
    // A turn is over when its run ends, or when its session begins another.
    await runtime.fire(
      'runEnd',
      { status: 'completed', response: '' },
      { sessionId: 's', turnId: 't1' },
    );
    expect(await reasonAt('t1')).toBe('two');
    expect(await reasonAt('t2')).toBe('two');
    // What did not change was not even started again.
    expect({ steady: pidsOf('steady@1.0.0'), local: pidsOf('local') }).toEqual(before);
  },
);

test(
  'a call that is refused for its point ties its turn to no hooks',
  { timeout: BUSY_MS },
  async () => {
    const context = { sessionId: 'astray', turnId: 't1' };
    const refused = runtime.fire('nowhere' as 'preInput', { text: 'x' }, context);
    await expect(refused).rejects.toMatchObject({ code: 'point_unknown' });
    await checkout.hook('moving', 'moving', { run: says('2'), manifest: { priority: 1 } });
    await runtime.reload(WHO);
    expect(await reasonAt('t1', 'astray')).toBe('2');
    runtime.endSession('astray');
    await checkout.hook('moving', 'moving', { run: says('two'), manifest: { priority: 1 } });
    await runtime.reload(WHO);
  },
);

test(
  'a local hook is read again when its files changed, and its old process goes with its last turn',
  { timeout: BUSY_MS },
  async () => {
    const ask = async (turnId: string): Promise<string | undefined> =>
      (await runtime.fire('preOutput', { text: 'x' }, { sessionId: 'local', turnId })).reason;
    expect(await ask('t1')).toBe('quiet one');
    const [first] = pidsOf('local');
    // Written within the second that the clocks of file systems are not trusted for, or long after it.
    await checkout.write('hooks/quiet/index.mjs', `export default () => (${says('quiet two')});`);
    const { changed } = await runtime.reload(WHO);
    expect(changed).toContainEqual({ kind: 'hook', name: 'quiet', change: 'changed' });
    expect(await ask('t1')).toBe('quiet one');
    expect(pidsOf('local')).toEqual([first]);
    expect(await ask('t2')).toBe('quiet two');
    const asked = await runtime.fire('preInput', { text: 'x' }, { sessionId: 'a' });
    expect(asked).toMatchObject({ action: 'ask' });
  },
);

test.each([
  ['is no JSON', '{', 'config_syntax'],
  ['has an unknown key', '{"pakcages": []}', 'config_invalid'],
  ['requires a hook that is not there', '{"hooks": {"required": ["nobody"]}}', 'hook_required'],
  ['names a package that is not there', '{"packages": ["./packages/none"]}', 'reload_refused'],
  [
    'has a token whose variable is not set',
    '{"server": {"tokens": [{"name": "ci", "role": "agent", "env": "NO_SUCH_VARIABLE"}]}}',
    'token_unusable',
  ],
])('a runtime.json that %s changes nothing', async (_, text, code) => {
  await checkout.write('runtime.json', text);
  const before = runtime.inventory();
  await expect(runtime.reload(WHO)).rejects.toMatchObject({ code });
  expect(runtime.inventory()).toEqual(before);
  expect(await reasonAt()).toBe('two');
  await checkout.configure(settings);
});

test(
  'a hook that would not load is named, and the one that works goes on',
  { timeout: BUSY_MS },
  async () => {
    await checkout.write('packages/moving/hooks/moving/index.mjs', 'throw new Error("broken");\n');
    await expect(runtime.reload(WHO)).rejects.toMatchObject({
      code: 'reload_refused',
      message: expect.stringMatching(/"moving" would fail with load_error/) as string,
    });
    expect(await reasonAt()).toBe('two');
    expect(runtime.inventory().health).toBe('ok');
    await checkout.hook('moving', 'moving', { run: says('two'), manifest: { priority: 1 } });
  },
);

test(
  'an approval that waits stays valid for exactly what was asked',
  { timeout: BUSY_MS },
  async () => {
    const context = { sessionId: 'waits' };
    const { approval, payload } = await runtime.fire('preInput', { text: 'pay' }, context);
    await checkout.hook('local', 'asker', {
      run: says('never'),
      manifest: { points: ['preInput'] },
    });
    await runtime.reload(WHO);
    expect(await runtime.fire('preInput', { text: 'pay' }, context)).toMatchObject({
      reason: 'never',
    });
    const id = approval?.id ?? '';
    await runtime.approvals.approve(id, { by: 'bob' });
    const other = { ...payload, text: 'pay more' };
    expect(await runtime.approvals.redeem(id, { ...other }, context)).toMatchObject({
      code: 'approval_mismatch',
    });
    expect(await runtime.approvals.redeem(id, { ...payload }, context)).toMatchObject({ ok: true });
  },
);

test('rules of access hold from the next call, for calls that were granted before as well', async () => {
  settings = { ...settings, access: { rules: [{ tool: 'shell', tier: 'never' }] } };
  await checkout.configure(settings);
  const { changed } = await runtime.reload(WHO);
  expect(changed).toContainEqual({ kind: 'setting', name: 'access', change: 'changed' });
  await checkout.hook('moving', 'moving', { run: '({ action: "allow" })' });
  await runtime.reload(WHO);
  expect(await runtime.fire('preToolUse', { toolName: 'shell' })).toMatchObject({ code: 'access' });
});

test('what needs a restart is said, and the rest is taken over', async () => {
  await checkout.configure({ ...settings, packages: [packages[0]], store: { file: 'other.db' } });
  expect(await runtime.reload(WHO)).toEqual({
    changed: expect.arrayContaining([
      { kind: 'hook', name: 'moving', change: 'removed' },
    ]) as unknown,
    needsRestart: ['store'],
  });
  expect(runtime.config.store.file).not.toContain('other.db');
  expect(await runtime.fire('preToolUse', { toolName: 't' })).toMatchObject({ action: 'allow' });
  // The last turns that it served.
  for (const session of ['s', 'another session', 'local']) runtime.endSession(session);
  await expect.poll(() => pidsOf('moving@1.0.0'), { timeout: 20_000 }).toEqual([]);
});

test(
  'no call is lost or undecided while the hooks change under it',
  { timeout: BUSY_MS },
  async () => {
    await checkout.configure(settings);
    let isOver = false;
    const seen = new Set<string | undefined>();
    const caller = async (): Promise<void> => {
      for (let count = 0; !isOver; count += 1) {
        const turnId = `turn ${count >> 3}`;
        const context = { sessionId: 'busy', turnId };
        const verdict = await runtime.fire('preToolUse', { toolName: 't' }, context);
        if (verdict.code !== undefined) seen.add(verdict.code);
        else seen.add(verdict.reason);
      }
    };
    const calling = caller();
    for (const word of ['three', 'four', 'five']) {
      await checkout.hook('moving', 'moving', { run: says(word), manifest: { priority: 1 } });
      await runtime.reload(WHO);
      await expect.poll(() => seen.has(word), { timeout: 20_000 }).toBe(true);
    }
    isOver = true;
    await calling;
    expect([...seen]).toEqual(expect.arrayContaining(['three', 'four', 'five']));
    for (const word of seen) expect([undefined, 'three', 'four', 'five']).toContain(word);
  },
);

test(
  'another version of a package has processes of its own, and those of the old one end',
  { timeout: BUSY_MS },
  async () => {
    runtime.endSession('busy');
    const facts = { name: 'moving', version: '2.0.0', type: 'module' };
    await checkout.write('packages/moving/package.json', JSON.stringify(facts));
    const { changed } = await runtime.reload(WHO);
    expect(changed).toContainEqual({ kind: 'hook', name: 'moving', change: 'changed' });
    expect(await reasonAt()).toBe('five');
    expect(pidsOf('moving@2.0.0')).toHaveLength(1);
    await expect.poll(() => pidsOf('moving@1.0.0'), { timeout: 20_000 }).toEqual([]);
  },
);

test('a hook that failed before and still does is no reason to refuse, and no change', async () => {
  await checkout.write('hooks/sick/hook.json', JSON.stringify(SICK));
  await checkout.write('hooks/sick/index.mjs', 'throw new Error("sick");\n');
  await expect(runtime.reload(WHO)).rejects.toMatchObject({ code: 'reload_refused' });
  const second = await checkout.open();
  expect(second.inventory().health).toBe('degraded');
  const { changed } = await second.reload(WHO);
  expect(changed.filter(({ name }) => name === 'sick')).toEqual([]);
  await second.close();
});

const SICK = { name: 'sick', points: ['preCompact'], capabilities: ['gates_context'] };

test('who reloaded what, and what was refused, is kept', async () => {
  const database = await openDatabase(runtime.config.records.file);
  try {
    const rows = await openOperatorRows(database).reloads();
    expect(rows.every(({ by }) => by === 'ann')).toBe(true);
    const told = rows.map(({ outcome, detail }) => `${outcome} ${detail}`);
    expect(told).toContainEqual(expect.stringMatching(/^refused .*config_syntax/));
    expect(told).toContainEqual(expect.stringMatching(/^applied .*"name":"moving"/));
  } finally {
    await database.close();
  }
  const metrics = await runtime.metrics.text();
  expect(metrics).toMatch(/^signalbox_reloads_total\{outcome="applied"\} [1-9]\d*$/m);
  expect(metrics).toMatch(/^signalbox_reloads_total\{outcome="refused"\} [1-9]\d*$/m);
  await expect(runtime.reload({ who: ' ' })).rejects.toMatchObject({ code: 'request_invalid' });
});
