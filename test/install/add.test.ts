import { execFile } from 'node:child_process';
import { readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyHistory } from '../../src/packages/lock/history.ts';
import {
  codesOf,
  hookAt,
  hookOf,
  makeFolder,
  namesOf,
  writeTree,
  type Tree,
} from '../packages/workspace.ts';
import { archiveOf, packed } from '../packages/archives.ts';
import { makeProject, openProject } from './project.ts';
import { openRegistry, type Registry } from './registry.ts';
import { forgetNpm, SLOW_MS } from './setting.ts';

const GATES = ['reads_tool_io', 'gates_tools'];
const MODULES = join(import.meta.dirname, '../../node_modules');

let registry: Registry;

beforeAll(async () => {
  forgetNpm();
  registry = await openRegistry();
  const scripts = Object.fromEntries(
    ['preinstall', 'install', 'postinstall', 'prepare'].map((name) => [name, 'touch ran-a-script']),
  );
  const files = Array.from({ length: 300 }, (_, index) => [
    `lib/${index}.js`,
    `export default ${index};`,
  ]);
  const many = Object.fromEntries(files) as Tree;
  await Promise.all([
    registry.publish(guards('1.0.0', { scripts })),
    ...['ms', 'fastq', 'reusify'].map((name) => republish(name)),
  ]);
  await registry.publish(guards('1.1.0'));
  await registry.publish(guards('2.0.0-beta.1'), 'next');
  await registry.publish({
    'package.json': {
      name: 'many',
      version: '1.0.0',
      dependencies: { ms: '^2.0.0', fastq: '^1.0.0' },
    },
    ...many,
    ...hookAt(
      'many',
      { capabilities: GATES },
      [
        `import ms from 'ms';`,
        `import fastq from 'fastq';`,
        ...files.map(([path], index) => `import f${index} from '../../${path}';`),
        `const sum = ${files.map((_, index) => `f${index}`).join(' + ')};`,
        `export const run = () => ({ action: 'block', reason: ms(60000) + sum + typeof fastq });`,
      ].join('\n'),
    ),
  });
}, SLOW_MS);

afterAll(() => registry.close());

function guards(version: string, more: object = {}): Tree {
  return {
    'package.json': { name: '@acme/guards', version, ...more },
    ...hookAt('audit', { capabilities: [...GATES, 'store:read:limits'] }),
    ...hookAt('redact', {
      points: ['preOutput'],
      capabilities: ['reads_output'],
      failPolicy: 'open',
    }),
  };
}

/** A small well-known package of the public registry, as this machine has it installed. */
async function republish(name: string): Promise<void> {
  await registry.npm('publish', join(MODULES, name), '--ignore-scripts');
}

test(
  '[AM44] a package of a registry is fetched, shown, agreed to, locked and live',
  async () => {
    const project = await makeProject(registry.npmrc);
    const { code, json } = await project.add('@acme/guards');
    expect(code).toBe(0);
    expect(json).toMatchObject([
      {
        package: '@acme/guards',
        version: '1.1.0',
        provenance: { signature: 'absent', attestation: 'absent' },
        hooks: [
          {
            hook: 'audit',
            points: ['preToolUse'],
            failPolicy: 'closed',
            may: [
              'read the arguments and results of tools',
              'stop or change tool calls and their results',
              'read rows of the store (collection "limits")',
            ],
            imports: [],
          },
          { hook: 'redact', failPolicy: 'open' },
        ],
      },
    ]);
    expect(JSON.parse(await project.config())).toEqual({
      packages: [
        {
          package: '@acme/guards',
          version: '^1.1.0',
          grants: ['gates_tools', 'reads_output', 'reads_tool_io', 'store:read:limits'],
        },
      ],
    });
    const lock = await project.lock();
    expect(verifyHistory(lock)).toEqual([]);
    expect(lock.history).toMatchObject([
      { action: 'add', package: '@acme/guards', version: '1.1.0' },
    ]);
    expect(lock.packages['@acme/guards']).toMatchObject({
      version: '1.1.0',
      integrity: expect.stringMatching(/^sha512-/),
      hooks: { audit: { points: ['preToolUse'] }, redact: { failPolicy: 'open' } },
      consent: { by: expect.any(String), at: expect.stringMatching(/^\d{4}-/) },
    });
    const catalog = await project.catalog();
    expect(namesOf(catalog)).toEqual(['audit', 'redact']);
    expect(hookOf(catalog, 'audit')).toMatchObject({ source: { sandbox: 'isolate' }, missing: [] });
    expect(hookOf(catalog, 'audit').failure).toBeUndefined();
  },
  SLOW_MS,
);

