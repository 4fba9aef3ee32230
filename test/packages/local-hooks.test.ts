import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  catalogFor,
  catalogOf,
  codesOf,
  HANDLER,
  hookAt,
  hookOf,
  makeFolder,
  namesOf,
} from './workspace.ts';

const SEED_MANIFEST = {
  name: 'ready-to-quote-guard',
  points: ['preToolUse'],
  capabilities: ['store:read', 'reads_tool_io', 'gates_tools'],
  failPolicy: 'closed',
  priority: 10,
  config: { guardedTools: ['store__submissions__set'], blockedRecommendation: 'ready-to-quote' },
};

test('[AM1] [AM2] every sub-folder of hooks/ is found, in code-unit order, whatever the hooks are called', async () => {
  const catalog = await catalogFor({
    ...hookAt('b', { name: 'first' }),
    ...hookAt('a10', { name: 'second' }),
    ...hookAt('a9', { name: 'third' }),
    ...hookAt('B', { name: 'fourth' }),
    'hooks/README.md': 'not a hook',
    'hooks/.cache/x': 'not a hook',
  });
  expect(namesOf(catalog)).toEqual(['fourth', 'second', 'third', 'first']);
  expect(catalog.hooks.map(({ registration }) => registration)).toEqual([0, 1, 2, 3]);
  expect(catalog).toMatchObject({ absent: [], warnings: [] });
});

test('without hooks/ there are no hooks and nothing is wrong', async () => {
  expect(await catalogFor({})).toEqual({ hooks: [], absent: [], warnings: [] });
});

test('[AM3] [AM4] the manifest alone says what a hook binds to, and a local handler is imported as it is', async () => {
  const handler =
    'export const points = ["event"]; export const createHook = () => ({ run() {} });';
  const folder = await makeFolder(hookAt('guard', SEED_MANIFEST, handler));
  const hook = hookOf(await catalogOf(folder), 'ready-to-quote-guard');
  expect(hook.manifest.points).toEqual(['preToolUse']);
  expect(hook.granted).toEqual(SEED_MANIFEST.capabilities);
  expect(hook.source).toMatchObject({
    sandbox: 'worker',
    owner: 'local',
    contract: 'signalbox',
    code: '',
    file: join(folder, 'hooks/guard/index.mjs'),
  });
});

test.each([
  [['index.ts', 'index.js', 'index.mjs'], 'index.mjs'],
  [['index.ts', 'index.js'], 'index.js'],
  [['index.ts'], 'index.ts'],
])('[AM5] of %j the handler is %s', async (files, expected) => {
  const handlers = Object.fromEntries(files.map((file) => [`hooks/a/${file}`, HANDLER]));
  const manifest = { 'hooks/a/hook.json': { name: 'a', points: ['preInput'] } };
  const catalog = await catalogFor({ ...manifest, ...handlers });
  expect(hookOf(catalog, 'a').source.file.endsWith(`hooks/a/${expected}`)).toBe(true);
});

test('[AM6] [AM53b] the manifest of the seed is taken with all its fields', async () => {
  const hook = hookOf(await catalogFor(hookAt('guard', SEED_MANIFEST)), 'ready-to-quote-guard');
  expect(hook).toMatchObject({
    manifest: SEED_MANIFEST,
    priority: 10,
    timeoutMs: 1500,
    missing: [],
  });
  expect(hook.source.config).toEqual(SEED_MANIFEST.config);
});

test('[AM7] label, description and keys that only describe leave a manifest valid', async () => {
  const described = { label: 'Guard', description: 'Guards', author: 'me', 'x-team': 'risk' };
  expect(namesOf(await catalogFor(hookAt('a', described)))).toEqual(['a']);
});

test('[AM8] priority and config may be left out', async () => {
  expect(hookOf(await catalogFor(hookAt('a')), 'a')).toMatchObject({
    priority: 0,
    source: { config: {} },
  });
});

