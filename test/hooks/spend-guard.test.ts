import { expect, test } from 'vitest';
import { createHook } from '../../examples/packages/spend-guard/hooks/spend-guard/index.ts';

const CONFIG = { tools: ['payments__refund'], askAbove: 100, blockAbove: 500 };

async function decide(amount: unknown, row: unknown = null, toolName = 'payments__refund') {
  const asked: string[] = [];
  const store = {
    get: async (collection: string, key: string) => {
      asked.push(`${collection}/${key}`);
      return row;
    },
  };
  const hook = createHook(CONFIG);
  const decision = await hook.run(
    'preToolUse',
    { toolName, args: { amount } },
    { log: () => {}, store },
  );
  return { action: decision.action, asked };
}

test.each([
  [0.01, 'allow'],
  [100, 'allow'],
  [100.01, 'ask'],
  [500, 'ask'],
  [500.01, 'block'],
  [Number.MAX_VALUE, 'block'],
])('a refund of %d is %s', async (amount, action) => {
  expect(await decide(amount)).toEqual({ action, asked: ['limits/payments__refund'] });
});

test.each([[undefined], [null], ['12'], [-5], [0], [Number.NaN], [[10]]])(
  'an amount of %j is blocked before the store is asked',
  async (amount) => {
    expect(await decide(amount)).toEqual({ action: 'block', asked: [] });
  },
);

test('other tools pass', async () => {
  expect(await decide(9999, null, 'payments__list')).toEqual({ action: 'allow', asked: [] });
});

test('a row of the store sets the limits, each for itself', async () => {
  expect((await decide(180, { askAbove: 200 })).action).toBe('allow');
  expect((await decide(180, { blockAbove: 150 })).action).toBe('block');
  expect((await decide(180, { askAbove: '200' })).action).toBe('ask');
});

test('without a store the configured limits hold', async () => {
  const payload = { toolName: 'payments__refund', args: { amount: 180 } };
  const { action } = await createHook(CONFIG).run('preToolUse', payload, { log: () => {} });
  expect(action).toBe('ask');
});
