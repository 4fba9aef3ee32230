import { expect, onTestFinished, test } from 'vitest';
import { createCheckout, packageEntry } from './checkout.ts';

test('a package that is put on the block list fails from the next call on, without a restart', async () => {
  const checkout = await createCheckout();
  onTestFinished(() => checkout.remove());
  await checkout.hook('bad', 'bad', { run: '({ action: "allow" })' });
  const packages = [packageEntry('bad')];
  await checkout.configure({ packages });
  const runtime = await checkout.open();
  expect(await runtime.fire('preToolUse', { toolName: 't' })).toMatchObject({ action: 'allow' });
  const trust = { block: [{ package: 'bad', version: '*', reason: 'stolen key' }] };
  await checkout.configure({ packages, trust });
  await runtime.reload({ who: 'ann' });
  expect(await runtime.fire('preToolUse', { toolName: 't' })).toMatchObject({
    action: 'block',
    code: 'untrusted',
  });
}, 120_000);