test.each([
  ['@acme/guards@1.0.0', '1.0.0', '1.0.0'],
  ['@acme/guards@~1.0.0', '1.0.0', '~1.0.0'],
  ['@acme/guards@^1', '1.1.0', '^1'],
  ['@acme/guards@next', '2.0.0-beta.1', '^2.0.0-beta.1'],
])('%s takes version %s and keeps to %s', async (spec, version, range) => {
  const project = await makeProject(registry.npmrc);
  await project.add(spec);
  expect((await project.lock()).packages['@acme/guards']?.version).toBe(version);
  expect(JSON.parse(await project.config())).toMatchObject({ packages: [{ version: range }] });
});

test(
  'no script of a package runs, from a registry, a tarball, a folder or a repository',
  async () => {
    const project = await makeProject(registry.npmrc);
    await project.add('@acme/guards@1.0.0');
    const scripts = { prepare: 'touch ran-a-script', install: 'touch ran-a-script' };
    const tree = {
      'package.json': { name: 'scripted', version: '1.0.0', scripts },
      ...hookAt('one'),
    };
    await writeTree(join(project.folder, 'repository'), tree);
    const git = (...args: readonly string[]): Promise<unknown> =>
      promisify(execFile)('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], {
        cwd: join(project.folder, 'repository'),
      });
    await git('init', '--quiet');
    await git('add', '.');
    await git('commit', '--quiet', '-m', 'one');
    const url = `git+file://${join(project.folder, 'repository')}`;
    await project.add(url);
    expect((await project.lock()).packages['scripted']).toMatchObject({
      spec: url,
      resolved: expect.stringMatching(/#[0-9a-f]{40}$/),
    });
    expect(namesOf(await project.catalog())).toEqual(['audit', 'redact', 'one']);
    const found = await readdir(project.folder, { recursive: true });
    expect(found.filter((path) => path.includes('ran-a-script'))).toEqual([]);
  },
  SLOW_MS,
);

test(
  'a package of 300 files with dependencies becomes one bundle, its versions pinned',
  async () => {
    const project = await makeProject(registry.npmrc);
    const { json } = await project.add('many');
    expect(json).toMatchObject([
      { hooks: [{ hook: 'many', imports: ['fastq', 'ms', 'reusify'] }] },
    ]);
    const { dependencies } = (await project.lock()).packages['many'] ?? {};
    expect(Object.keys(dependencies ?? {})).toEqual([
      'node_modules/fastq',
      'node_modules/ms',
      'node_modules/reusify',
    ]);
    // Nothing of what was unpacked is kept.
    expect(await readdir(join(project.folder, 'packages-cache'))).toEqual(['locked', 'tmp']);
    expect(hookOf(await project.catalog(), 'many').failure).toBeUndefined();
  },
  SLOW_MS,
);

test('nothing is enabled that nobody agreed to', async () => {
  const project = await makeProject(registry.npmrc);
  const before = await project.state();
  await expect(project.add('@acme/guards', {})).rejects.toMatchObject({
    code: 'consent_needed',
    message: expect.stringContaining('gates_tools, reads_output, reads_tool_io, store:read:limits'),
    hint: expect.stringContaining('--grant'),
  });
  expect(await project.state()).toEqual(before);
});

test.each([
  [['reads_tool_oi'], 'did you mean "reads_tool_io"'],
  [['net:fetch:example.com'], 'asks for net:fetch:example.com'],
])('a grant of %j that no hook asks for is refused', async (grant, detail) => {
  const project = await makeProject(registry.npmrc);
  const before = await project.state();
  await expect(project.add('@acme/guards', { grant })).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining(detail),
  });
  expect(await project.state()).toEqual(before);
});

