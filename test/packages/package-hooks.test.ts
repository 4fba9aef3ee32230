import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  catalogFor,
  catalogOf,
  codesOf,
  hookAt,
  hookOf,
  makeFolder,
  namesOf,
  packageAt,
  writeTree,
  type Tree,
} from './workspace.ts';

const GUARDS = packageAt('guards', '@acme/guards', {
  ...hookAt('audit'),
  ...hookAt('pii-redactor'),
  ...hookAt('spend'),
});

function entry(settings: object = {}): object {
  return { packages: [{ package: './guards', grants: [], ...settings }] };
}

test('[AM44] a package with a hooks/ folder brings its hooks, in code-unit order after the local ones', async () => {
  const catalog = await catalogFor({ ...GUARDS, ...hookAt('zeta') }, entry());
  expect(namesOf(catalog)).toEqual(['zeta', 'audit', 'pii-redactor', 'spend']);
  expect(hookOf(catalog, 'audit')).toMatchObject({
    origin: { kind: 'package', name: '@acme/guards', version: '1.2.3' },
    source: { sandbox: 'isolate', owner: '@acme/guards@1.2.3', file: 'hooks/audit/index.mjs' },
  });
  expect(catalog.warnings).toEqual([]);
});

test('packages register in the order of runtime.json', async () => {
  const tree = { ...packageAt('a', 'a', hookAt('one')), ...packageAt('b', 'b', hookAt('two')) };
  const packages = [
    { package: './b', grants: [] },
    { package: './a', grants: [] },
  ];
  expect(namesOf(await catalogFor(tree, { packages }))).toEqual(['two', 'one']);
});

test.each([
  ['[AM45]', ['hooks.pii-redactor'], ['pii-redactor']],
  ['[AM45]', ['hooks.spend', 'hooks.audit'], ['audit', 'spend']],
  ['[AM45]', ['hooks.*'], ['audit', 'pii-redactor', 'spend']],
  ['[AM45]', ['hooks.*', '!hooks.spend'], ['audit', 'pii-redactor']],
  ['[AM45]', ['!hooks.spend', 'hooks.*'], ['audit', 'pii-redactor', 'spend']],
  ['[AM45]', ['!hooks.spend'], ['audit', 'pii-redactor']],
  ['[AM45]', ['hooks.audit', '!hooks.*'], []],
  ['[AM45]', ['tools.*', '!hooks.spend'], ['audit', 'pii-redactor']],
  ['[AM47]', ['tools.*', 'skills.audit'], []],
  ['[AM47]', [], []],
])('%s use %j takes %j', async (_, use, expected) => {
  const catalog = await catalogFor(GUARDS, entry({ use }));
  expect(namesOf(catalog)).toEqual(expected);
  expect(catalog.absent.every(({ reason }) => reason === 'not_selected')).toBe(true);
  expect(catalog.warnings).toEqual([]);
});

test('[AM46] a bare entry takes every hook, and each waits for consent', async () => {
  const catalog = await catalogFor({ ...GUARDS, ...hookAt('mine') }, { packages: ['./guards'] });
  expect(namesOf(catalog)).toEqual(['mine']);
  expect(catalog.absent.map(({ name, reason }) => [name, reason])).toEqual([
    ['audit', 'awaiting_consent'],
    ['pii-redactor', 'awaiting_consent'],
    ['spend', 'awaiting_consent'],
  ]);
  expect(codesOf(catalog)).toEqual(['awaiting_consent']);
});

test.each([
  [['hooks.pii-redacter'], 'hooks.pii-redacter', 'hooks.pii-redactor'],
  [['hooks.audi*'], 'hooks.audi*', 'hooks.audit'],
  [['hooks.*', '!hooks.spent'], '!hooks.spent', 'hooks.spend'],
  [['hook.audit'], 'hook.audit', 'hooks.audit'],
  [['Hooks.audit'], 'Hooks.audit', 'hooks.audit'],
])(
  '[G01] a selector that matches nothing is a warning with the nearest name: %j',
  async (use, selector, nearest) => {
    const catalog = await catalogFor(GUARDS, entry({ use }));
    expect(catalog.warnings).toMatchObject([
      { code: 'selector_unmatched', data: { selector, nearest, package: './guards' } },
    ]);
  },
);

test('[G01] selectors are exact: one name never takes another that contains it', async () => {
  const tree = packageAt('guards', 'guards', {
    ...hookAt('code-reviewer'),
    ...hookAt('senior-code-reviewer'),
  });
  expect(namesOf(await catalogFor(tree, entry({ use: ['hooks.code-reviewer'] })))).toEqual([
    'code-reviewer',
  ]);
});

