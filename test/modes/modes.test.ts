import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LiveRuntime } from '../../src/index.ts';
import { createCheckout, packageEntry, type Checkout } from '../reload/checkout.ts';

/** A busy machine takes its time to start sandboxes. */
const BUSY_MS = 120_000;
const BY = { who: 'ann' };
const FORCED = { who: 'ann', force: true, reason: 'It stops the payroll' };

let checkout: Checkout;
let runtime: LiveRuntime;
const settings = {
  packages: [packageEntry('guards')],
  hooks: { mode: { trial: 'shadow' } },
};

beforeAll(async () => {
  checkout = await createCheckout();
  const block = { run: '({ action: "block", reason: "no" })' };
  await checkout.hook('guards', 'guard', block);
  await checkout.hook('guards', 'trial', { ...block, manifest: { points: ['preInput'] } });
  await checkout.hook('local', 'own', { ...block, manifest: { points: ['preOutput'] } });
  await checkout.configure(settings);
  runtime = await checkout.open();
}, BUSY_MS);
afterAll(() => checkout?.remove());

const call = (turnId = 't') =>
  runtime.fire('preToolUse', { toolName: 't' }, { sessionId: 's', turnId });
const modeOf = (hook: string) => runtime.inventory().hooks.find((row) => row.hook === hook)?.mode;

test('shadow mode of a guard needs force and a reason', async () => {
  for (const order of [
    BY,
    { ...BY, force: true },
    { ...BY, reason: 'x' },
    { ...FORCED, reason: ' ' },
  ]) {
    await expect(runtime.setMode('guard', 'shadow', order)).rejects.toMatchObject({
      code: 'mode_refused',
    });
  }
  expect(await call()).toMatchObject({ action: 'block' });
});

test(
  'a guard in shadow mode stops nothing, from the next call of a running turn on, and says what it would have',
  { timeout: BUSY_MS },
  async () => {
    expect(await call()).toMatchObject({ action: 'block' });
    await runtime.setMode('guard', 'shadow', FORCED);
    expect(await call()).toMatchObject({ action: 'allow' });
    expect(modeOf('guard')).toBe('shadow');
    await expect
      .poll(async () => (await runtime.records.query({ hook: 'guard' })).records[0], {
        timeout: 20_000,
      })
      .toMatchObject({ action: 'block', wouldBlock: true });
    await runtime.setMode('guard', 'enforce', BY);
    expect(await call()).toMatchObject({ action: 'block' });
  },
);

test('a hook on trial is enforced with a word', { timeout: BUSY_MS }, async () => {
  const input = () => runtime.fire('preInput', { text: 'x' });
  expect(await input()).toMatchObject({ action: 'allow' });
  await runtime.setMode('trial', 'enforce', BY);
  expect(await input()).toMatchObject({ action: 'block', reason: 'no' });
});

test('a local hook changes its mode as a package does', { timeout: BUSY_MS }, async () => {
  const output = () => runtime.fire('preOutput', { text: 'x' });
  expect(await output()).toMatchObject({ action: 'block' });
  await runtime.setMode('own', 'shadow', FORCED);
  expect(await output()).toMatchObject({ action: 'allow' });
  await runtime.setMode('own', 'enforce', BY);
  expect(await output()).toMatchObject({ action: 'block' });
});

test(
  'a mode is the same after a start, until runtime.json says something else',
  { timeout: BUSY_MS },
  async () => {
    await runtime.setMode('guard', 'shadow', FORCED);
    const second = await checkout.open();
    const modes = second.inventory().hooks.map(({ hook, mode }) => `${hook} ${mode}`);
    expect(modes.toSorted()).toEqual(['guard shadow', 'own enforce', 'trial enforce']);
    await second.close();
    await checkout.configure({ ...settings, hooks: { mode: { guard: 'shadow' } } });
    await runtime.reload(BY);
    // What was said of a hook in shadow mode is said of another one now.
    expect(modeOf('trial')).toBe('enforce');
    await checkout.configure(settings);
    await runtime.reload(BY);
    await runtime.setMode('guard', 'enforce', BY);
  },
);

test('a change of another process holds here within a moment', { timeout: BUSY_MS }, async () => {
  const other = await checkout.open();
  await other.setMode('guard', 'shadow', FORCED);
  await expect.poll(() => modeOf('guard'), { timeout: 20_000 }).toBe('shadow');
  expect(await call()).toMatchObject({ action: 'allow' });
  await runtime.setMode('guard', 'enforce', BY);
  await expect
    .poll(() => other.inventory().hooks.find(({ hook }) => hook === 'guard')?.mode, {
      timeout: 20_000,
    })
    .toBe('enforce');
  await other.close();
});

test('a hook that nobody knows is refused with the nearest name', async () => {
  await expect(runtime.setMode('gaurd', 'enforce', BY)).rejects.toMatchObject({
    code: 'hook_unknown',
    hint: expect.stringContaining('guard') as string,
  });
  await expect(runtime.setMode('guard', 'enforce', { who: '' })).rejects.toMatchObject({
    code: 'request_invalid',
  });
});

test(
  'a guard that runtime.json put into shadow mode and back is armed, whatever was changed before',
  { timeout: BUSY_MS },
  async () => {
    await runtime.setMode('guard', 'shadow', FORCED);
    await checkout.configure({ ...settings, hooks: { mode: { guard: 'shadow' } } });
    await runtime.reload(BY);
    expect(modeOf('guard')).toBe('shadow');
    await checkout.configure(settings);
    await runtime.reload(BY);
    expect(modeOf('guard')).toBe('enforce');
    expect(await call()).toMatchObject({ action: 'block' });
  },
);

test(
  'a hook of the same name from another package has the mode that runtime.json says',
  { timeout: BUSY_MS },
  async () => {
    const twin = { packages: [packageEntry('twins')] };
    await checkout.hook('twins', 'guard', { run: '({ action: "block", reason: "twin" })' });
    await runtime.setMode('guard', 'shadow', FORCED);
    await checkout.configure(twin);
    await runtime.reload(BY);
    expect(modeOf('guard')).toBe('enforce');
    expect(await call('of the twin')).toMatchObject({ action: 'block', reason: 'twin' });
    // Nor does the first one come back unarmed.
    await checkout.configure(settings);
    await runtime.reload(BY);
    expect(modeOf('guard')).toBe('enforce');
  },
);

test(
  'what runtime.json contradicts at a start is over at the next one',
  { timeout: BUSY_MS },
  async () => {
    await runtime.setMode('guard', 'shadow', FORCED);
    await checkout.configure({ ...settings, hooks: { mode: { guard: 'shadow' } } });
    await (await checkout.open()).close();
    await checkout.configure(settings);
    const third = await checkout.open();
    expect(third.inventory().hooks.find(({ hook }) => hook === 'guard')?.mode).toBe('enforce');
    await third.close();
  },
);