test('a hook that is granted less than it declares fails, unless its entry is partial', async () => {
  const project = await makeProject(registry.npmrc);
  const { notes } = await project.add('@acme/guards', { grant: ['reads_tool_io', 'reads_output'] });
  expect(notes).toContain('fail until it is granted');
  const catalog = await project.catalog();
  expect(hookOf(catalog, 'audit').failure).toMatchObject({ code: 'ungranted' });
  expect(hookOf(catalog, 'redact').failure).toBeUndefined();
  await project.add('@acme/guards', { grant: ['reads_tool_io', 'reads_output'], partial: true });
  const partial = hookOf(await project.catalog(), 'audit');
  expect(partial).toMatchObject({ granted: ['reads_tool_io'] });
  expect(partial.failure).toBeUndefined();
});

test('[AM45] hooks that are not taken are not asked about', async () => {
  const project = await makeProject(registry.npmrc);
  const { json } = await project.add('@acme/guards', { use: ['hooks.redact'], grantAll: true });
  expect(json).toMatchObject([{ hooks: [{ hook: 'redact' }], granted: ['reads_output'] }]);
  expect(namesOf(await project.catalog())).toEqual(['redact']);
});

test('[G01] a selector that is typed wrong is refused before anything is enabled', async () => {
  const project = await makeProject(registry.npmrc);
  await expect(
    project.add('@acme/guards', { use: ['hooks.redakt'], grantAll: true }),
  ).rejects.toMatchObject({
    code: 'selector_unmatched',
    hint: expect.stringContaining('hooks.redact'),
  });
});

test('runtime.json keeps its order, its indentation and its other entries', async () => {
  const text =
    '{\n\t"store": { "file": "x.db" },\n\t"packages": [\n\t\t"./mine"\n\t],\n\t"hooks": {}\n}\n';
  const mine = { 'mine/package.json': { name: 'mine', version: '1.0.0' } };
  const project = await makeProject(registry.npmrc, { 'runtime.json': text, ...mine });
  await project.add('@acme/guards@1.0.0', { use: ['hooks.redact'], grantAll: true });
  expect(await project.config()).toBe(
    [
      '{',
      '\t"store": { "file": "x.db" },',
      '\t"packages": [',
      '\t\t"./mine",',
      '\t\t{',
      '\t\t\t"package": "@acme/guards",',
      '\t\t\t"version": "1.0.0",',
      '\t\t\t"use": [',
      '\t\t\t\t"hooks.redact"',
      '\t\t\t],',
      '\t\t\t"grants": [',
      '\t\t\t\t"reads_output"',
      '\t\t\t]',
      '\t\t}',
      '\t],',
      '\t"hooks": {}',
      '}',
      '',
    ].join('\n'),
  );
});

test('a runtime.json that is a link stays one', async () => {
  const project = await makeProject(registry.npmrc);
  await rename(join(project.folder, 'runtime.json'), join(project.folder, 'real.json'));
  await symlink('real.json', join(project.folder, 'runtime.json'));
  await project.add('@acme/guards');
  expect(await readFile(join(project.folder, 'real.json'), 'utf8')).toContain('@acme/guards');
});

test(
  'a tarball, its URL and a folder are added by where they are',
  async () => {
    const project = await makeProject(registry.npmrc);
    const files = { 'package.json': { name: 'packed', version: '1.2.3' }, ...hookAt('one') };
    await writeFile(join(project.folder, 'packed.tgz'), archiveOf(packed(files)));
    await writeTree(join(project.folder, 'plain'), {
      ...guards('1.0.0'),
      'package.json': { name: 'plain', version: '1.0.0' },
    });
    await project.add(join(project.folder, 'packed.tgz'));
    await project.add(join(project.folder, 'plain'));
    await project.add(`${registry.url}many/-/many-1.0.0.tgz`);
    expect(JSON.parse(await project.config())).toMatchObject({
      packages: [
        { package: './packed.tgz', grants: [] },
        { package: './plain' },
        { package: `${registry.url}many/-/many-1.0.0.tgz` },
      ],
    });
    expect(Object.keys((await project.lock()).packages)).toEqual(['many', 'packed']);
    // What is locked runs from the cache, whatever becomes of the file.
    await rm(join(project.folder, 'packed.tgz'));
    const catalog = await project.catalog();
    expect(namesOf(catalog)).toEqual(['one', 'audit', 'redact', 'many']);
    expect(catalog.hooks.every(({ failure }) => failure === undefined)).toBe(true);
  },
  SLOW_MS,
);

