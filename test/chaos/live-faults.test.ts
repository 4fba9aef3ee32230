import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { LiveRuntime } from '../../src/index.ts';
import { createCheckout, packageEntry, type Checkout } from '../reload/checkout.ts';

/** A busy machine takes its time to start sandboxes. */
const BUSY_MS = 120_000;
const ORDER = { who: 'ann', hook: 'guard', fault: 'throw', calls: 2 } as const;

let checkout: Checkout;
let runtime: LiveRuntime;

beforeAll(async () => {
  checkout = await createCheckout();
  await checkout.hook('guards', 'guard', {
    run: `({ action: 'allow', notice: { text: 'seen' } })`,
  });
  await checkout.hook('guards', 'lax', {
    run: `({ action: 'allow' })`,
    manifest: { points: ['preInput'], failPolicy: 'open' },
  });
  await checkout.hook('local', 'own', {
    run: `({ action: 'allow' })`,
    manifest: { points: ['preOutput'] },
  });
  await checkout.configure({ packages: [packageEntry('guards')] });
  runtime = await checkout.open();
}, BUSY_MS);
afterAll(() => checkout?.remove());
afterEach(() => runtime.faults.end({ who: 'ann' }));

const call = (turnId = 't') =>
  runtime.fire('preToolUse', { toolName: 't' }, { sessionId: 's', turnId });

test(
  'a fault meets as many calls as were asked for, those of running turns included, and then the hook is back',
  { timeout: BUSY_MS },
  async () => {
    expect(await call('running')).toMatchObject({ action: 'allow' });
    await runtime.faults.inject({ ...ORDER, reason: 'A drill' });
    expect(runtime.inventory()).toMatchObject({
      health: 'degraded',
      fault: { hook: 'guard', fault: 'throw', by: 'ann', met: 0, calls: 2 },
    });
    expect(await call('running')).toMatchObject({ action: 'block', code: 'thrown' });
    expect(await call('running')).toMatchObject({ action: 'block', code: 'thrown' });
    const after = await call('running');
    expect(after).toMatchObject({ action: 'allow', notices: [{ text: 'seen' }] });
    expect(runtime.faults.current()).toMatchObject({
      met: 2,
      ended: 'calls',
      points: [{ point: 'preToolUse', calls: 2, got: { block: 2 }, codes: { thrown: 2 } }],
    });
    expect(runtime.inventory()).toMatchObject({ health: 'ok' });
    expect(runtime.inventory()).not.toHaveProperty('fault');
    await expect
      .poll(() => runtime.acts.list(2))
      .toMatchObject([
        { by: 'ann', act: 'fault ended', target: 'guard', detail: 'throw, 2 calls' },
        { by: 'ann', act: 'fault injected', target: 'guard', detail: 'throw, 2 calls: A drill' },
      ]);
  },
);

test.each(['timeout', 'crash'] as const)(
  'a hook that is made to fail by %s is back after the call',
  { timeout: BUSY_MS },
  async (fault) => {
    await runtime.faults.inject({ ...ORDER, hook: 'own', fault: 'garbage', calls: 1 });
    const text = { text: 'x' };
    expect(await runtime.fire('preOutput', text)).toMatchObject({ code: 'invalid_decision' });
    expect(await runtime.fire('preOutput', text)).toMatchObject({ action: 'allow' });
    await checkout.configure({
      packages: [packageEntry('guards')],
      hooks: { overrides: { guard: { timeoutMs: 300 } } },
    });
    await runtime.reload({ who: 'ann' });
    await runtime.faults.inject({ ...ORDER, fault, calls: 1 });
    expect(await call()).toMatchObject({ action: 'block' });
    await checkout.configure({ packages: [packageEntry('guards')] });
    await runtime.reload({ who: 'ann' });
    expect(await call()).toMatchObject({ action: 'allow' });
  },
);

test('a reload puts the hook back', { timeout: BUSY_MS }, async () => {
  await runtime.faults.inject(ORDER);
  expect(await call()).toMatchObject({ action: 'block' });
  expect(await runtime.reload({ who: 'ann' })).toMatchObject({ changed: [] });
  expect(await call()).toMatchObject({ action: 'allow' });
  expect(runtime.faults.current()).toMatchObject({ met: 1, ended: 'change' });
});

test('a fault can be ended before its calls are used up, and it is kept by whom', async () => {
  await runtime.faults.inject(ORDER);
  runtime.faults.end({ who: 'joe' });
  await expect
    .poll(() => runtime.acts.list(1))
    .toMatchObject([{ by: 'joe', act: 'fault ended', target: 'guard' }]);
  expect(await call()).toMatchObject({ action: 'allow' });
  expect(runtime.faults.current()).toMatchObject({ met: 0, ended: 'request' });
});

test.each([
  ['a hook that is not there', { hook: 'guart' }, 'hook_unknown'],
  ['nobody', { who: ' ' }, 'request_invalid'],
  ['no call', { calls: 0 }, 'request_invalid'],
  ['more calls than are allowed', { calls: 1001 }, 'request_invalid'],
  ['a store that others have too', { fault: 'slow-store' }, 'fault_refused'],
  ['an open guard without force', { hook: 'lax' }, 'fault_refused'],
  ['an open guard with force and no reason', { hook: 'lax', force: true }, 'fault_refused'],
] as const)('a fault for %s is refused and kept nowhere', async (_what, part, code) => {
  const before = await runtime.acts.list(100);
  await expect(runtime.faults.inject({ ...ORDER, ...part })).rejects.toMatchObject({ code });
  expect(await runtime.acts.list(100)).toEqual(before);
});

test('there is one fault at a time, and an open guard needs force and a reason', async () => {
  await runtime.faults.inject({ ...ORDER, hook: 'lax', force: true, reason: 'A drill', calls: 1 });
  await expect(runtime.faults.inject(ORDER)).rejects.toMatchObject({ code: 'fault_refused' });
  expect(await runtime.fire('preInput', { text: 'x' })).toMatchObject({ action: 'allow' });
  expect(runtime.faults.current()).toMatchObject({
    ended: 'calls',
    points: [{ got: { allow: 1 } }],
  });
});

test('a runtime is closed while a fault is at work', { timeout: BUSY_MS }, async () => {
  const other = await checkout.open();
  await other.faults.inject(ORDER);
  await other.close();
  expect(other.faults.current()).toMatchObject({ ended: 'change' });
});
