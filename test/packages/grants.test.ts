import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CAPABILITIES, covers, parseCapability } from '../../sdk/capabilities.ts';
import { grantTo } from '../../src/packages/grants.ts';
import { catalogFor, hookAt, hookOf, packageAt } from './workspace.ts';

const DECLARED = ['reads_tool_io', 'gates_tools', 'store:read:users'];
const TREE = packageAt('p', 'p', hookAt('guard', { capabilities: DECLARED }));

function catalogWith(settings: object): ReturnType<typeof catalogFor> {
  return catalogFor(TREE, { packages: [{ package: './p', ...settings }] });
}

test('a hook whose declaration is granted whole is live', async () => {
  const hook = hookOf(await catalogWith({ grants: DECLARED }), 'guard');
  expect(hook).toMatchObject({ granted: DECLARED, missing: [] });
  expect(hook.failure).toBeUndefined();
});

test('a grant without a scope covers every scope, and no more than is declared is granted', async () => {
  const grants = ['reads_tool_io', 'gates_tools', 'store:read', 'store:write', 'llm:call'];
  expect(hookOf(await catalogWith({ grants }), 'guard')).toMatchObject({
    granted: DECLARED,
    missing: [],
  });
});

test('grants that fall short keep the hook in its chain, failing, with what is missing', async () => {
  const hook = hookOf(
    await catalogWith({ grants: ['reads_tool_io', 'store:read:orders'] }),
    'guard',
  );
  expect(hook).toMatchObject({
    granted: ['reads_tool_io'],
    missing: ['gates_tools', 'store:read:users'],
    failure: { code: 'ungranted', detail: 'gates_tools, store:read:users' },
    source: { code: '' },
  });
});

test('with `partial` it runs with what is granted of its declaration', async () => {
  const hook = hookOf(
    await catalogWith({ grants: ['reads_tool_io', 'llm:call'], partial: true }),
    'guard',
  );
  expect(hook).toMatchObject({
    granted: ['reads_tool_io'],
    missing: ['gates_tools', 'store:read:users'],
  });
  expect(hook.failure).toBeUndefined();
});

test('an empty list is consent to a hook that declares nothing, and nothing else', async () => {
  const tree = packageAt('p', 'p', {
    ...hookAt('a'),
    ...hookAt('b', { capabilities: ['reads_input'] }),
  });
  const catalog = await catalogFor(tree, { packages: [{ package: './p', grants: [] }] });
  expect(hookOf(catalog, 'a').failure).toBeUndefined();
  expect(hookOf(catalog, 'b').failure?.code).toBe('ungranted');
});

test('a local hook is granted what it declares', async () => {
  const catalog = await catalogFor(hookAt('mine', { capabilities: DECLARED }));
  expect(hookOf(catalog, 'mine')).toMatchObject({ granted: DECLARED, missing: [] });
});

test('a scope granted under a wider declaration gives that scope alone', () => {
  expect(grantTo(['store:read'], ['store:read:users'])).toEqual({
    granted: ['store:read:users'],
    missing: ['store:read'],
  });
});

const CAPABILITY = fc
  .tuple(fc.constantFrom(...Object.keys(CAPABILITIES)), fc.constantFrom('', ':a', ':b'))
  .map(([name, scope]) => name + scope)
  .filter((text) => parseCapability(text) !== undefined);

test('whatever is declared and granted, what holds is covered by both', () => {
  const lists = fc.uniqueArray(CAPABILITY, { maxLength: 8 });
  fc.assert(
    fc.property(lists, lists, (declared, grants) => {
      for (const text of grantTo(declared, grants).granted) {
        const capability = parseCapability(text);
        expect(capability && covers(declared, capability.name, capability.scope)).toBe(true);
        expect(capability && covers(grants, capability.name, capability.scope)).toBe(true);
      }
    }),
  );
});
