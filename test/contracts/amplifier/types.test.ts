import { HookResult, type AmplifierResult, type Coordinator } from '@signalbox/sdk';
import { expect, expectTypeOf, test } from 'vitest';

test('a module in TypeScript is typed by the coordinator, and its results have the defaults of the contract', () => {
  const mount = ({ hooks }: Coordinator): (() => void) =>
    hooks.register('tool:pre', () => HookResult({ action: 'deny', reason: 'no' }), {
      priority: 10,
    });
  expectTypeOf(mount).returns.toEqualTypeOf<() => void>();
  expectTypeOf(HookResult).returns.toEqualTypeOf<AmplifierResult>();
  expect(HookResult({ action: 'deny' })).toMatchObject({ action: 'deny', approval_timeout: 300 });
});