test('`as` renames before anything else looks at names', async () => {
  const hooks = {
    order: ['redact'],
    config: { redact: { a: 1 } },
    disabled: ['spend'],
    required: ['redact'],
  };
  const as = { 'pii-redactor': 'redact' };
  const catalog = await catalogFor(GUARDS, { ...entry({ as }), hooks });
  expect(namesOf(catalog)).toEqual(['audit', 'redact']);
  expect(hookOf(catalog, 'redact')).toMatchObject({
    manifest: { name: 'pii-redactor' },
    source: { name: 'redact', config: { a: 1 } },
  });
  expect(catalog.warnings).toEqual([]);
});

test.each([['hooks.pii-redactor'], ['hooks.redact']])(
  'a selector may use the own name or the new one: %s',
  async (selector) => {
    const catalog = await catalogFor(
      GUARDS,
      entry({ as: { 'pii-redactor': 'redact' }, use: [selector] }),
    );
    expect(namesOf(catalog)).toEqual(['redact']);
  },
);

test('[G01] a rename of a hook that is not there is a warning', async () => {
  const catalog = await catalogFor(GUARDS, entry({ as: { spending: 'x' } }));
  expect(catalog.warnings).toMatchObject([
    { code: 'selector_unmatched', data: { selector: 'as.spending', nearest: 'hooks.spend' } },
  ]);
});

test('[AM12] a local hook beats a package hook of the same name', async () => {
  const catalog = await catalogFor({ ...GUARDS, ...hookAt('mine', { name: 'audit' }) }, entry());
  expect(hookOf(catalog, 'audit').origin.kind).toBe('local');
  expect(catalog.absent).toMatchObject([
    { name: 'audit', reason: 'conflict', origin: { name: '@acme/guards' } },
  ]);
  expect(catalog.warnings[0]?.message).toBe(
    'Two hooks are named "audit": hooks/mine of the local hooks is kept, hooks/audit of @acme/guards@1.2.3 is not loaded',
  );
});

test('[AM11] of two packages with one hook name the first is kept', async () => {
  const tree = { ...packageAt('a', 'a', hookAt('same')), ...packageAt('b', 'b', hookAt('same')) };
  const packages = [
    { package: './a', grants: [] },
    { package: './b', grants: [] },
  ];
  const catalog = await catalogFor(tree, { packages });
  expect(hookOf(catalog, 'same').origin.name).toBe('a');
  expect(codesOf(catalog)).toEqual(['hook_name_conflict']);
});

test('[AM12] a rename ends a conflict', async () => {
  const catalog = await catalogFor(
    { ...GUARDS, ...hookAt('audit') },
    entry({ as: { audit: 'acme-audit' } }),
  );
  expect(namesOf(catalog)).toEqual(['audit', 'acme-audit', 'pii-redactor', 'spend']);
  expect(catalog.warnings).toEqual([]);
});

test.each([
  ['@acme/none'],
  ['./none'],
  ['./none.tgz'],
  ['https://example.org/x.tgz'],
  ['github:acme/x'],
])('[AM48] %s that is not installed is a warning, and the rest goes on', async (name) => {
  const packages = [
    { package: name, grants: [] },
    { package: './guards', grants: [] },
  ];
  const catalog = await catalogFor({ ...GUARDS, ...hookAt('mine') }, { packages });
  expect(namesOf(catalog)).toEqual(['mine', 'audit', 'pii-redactor', 'spend']);
  expect(catalog.absent).toMatchObject([{ name: '*', reason: 'not_installed', origin: { name } }]);
  expect(catalog.warnings).toMatchObject([{ code: 'not_installed', data: { package: name } }]);
  expect(catalog.warnings[0]?.hint).toContain('signalbox add');
});

test('[AM48] hooks that an absent package was asked for are listed by name', async () => {
  const packages = [
    { package: '@acme/none', use: ['hooks.a', 'hooks.b', '!hooks.c'], as: { b: 'bee' } },
  ];
  const catalog = await catalogFor({}, { packages });
  expect(catalog.absent.map(({ name }) => name)).toEqual(['a', 'bee']);
});

test('a package by name runs only as it is locked, whatever lies in node_modules', async () => {
  const tree = packageAt('node_modules/@acme/guards', '@acme/guards', hookAt('audit'));
  const packages = [{ package: '@acme/guards', grants: [] }];
  const catalog = await catalogFor({ ...tree, ...hookAt('mine') }, { packages });
  expect(namesOf(catalog)).toEqual(['mine']);
  expect(catalog.warnings).toMatchObject([
    { code: 'not_installed', hint: expect.stringContaining('signalbox add @acme/guards') },
  ]);
  expect(
    namesOf(await catalogFor(tree, entry({ package: './node_modules/@acme/guards' }))),
  ).toEqual(['audit']);
});