const BAD_MANIFESTS: readonly (readonly [
  fault: string,
  manifest: string | object | Buffer,
  expected: object,
  text: string,
])[] = [
  ['bad JSON', '{\n  "name": "bad",\n}', { line: 3 }, 'line 3'],
  ['an empty file', '', { line: 1 }, 'the file is empty'],
  ['a list', '[]', {}, 'must be a object'],
  ['a text', '"guard"', {}, 'must be a object'],
  ['null', 'null', {}, 'must be a object'],
  ['no name', { points: ['preInput'], name: undefined }, { key: 'name' }, 'missing'],
  ['a name with a slash', { name: '../x', points: ['preInput'] }, { key: 'name' }, '"name"'],
  ['no points', '{"name": "bad"}', { key: 'points' }, 'missing'],
  ['an empty list of points', { name: 'bad', points: [] }, { key: 'points' }, 'at least 1'],
  [
    'an unknown point',
    '{\n "name": "bad",\n "points": ["preToolUsed"]\n}',
    { key: 'points', line: 3 },
    'did you mean "preToolUse"?',
  ],
  [
    'an unknown capability',
    { name: 'bad', points: ['preInput'], capabilities: ['root'] },
    { key: 'capabilities' },
    'unknown capability "root"',
  ],
  [
    'a secret without a name',
    { name: 'bad', points: ['preInput'], capabilities: ['secrets'] },
    { key: 'capabilities' },
    'unknown capability',
  ],
  [
    'an unknown key',
    { name: 'bad', points: ['preInput'], failpolicy: 'open' },
    { key: 'failpolicy' },
    'unknown key',
  ],
  [
    'an unknown failPolicy',
    { name: 'bad', points: ['preInput'], failPolicy: 'ajar' },
    { key: 'failPolicy' },
    'must be one of',
  ],
  [
    'a timeout that is no number',
    { name: 'bad', points: ['preInput'], timeoutMs: '5s' },
    { key: 'timeoutMs' },
    'must be',
  ],
  [
    'a config that is no object',
    { name: 'bad', points: ['preInput'], config: [] },
    { key: 'config' },
    'must be',
  ],
  [
    'an unknown contract',
    { name: 'bad', points: ['preInput'], contract: 'x' },
    { key: 'contract' },
    'must be one of',
  ],
  [
    'an sdk that is no range',
    { name: 'bad', points: ['preInput'], sdk: 'one' },
    { key: 'sdk' },
    'semver range',
  ],
  ['a key twice', '{"name": "bad", "points": ["preInput"], "name": "good"}', { line: 1 }, 'twice'],
  ['a comment', '{"name": "bad" /* x */, "points": ["preInput"]}', { line: 1 }, 'comments'],
  ['more than 64 KB', `{"name": "bad", "description": "${'x'.repeat(70_000)}"}`, {}, 'larger than'],
  ['bytes that are no text', Buffer.from([0x7b, 0xff, 0x7d]), {}, 'not UTF-8'],
  [
    'a configSchema that is no schema',
    { name: 'bad', points: ['preInput'], configSchema: { type: 'objekt' } },
    { key: 'configSchema' },
    'schema is invalid',
  ],
];

test.each(BAD_MANIFESTS)(
  '[AM9] [AM10] a hook.json with %s skips its hook, says where, and leaves the others',
  async (_, manifest, expected, text) => {
    const catalog = await catalogFor({
      ...hookAt('bad'),
      'hooks/bad/hook.json': manifest,
      ...hookAt('good'),
    });
    expect(namesOf(catalog)).toEqual(['good']);
    expect(catalog.absent).toHaveLength(1);
    const error = catalog.absent[0]?.error;
    expect(error).toMatchObject({
      code: 'hook_skipped',
      data: { file: 'hooks/bad/hook.json', ...expected },
    });
    expect(error?.message).toContain(text);
    expect(catalog.warnings).toEqual([error]);
  },
);