test('[AM48] a start never downloads: what is declared and not locked is a warning with the command', async () => {
  const project = await makeProject(registry.npmrc, {
    'runtime.json': { packages: [{ package: '@acme/guards', grants: GATES }] },
    ...hookAt('mine'),
  });
  const catalog = await project.catalog();
  expect(namesOf(catalog)).toEqual(['mine']);
  expect(catalog.warnings).toMatchObject([
    { code: 'not_installed', hint: expect.stringContaining('signalbox add @acme/guards') },
  ]);
});

test('[AM46] a bare entry of a locked package takes every hook, and each waits for consent', async () => {
  const project = await makeProject(registry.npmrc);
  await project.add('@acme/guards');
  await writeFile(join(project.folder, 'runtime.json'), '{"packages": ["@acme/guards"]}');
  const catalog = await project.catalog();
  expect(catalog.absent.map(({ name, reason }) => [name, reason])).toEqual([
    ['audit', 'awaiting_consent'],
    ['redact', 'awaiting_consent'],
  ]);
  await project.add('@acme/guards');
  expect(namesOf(await project.catalog())).toEqual(['audit', 'redact']);
});

test('[AM47] a use list without an entry on hooks takes none of a locked package', async () => {
  const project = await makeProject(registry.npmrc);
  await project.add('@acme/guards', { use: ['tools.*'], grantAll: true });
  expect(namesOf(await project.catalog())).toEqual([]);
});

test.each([
  ['a changed byte', (text: string) => text.replace('allow', 'alloy'), 'package_tampered'],
  ['a cut end', (text: string) => text.slice(0, -10), 'package_tampered'],
  ['no file', () => undefined, 'not_installed'],
])(
  'with %s in the cache the hooks stay in their chains and fail by their policy',
  async (_, change, code) => {
    const project = await makeProject(registry.npmrc);
    await project.add('@acme/guards');
    const locked = join(project.folder, 'packages-cache/locked');
    const [name = ''] = await readdir(locked);
    const text = change(await readFile(join(locked, name), 'utf8'));
    if (text === undefined) await rm(join(locked, name));
    else await writeFile(join(locked, name), text);
    const catalog = await project.catalog();
    expect(namesOf(catalog)).toEqual(['audit', 'redact']);
    expect(hookOf(catalog, 'audit')).toMatchObject({ failure: { code }, source: { code: '' } });
    expect(hookOf(catalog, 'redact').manifest.failPolicy).toBe('open');
    expect(codesOf(catalog)).toEqual([code]);
  },
);

test('the cache is enough to start: no registry, no npm, no other file', async () => {
  const project = await makeProject(registry.npmrc);
  await project.add('@acme/guards');
  const copy = await makeFolder();
  for (const name of ['runtime.json', 'runtime.lock.json', 'packages-cache']) {
    await rename(join(project.folder, name), join(copy, name));
  }
  const catalog = await openProject(copy).catalog();
  expect(catalog.hooks.map(({ failure }) => failure)).toEqual([undefined, undefined]);
});

test(
  'a package that depends on the sdk gets the one of the host, which no registry need have',
  async () => {
    const project = await makeProject('registry=http://127.0.0.1:9/\n');
    const code = `import { allow } from '@signalbox/sdk'; export const run = () => allow();`;
    const manifest = {
      name: 'kit',
      version: '1.0.0',
      dependencies: { '@signalbox/sdk': '^0.1.0' },
    };
    const files = { 'package.json': manifest, ...hookAt('kit', {}, code) };
    await writeFile(join(project.folder, 'kit.tgz'), archiveOf(packed(files)));
    const { json } = await project.add(join(project.folder, 'kit.tgz'));
    expect(json).toMatchObject([{ hooks: [{ imports: ['@signalbox/sdk'] }] }]);
    expect(hookOf(await project.catalog(), 'kit').failure).toBeUndefined();
  },
  SLOW_MS,
);
