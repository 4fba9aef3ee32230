import fc from 'fast-check';
import { expect, test } from 'vitest';
import { covers, entails } from '../../sdk/capabilities.ts';
import { restricted, standing, type GrantChange } from '../../src/grants/grant-change.ts';

const by = { by: 'ops', time: 1 };

function change(
  action: GrantChange['action'],
  capabilities: readonly string[],
  target = 'guard',
): GrantChange {
  return { action, capabilities, target, ...by };
}

test.each([
  ['revoke', ['gates_tools'], ['reads_tool_io', 'store:read']],
  ['revoke', ['store:read'], ['reads_tool_io', 'gates_tools']],
  ['revoke', ['store:read:a'], ['reads_tool_io', 'gates_tools', 'store:read']],
  ['narrow', ['store:read:a'], ['reads_tool_io', 'gates_tools', 'store:read:a']],
  [
    'narrow',
    ['store:read:a', 'store:read:b'],
    ['reads_tool_io', 'gates_tools', 'store:read:a', 'store:read:b'],
  ],
  ['narrow', ['store:write:a'], ['reads_tool_io', 'gates_tools', 'store:read']],
  ['narrow', ['store:read'], ['reads_tool_io', 'gates_tools', 'store:read']],
  ['restore', ['store:read'], ['reads_tool_io', 'gates_tools', 'store:read']],
] as const)('%s %j leaves %j', (action, capabilities, left) => {
  const granted = ['reads_tool_io', 'gates_tools', 'store:read'];
  expect(restricted(granted, { action, capabilities })).toEqual(left);
});

test('a wide revocation takes every scope, and narrowing gives no scope that was not held', () => {
  const granted = ['store:read:a', 'store:read:b'];
  expect(restricted(granted, change('revoke', ['store:read']))).toEqual([]);
  expect(restricted(granted, change('narrow', ['store:read:b', 'store:read:c']))).toEqual([
    'store:read:b',
  ]);
});

test('a restoration lifts what was taken before it, of its own target alone', () => {
  const earlier = [
    change('revoke', ['gates_tools', 'store:read:a']),
    change('narrow', ['store:write:a']),
    change('revoke', ['gates_tools'], 'other'),
  ];
  const lifted = standing([...earlier, change('restore', ['store:read', 'store:write'])]);
  expect(lifted).toEqual([
    change('revoke', ['gates_tools']),
    change('revoke', ['gates_tools'], 'other'),
  ]);
  expect(
    standing([...lifted, change('restore', ['gates_tools']), change('revoke', ['gates_tools'])]),
  ).toEqual([change('revoke', ['gates_tools'], 'other'), change('revoke', ['gates_tools'])]);
});

const capability = fc.constantFrom(
  'reads_tool_io',
  'gates_tools',
  'store:read',
  'store:read:a',
  'store:read:b',
  'store:write',
  'store:write:a',
  'net:fetch:x.test',
);

test('no change ever gives more than was held', () => {
  const changes = fc.record({
    action: fc.constantFrom('revoke' as const, 'narrow' as const, 'restore' as const),
    capabilities: fc.uniqueArray(capability, { minLength: 1, maxLength: 3 }),
  });
  fc.assert(
    fc.property(fc.uniqueArray(capability), fc.array(changes), (granted, list) => {
      const left = list.reduce<readonly string[]>(restricted, granted);
      expect(left.every((text) => granted.some((wide) => entails(wide, text)))).toBe(true);
    }),
  );
});

test('what is revoked is not held, in no scope', () => {
  fc.assert(
    fc.property(fc.uniqueArray(capability), capability, (granted, taken) => {
      const left = restricted(granted, { action: 'revoke', capabilities: [taken] });
      expect(left.some((text) => entails(taken, text))).toBe(false);
      if (taken === 'store:read') expect(covers(left, 'store:read', 'a')).toBe(false);
    }),
  );
});