test.each([
  ['^1.2.0', true],
  ['1.x', true],
  ['>=1 <1.2', false],
  ['^2', false],
])('a version range of %s against 1.2.3 fits: %s', async (version, fits) => {
  const catalog = await catalogFor(GUARDS, entry({ version }));
  expect(catalog.hooks.length > 0).toBe(fits);
  expect(codesOf(catalog)).toEqual(fits ? [] : ['not_installed']);
});

const BAD_PACKAGES: readonly (readonly [fault: string, tree: Tree, detail: string])[] = [
  ['no package.json', { 'bad/hooks/x/hook.json': {} }, 'package.json is missing'],
  ['a package.json that is no JSON', { 'bad/package.json': '{' }, 'not valid JSON'],
  ['a package.json that is a list', { 'bad/package.json': '[]' }, 'not valid JSON'],
  ['no name', { 'bad/package.json': { version: '1.0.0' } }, 'no valid "name"'],
  [
    'a name that is a path',
    { 'bad/package.json': { name: '../x', version: '1.0.0' } },
    'no valid "name"',
  ],
  ['no version', { 'bad/package.json': { name: 'bad' } }, 'no valid "version"'],
  [
    'a version that is none',
    { 'bad/package.json': { name: 'bad', version: 'latest' } },
    'no valid "version"',
  ],
  ['no hooks', { 'bad/package.json': { name: 'bad', version: '1.0.0' } }, 'no hooks'],
  ['a file in its place', { bad: 'text' }, 'neither a folder nor a tarball'],
];

test.each(BAD_PACKAGES)(
  'a package with %s is refused, and the rest goes on',
  async (_, tree, detail) => {
    const packages = [
      { package: './bad', grants: [] },
      { package: './guards', grants: [] },
    ];
    const catalog = await catalogFor({ ...GUARDS, ...tree }, { packages });
    expect(namesOf(catalog)).toEqual(['audit', 'pii-redactor', 'spend']);
    expect(catalog.warnings).toMatchObject([
      { code: 'package_invalid', data: { package: './bad' } },
    ]);
    expect(catalog.warnings[0]?.message).toContain(detail);
  },
);

test('[AM9] [AM10] a malformed hook of a package is skipped with its place, and the others go on', async () => {
  const catalog = await catalogFor({ ...GUARDS, 'guards/hooks/spend/hook.json': '{' }, entry());
  expect(namesOf(catalog)).toEqual(['audit', 'pii-redactor']);
  expect(catalog.warnings[0]?.message).toContain('@acme/guards/hooks/spend/hook.json, line 1');
});

test('two packages cannot share one name and version, and so one process', async () => {
  const tree = { ...GUARDS, ...packageAt('fake', '@acme/guards', hookAt('fake')) };
  const packages = [
    { package: './guards', grants: [] },
    { package: './fake', grants: [] },
  ];
  const catalog = await catalogFor(tree, { packages });
  expect(namesOf(catalog)).toEqual(['audit', 'pii-redactor', 'spend']);
  expect(codesOf(catalog)).toEqual(['package_invalid']);
});

test('one package may stand in two entries', async () => {
  const packages = [
    { package: './guards', use: ['hooks.audit'], grants: [] },
    { package: './guards', use: ['hooks.audit'], as: { audit: 'again' }, grants: [] },
  ];
  expect(namesOf(await catalogFor(GUARDS, { packages }))).toEqual(['audit', 'again']);
});

test('a package that was consented to and lost its bytes stays, and its hooks fail', async () => {
  const folder = await makeFolder(GUARDS);
  const config = entry({ use: ['hooks.audit'], as: { audit: 'watch' } });
  expect(hookOf(await catalogOf(folder, config), 'watch').failure).toBeUndefined();
  await rm(join(folder, 'guards'), { recursive: true });
  const catalog = await catalogOf(folder, config);
  expect(hookOf(catalog, 'watch')).toMatchObject({
    manifest: { name: 'audit', points: ['preToolUse'] },
    origin: { name: '@acme/guards', version: '1.2.3' },
    failure: { code: 'not_installed' },
  });
  expect(codesOf(catalog)).toEqual(['not_installed']);
  await writeTree(folder, { 'guards/package.json': '{' });
  expect(hookOf(await catalogOf(folder, config), 'watch').failure?.code).toBe('package_tampered');
});
