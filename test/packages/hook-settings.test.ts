import { expect, test } from 'vitest';
import { catalogFor, codesOf, hookAt, hookOf, namesOf, packageAt } from './workspace.ts';

const MASK_SCHEMA = {
  type: 'object',
  properties: {
    strategy: { enum: ['redact', 'hash'] },
    token: { type: 'string', pattern: '^[a-z]+$' },
  },
  additionalProperties: false,
};

test('[AM23] [AM43] runtime.json replaces the config of a manifest key by key', async () => {
  const manifest = { config: { kept: 1, replaced: { a: 1, b: 2 } } };
  const hooks = { config: { guard: { replaced: { a: 3 }, added: true } } };
  const catalog = await catalogFor(hookAt('guard', manifest), { hooks });
  expect(hookOf(catalog, 'guard').source.config).toEqual({
    kept: 1,
    replaced: { a: 3 },
    added: true,
  });
});

test('[AM41] an order that names a hook that is not there is a warning with the nearest name', async () => {
  const hooks = { order: ['guard', 'gaurd'], config: { other: {} }, overrides: { gard: {} } };
  const catalog = await catalogFor(hookAt('guard'), { hooks });
  expect(namesOf(catalog)).toEqual(['guard']);
  expect(catalog.warnings.map(({ code, data }) => [code, data['key'], data['nearest']])).toEqual([
    ['hook_unmatched', 'hooks.order[1]', 'guard'],
    ['hook_unmatched', 'hooks.config.other', 'guard'],
    ['hook_unmatched', 'hooks.overrides.gard', 'guard'],
  ]);
});

test('[AM42] a disabled hook is out of the chain and still a name that settings may use', async () => {
  const hooks = { disabled: ['verbose-audit'], order: ['verbose-audit'] };
  const catalog = await catalogFor({ ...hookAt('guard'), ...hookAt('verbose-audit') }, { hooks });
  expect(namesOf(catalog)).toEqual(['guard']);
  expect(catalog.absent).toMatchObject([{ name: 'verbose-audit', reason: 'disabled' }]);
  expect(catalog.warnings).toEqual([]);
});

test('the operator overrides what a manifest asks for', async () => {
  const manifest = { timeoutMs: 900, memoryMb: 48, priority: 5, failPolicy: 'closed' };
  const hooks = {
    mode: { a: 'shadow' },
    failPolicy: { a: 'open', b: 'abort' },
    overrides: { b: { timeoutMs: 50, memoryMb: 16, priority: -2, failPolicy: 'open' } },
  };
  const catalog = await catalogFor(
    { ...hookAt('a', manifest), ...hookAt('b', manifest) },
    { hooks },
  );
  expect(hookOf(catalog, 'a')).toMatchObject({
    timeoutMs: 900,
    priority: 5,
    failPolicy: 'open',
    mode: 'shadow',
    source: { memoryMb: 48 },
  });
  expect(hookOf(catalog, 'b')).toMatchObject({
    timeoutMs: 50,
    priority: -2,
    failPolicy: 'open',
    mode: 'enforce',
    source: { memoryMb: 16 },
  });
});

test('[G06] a config key that the schema does not know fails the hook, and stays in the chain', async () => {
  const hooks = { config: { guard: { default_strategy: 'redact' } } };
  const catalog = await catalogFor(hookAt('guard', { configSchema: MASK_SCHEMA }), { hooks });
  expect(hookOf(catalog, 'guard').failure).toEqual({
    code: 'load_error',
    detail: 'config has the unknown key "default_strategy"; did you mean "strategy"?',
  });
});

test('[G06] a config of the wrong type fails the hook without a word of the value', async () => {
  const hooks = { config: { guard: { token: 'HUNTER2' } } };
  const catalog = await catalogFor(hookAt('guard', { configSchema: MASK_SCHEMA }), { hooks });
  const { failure } = hookOf(catalog, 'guard');
  expect(failure).toMatchObject({
    code: 'load_error',
    detail: expect.stringContaining('config.token'),
  });
  expect(JSON.stringify(failure)).not.toContain('HUNTER2');
});

test('[G06] a config that fits is taken, and no default is filled in', async () => {
  const configSchema = { type: 'object', properties: { level: { type: 'number', default: 3 } } };
  const catalog = await catalogFor(hookAt('guard', { configSchema, config: {} }));
  const hook = hookOf(catalog, 'guard');
  expect(hook.failure).toBeUndefined();
  expect(hook.source.config).toEqual({});
});

test('a required hook that is live lets the runtime start', async () => {
  expect(namesOf(await catalogFor(hookAt('a'), { hooks: { required: ['a'] } }))).toEqual(['a']);
});

test.each([
  ['is not there', {}, {}, 'no hook has that name'],
  ['is misspelt', hookAt('gaurd'), {}, 'did you mean "gaurd"?'],
  ['was skipped', hookAt('x', { name: 'guard', points: ['nowhere'] }), {}, 'hooks/x/hook.json'],
  ['is disabled', hookAt('guard'), { disabled: ['guard'] }, 'disabled'],
  [
    'fails to load',
    hookAt('guard', { configSchema: MASK_SCHEMA, config: { x: 1 } }),
    {},
    'unknown key',
  ],
])('[A11] a required hook that %s stops the start', async (_, tree, hooks, detail) => {
  const start = catalogFor(tree, { hooks: { ...hooks, required: ['guard'] } });
  await expect(start).rejects.toMatchObject({
    code: 'hook_required',
    data: { hook: 'guard', detail: expect.stringContaining(detail) },
  });
});

test('a required hook of a package that is not there stops the start', async () => {
  const start = catalogFor(
    {},
    {
      packages: [{ package: '@acme/x', use: ['hooks.guard'], grants: [] }],
      hooks: { required: ['guard'] },
    },
  );
  await expect(start).rejects.toMatchObject({
    code: 'hook_required',
    message: expect.stringContaining('@acme/x'),
  });
});

test('a local hook can be moved into an isolate, and a package hook into a worker', async () => {
  const tree = { ...hookAt('mine'), ...packageAt('pkg', '@acme/p', hookAt('theirs')) };
  const hooks = { overrides: { mine: { sandbox: 'isolate' }, theirs: { sandbox: 'worker' } } };
  const catalog = await catalogFor(tree, { packages: [{ package: './pkg', grants: [] }], hooks });
  const mine = hookOf(catalog, 'mine').source;
  expect(mine).toMatchObject({
    sandbox: 'isolate',
    owner: 'local:mine',
    file: 'hooks/mine/index.mjs',
  });
  expect(mine.code).toContain('createHook');
  const theirs = hookOf(catalog, 'theirs').source;
  expect(theirs).toMatchObject({ sandbox: 'worker', owner: '@acme/p@1.2.3', code: '' });
  expect(theirs.file).toMatch(/^\/.*pkg\/hooks\/theirs\/index\.mjs$/);
  expect(codesOf(catalog)).toEqual([]);
});

test('a hook may be called constructor and still has its own settings', async () => {
  const catalog = await catalogFor(hookAt('constructor'), {
    hooks: { config: { constructor: { a: 1 } } },
  });
  expect(hookOf(catalog, 'constructor').source.config).toEqual({ a: 1 });
});
