import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { LiveRuntime } from '../../src/index.ts';
import { createCheckout, packageEntry, type Checkout } from './checkout.ts';

/** A busy machine takes its time to start sandboxes. */
const BUSY_MS = 120_000;
const WHO = { who: 'ann' };

let checkout: Checkout;
let runtime: LiveRuntime;
const [left, right] = [packageEntry('left'), packageEntry('right')];
const settings = { packages: [left, right] };

beforeAll(async () => {
  checkout = await createCheckout();
  for (const name of ['left', 'right']) {
    await checkout.hook(name, name, { run: `({ action: 'block', reason: '${name}' })` });
  }
  await checkout.configure(settings);
  runtime = await checkout.open();
}, BUSY_MS);
beforeEach(async () => {
  await checkout.configure(settings);
  await runtime.reload(WHO);
}, BUSY_MS);
afterAll(() => checkout?.remove());

const reason = async () => (await runtime.fire('preToolUse', { toolName: 't' })).reason;
const changed = (name: string) => ({
  changed: [{ kind: 'setting', name, change: 'changed' }],
  needsRestart: [],
});

test('an order that hooks are given holds after a reload that changes nothing else', async () => {
  expect(await reason()).toBe('left');
  await checkout.configure({ ...settings, hooks: { order: ['right', 'left'] } });
  expect(await runtime.reload(WHO)).toEqual(changed('hooks'));
  expect(await reason()).toBe('right');
});

test('packages in another order run in it after a reload that changes nothing else', async () => {
  expect(await reason()).toBe('left');
  await checkout.configure({ packages: [right, left] });
  expect(await runtime.reload(WHO)).toEqual(changed('packages'));
  expect(await reason()).toBe('right');
});

test('a hook is required after a reload that says nothing else', async () => {
  await checkout.configure({ ...settings, hooks: { required: ['left'] } });
  expect(await runtime.reload(WHO)).toEqual(changed('hooks'));
  expect(runtime.config.hooks.required).toEqual(['left']);
});

test('budgets in files of config/ hold after a reload that changes nothing else', async () => {
  const view = async () => (await runtime.budgets.view({ sessionId: 's', userId: 'ann' }))?.total;
  for (const max of [500, 200]) {
    const text = `user:\n  max: ${max}\n  unit: tokens\n`;
    await checkout.write('config/budgets.yaml', text);
    expect(await runtime.reload(WHO)).toEqual(changed('budgets'));
    expect(await view()).toBe(max);
  }
});

test('a reload of what is there already changes nothing and says so', async () => {
  expect(await runtime.reload(WHO)).toEqual({ changed: [], needsRestart: [] });
});
