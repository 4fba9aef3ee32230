import { expect, test } from 'vitest';
import fc from 'fast-check';
import { orderChain, type Orderable } from '../../src/chain/order.ts';

function hook(name: string, registration: number, rest: Partial<Orderable> = {}): Orderable {
  return { name, registration, priority: 0, inputs: [], outputs: [], ...rest };
}

function names(hooks: readonly Orderable[], order: readonly string[] = []): string[] {
  return orderChain(hooks, order).hooks.map(({ name }) => name);
}

test('[AM25] hooks run in ascending priority', () => {
  const hooks = [
    hook('late', 0, { priority: 10 }),
    hook('early', 1, { priority: -5 }),
    hook('middle', 2),
  ];
  expect(names(hooks)).toEqual(['early', 'middle', 'late']);
});

test('[C01] equal priorities keep the order of registration', () => {
  expect(names([hook('b', 1), hook('a', 2), hook('c', 0)])).toEqual(['c', 'b', 'a']);
});

test('[AM41] hooks.order comes before priority, and the rest follows', () => {
  const hooks = [
    hook('a', 0, { priority: 1 }),
    hook('b', 1, { priority: 2 }),
    hook('c', 2, { priority: 3 }),
  ];
  expect(names(hooks, ['c', 'b'])).toEqual(['c', 'b', 'a']);
});

test('hooks.order may name hooks that are not there, or one twice', () => {
  expect(names([hook('a', 0), hook('b', 1)], ['gone', 'b', 'b'])).toEqual(['b', 'a']);
});

test('a producer precedes its consumer, whatever their priorities', () => {
  const hooks = [
    hook('reader', 0, { priority: 1, inputs: ['risk'] }),
    hook('writer', 1, { priority: 99, outputs: ['risk'] }),
  ];
  expect(names(hooks)).toEqual(['writer', 'reader']);
});

test('a chain of producers is followed through', () => {
  const hooks = [
    hook('c', 0, { inputs: ['y'] }),
    hook('b', 1, { inputs: ['x'], outputs: ['y'] }),
    hook('a', 2, { outputs: ['x'], priority: 5 }),
  ];
  expect(names(hooks)).toEqual(['a', 'b', 'c']);
});

test('hooks that feed each other fall back to priority, with a warning', () => {
  const hooks = [
    hook('a', 0, { priority: 2, inputs: ['y'], outputs: ['x'] }),
    hook('b', 1, { priority: 1, inputs: ['x'], outputs: ['y'] }),
  ];
  const { hooks: sorted, warnings } = orderChain(hooks, []);
  expect(sorted.map(({ name }) => name)).toEqual(['b', 'a']);
  expect(warnings).toMatchObject([
    { code: 'order_conflict', data: { consumer: 'b', producer: 'a' } },
  ]);
});

test('a circle does not free the hooks that read from it, which wait for their own producer alone', () => {
  const hooks = [
    hook('reader', 0, { priority: -1, inputs: ['x'] }),
    hook('a', 1, { inputs: ['y'], outputs: ['x'] }),
    hook('b', 2, { inputs: ['x'], outputs: ['y'] }),
  ];
  expect(names(hooks)).toEqual(['a', 'reader', 'b']);
});

test('a hook that reads its own output waits for nobody', () => {
  expect(names([hook('a', 0, { inputs: ['x'], outputs: ['x'] })])).toEqual(['a']);
});

test('hooks.order against a bag edge wins, with a warning that names both', () => {
  const hooks = [hook('reader', 0, { inputs: ['risk'] }), hook('writer', 1, { outputs: ['risk'] })];
  const { hooks: sorted, warnings } = orderChain(hooks, ['reader']);
  expect(sorted.map(({ name }) => name)).toEqual(['reader', 'writer']);
  expect(warnings.map(({ message }) => message)).toEqual([
    'Hook "reader" runs before "writer", whose output "risk" it reads: hooks.order says so',
  ]);
});

test('any set of hooks sorts the same whatever order it comes in, and loses none', () => {
  const keys = fc.subarray(['x', 'y', 'z']);
  const hooksOf = fc
    .array(fc.record({ priority: fc.integer({ min: -2, max: 2 }), inputs: keys, outputs: keys }), {
      maxLength: 7,
    })
    .map((rows) => rows.map((row, index) => hook(`h${index}`, index, row)));
  const order = fc.subarray(['h0', 'h1', 'h2', 'h3', 'gone'], { minLength: 0 });
  fc.assert(
    fc.property(hooksOf, order, (hooks, named) => {
      const sorted = names(hooks, named);
      expect(names(hooks.toReversed(), named)).toEqual(sorted);
      expect(sorted.toSorted()).toEqual(hooks.map(({ name }) => name).toSorted());
    }),
  );
});