test('[AM9] a hook without hook.json or without a handler is skipped', async () => {
  const catalog = await catalogFor({
    'hooks/a/index.mjs': HANDLER,
    'hooks/b/hook.json': { name: 'named', points: ['preInput'] },
    'hooks/c/hook.json': { name: 'c', points: ['preInput'] },
    'hooks/c/index.mjs/x': '',
  });
  expect(catalog.absent.map(({ name, reason, error }) => [name, reason, error?.message])).toEqual([
    ['a', 'skipped', expect.stringContaining('hook.json is missing')],
    ['named', 'skipped', expect.stringContaining('no handler')],
    ['c', 'skipped', expect.stringContaining('index.mjs is not a file')],
  ]);
});

test('what a manifest says cannot play with a terminal', async () => {
  const manifest = { name: 'bad', points: ['\u001b[2Jx'], capabilities: ['a\u202eb'] };
  const catalog = await catalogFor(hookAt('a', manifest));
  expect(catalog.warnings[0]?.message).not.toMatch(/[\u0000-\u001f\u202e]/);
});

test('a folder or handler that is a link out of the tree is skipped, one inside it is followed', async () => {
  const outside = await makeFolder(hookAt('evil'));
  const folder = await makeFolder({
    ...hookAt('real'),
    ...hookAt('borrowed'),
    'shared/hook.json': { name: 'shared', points: ['event'] },
    'shared/index.mjs': HANDLER,
  });
  await symlink(join(outside, 'hooks/evil'), join(folder, 'hooks/evil'));
  await symlink(join(folder, 'shared'), join(folder, 'hooks/shared'));
  await symlink(join(folder, 'nowhere'), join(folder, 'hooks/gone'));
  await mkdir(join(folder, 'hooks/half'));
  await symlink(join(outside, 'hooks/evil/hook.json'), join(folder, 'hooks/half/hook.json'));
  await symlink(join(outside, 'hooks/evil/index.mjs'), join(folder, 'hooks/half/index.mjs'));
  const catalog = await catalogOf(folder);
  expect(namesOf(catalog)).toEqual(['borrowed', 'real', 'shared']);
  expect(catalog.absent.map(({ name }) => name)).toEqual(['evil', 'gone', 'half']);
  expect(codesOf(catalog)).toEqual(['hook_skipped', 'hook_skipped', 'hook_skipped']);
});

test('[AM11] of two local hooks with one name the first is kept, and the conflict names both', async () => {
  const catalog = await catalogFor({
    ...hookAt('a', { name: 'same' }),
    ...hookAt('b', { name: 'same' }),
  });
  expect(hookOf(catalog, 'same').source.file).toContain('hooks/a/');
  expect(catalog.absent).toMatchObject([{ name: 'same', reason: 'conflict' }]);
  expect(catalog.warnings[0]).toMatchObject({
    code: 'hook_name_conflict',
    data: {
      hook: 'same',
      kept: 'hooks/a of the local hooks',
      dropped: 'hooks/b of the local hooks',
    },
  });
});

test('a hook that its manifest turns off is listed as disabled and leaves its name to others', async () => {
  const catalog = await catalogFor({
    ...hookAt('a', { name: 'x', enabled: false }),
    ...hookAt('b', { name: 'x' }),
  });
  expect(hookOf(catalog, 'x').source.file).toContain('hooks/b/');
  expect(catalog.absent).toMatchObject([{ name: 'x', reason: 'disabled' }]);
});

test('a hook of a contract that is neutral on failure is open where its manifest does not say', async () => {
  const catalog = await catalogFor({
    ...hookAt('a', { contract: 'agent-os' }),
    ...hookAt('b', { contract: 'agent-os', failPolicy: 'closed' }),
  });
  expect(hookOf(catalog, 'a').failPolicy).toBe('open');
  expect(hookOf(catalog, 'b').failPolicy).toBeUndefined();
});
