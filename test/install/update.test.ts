import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyHistory } from '../../src/packages/lock/history.ts';
import { archiveOf, packed } from '../packages/archives.ts';
import { hookAt, hookOf, namesOf, type Tree } from '../packages/workspace.ts';
import { makeProject, type Project } from './project.ts';
import { openRegistry, type Registry } from './registry.ts';
import { forgetNpm, SLOW_MS } from './setting.ts';

const READS = ['reads_tool_io', 'store:read'];

let registry: Registry;

beforeAll(async () => {
  forgetNpm();
  registry = await openRegistry();
  for (const version of ['1.0.0', '1.1.0', '2.0.0'])
    await registry.publish(plain('steady', version));
  await registry.publish(plain('hungry', '1.0.0'));
  const more = { points: ['preToolUse', 'postToolUse'], capabilities: [...READS, 'gates_tools'] };
  await registry.publish(plain('hungry', '1.1.0', more));
  await registry.publish(plain('narrow', '1.0.0'));
  await registry.publish(
    plain('narrow', '1.1.0', { capabilities: ['reads_tool_io', 'store:read:docs'] }),
  );
  for (const version of ['1.0.0', '1.1.0']) await registry.publish(plain('yanked', version));
  await registry.publish(plain('old', '1.0.0'));
  await registry.npm('deprecate', 'old@1.0.0', 'use another');
}, SLOW_MS);

afterAll(() => registry.close());

function plain(name: string, version: string, manifest: object = {}): Tree {
  return {
    'package.json': { name, version },
    ...hookAt(`${name}-hook`, { capabilities: READS, ...manifest }),
  };
}

async function versionOf(project: Project, name: string): Promise<string | undefined> {
  return (await project.lock()).packages[name]?.version;
}

test(
  'an update goes to the newest version of the range, and says what is other',
  async () => {
    const project = await makeProject(registry.npmrc);
    await project.add('steady@1.0.0');
    expect(await project.update()).toMatchObject({ json: [[{ result: 'current' }]] });
    const text = await project.config();
    await writeFile(join(project.folder, 'runtime.json'), text.replace('"1.0.0"', '"^1.0.0"'));
    expect(await project.update('steady')).toMatchObject({
      code: 0,
      json: [[{ package: 'steady', from: '1.0.0', to: '1.1.0', result: 'updated' }]],
    });
    expect(await versionOf(project, 'steady')).toBe('1.1.0');
    const { history } = await project.lock();
    expect(history.map(({ action, version }) => [action, version])).toEqual([
      ['add', '1.0.0'],
      ['update', '1.1.0'],
    ]);
    expect(verifyHistory(await project.lock())).toEqual([]);
  },
  SLOW_MS,
);

async function onHungry(): Promise<Project> {
  const project = await makeProject(registry.npmrc);
  await project.add('hungry@1.0.0');
  const text = await project.config();
  await writeFile(join(project.folder, 'runtime.json'), text.replace('"1.0.0"', '"^1.0.0"'));
  return project;
}

test(
  'a version that wants more needs consent again; without it the old one stays and runs',
  async () => {
    const project = await onHungry();
    const before = await project.state();
    const { json, notes, code } = await project.update();
    expect(code).not.toBe(0);
    expect(json).toMatchObject([
      [{ package: 'hungry', result: 'failed', detail: 'consent_needed' }],
    ]);
    expect(notes).toContain('gates_tools');
    expect(notes).toContain('version 1.0.0 stays');
    expect(await project.state()).toEqual(before);
    const hook = hookOf(await project.catalog(), 'hungry-hook');
    expect(hook).toMatchObject({ origin: { version: '1.0.0' } });
    expect(hook.failure).toBeUndefined();
  },
  SLOW_MS,
);

test(
  'with consent it is granted what is new beside what was granted',
  async () => {
    const project = await onHungry();
    expect(await project.update('hungry', { grant: ['gates_tools'] })).toMatchObject({
      json: [
        [
          {
            result: 'updated',
            granted: ['reads_tool_io', 'store:read', 'gates_tools'],
            differences: [
              {
                hook: 'hungry-hook',
                change: 'changed',
                points: { added: ['postToolUse'], removed: [] },
                capabilities: { added: ['gates_tools'], removed: [] },
              },
            ],
          },
        ],
      ],
    });
    expect(hookOf(await project.catalog(), 'hungry-hook').missing).toEqual([]);
  },
  SLOW_MS,
);

test(
  'a version that wants a part of what it had wants nothing new',
  async () => {
    const project = await makeProject(registry.npmrc);
    await project.add('narrow@~1.0.0');
    const text = await project.config();
    await writeFile(join(project.folder, 'runtime.json'), text.replace('~1.0.0', '^1.0.0'));
    expect(await project.update()).toMatchObject({ json: [[{ result: 'updated', to: '1.1.0' }]] });
  },
  SLOW_MS,
);

test(
  'a version that is not published any more goes on from the cache, and is not taken back',
  async () => {
    const project = await makeProject(registry.npmrc);
    await project.add('yanked@^1.1.0');
    const text = await project.config();
    await writeFile(join(project.folder, 'runtime.json'), text.replace('^1.1.0', '^1.0.0'));
    await registry.npm('unpublish', 'yanked@1.1.0', '--force');
    await rm(join(project.folder, 'npm-cache'), { recursive: true });
    expect(await project.update()).toMatchObject({ json: [[{ result: 'kept', to: '1.1.0' }]] });
    expect(hookOf(await project.catalog(), 'yanked-hook').failure).toBeUndefined();
    await expect(project.add('yanked@1.1.0')).rejects.toMatchObject({
      code: 'package_fetch',
      message: expect.stringContaining('no published version fits'),
    });
  },
  SLOW_MS,
);

test('what its authors call deprecated is said', async () => {
  const project = await makeProject(registry.npmrc);
  const { json } = await project.add('old');
  expect(json).toMatchObject([{ deprecated: 'use another' }]);
});

test(
  'a version whose bytes changed in the registry is refused, and the locked one runs on',
  async () => {
    const project = await makeProject(registry.npmrc);
    await registry.publish(plain('swapped', '1.0.0'));
    await project.add('swapped@1.0.0');
    await registry.npm('unpublish', 'swapped', '--force');
    const evil = plain('swapped', '1.0.0', { points: ['preInput'] });
    await registry.publishArchive({ name: 'swapped', version: '1.0.0' }, packed(evil));
    const before = await project.state();
    await expect(project.add('swapped@1.0.0')).rejects.toMatchObject({ code: 'package_tampered' });
    expect(await project.update()).toMatchObject({ json: [[{ detail: 'package_tampered' }]] });
    expect(await project.state()).toEqual(before);
    await rm(join(project.folder, 'packages-cache'), { recursive: true });
    await expect(project.ci()).rejects.toMatchObject({ code: 'package_tampered' });
    expect(await readdir(project.folder)).not.toContain('packages-cache');
  },
  SLOW_MS,
);

test(
  'outdated tells what is wanted and what is newest',
  async () => {
    const project = await makeProject(registry.npmrc);
    await project.add('steady@1.0.0');
    const text = await project.config();
    await writeFile(join(project.folder, 'runtime.json'), text.replace('"1.0.0"', '"^1.0.0"'));
    expect(await project.outdated()).toMatchObject({
      code: 1,
      json: [[{ package: 'steady', current: '1.0.0', wanted: '1.1.0', latest: '2.0.0' }]],
    });
    await project.add('steady');
    expect(await project.outdated()).toMatchObject({ code: 0, json: [[]] });
  },
  SLOW_MS,
);

test(
  'remove takes a package out of both files, and its history stays',
  async () => {
    const project = await makeProject(registry.npmrc);
    const empty = await project.config();
    await project.add('steady');
    expect(await project.remove('steady')).toMatchObject({
      json: [{ removed: 'steady', version: '2.0.0' }],
    });
    expect(JSON.parse(await project.config())).toEqual(JSON.parse(empty));
    const lock = await project.lock();
    expect(lock.packages).toEqual({});
    expect(lock.history.map(({ action }) => action)).toEqual(['add', 'remove']);
    expect(verifyHistory(lock)).toEqual([]);
    await expect(project.remove('steady')).rejects.toMatchObject({ code: 'package_unknown' });
  },
  SLOW_MS,
);

test(
  'list says what is locked, who agreed, and what the cache lost',
  async () => {
    const project = await makeProject(registry.npmrc);
    await project.add('steady');
    const row = { package: 'steady', version: '2.0.0', hooks: ['steady-hook'], granted: READS };
    expect(await project.list()).toMatchObject({ json: [[{ ...row, state: 'ready' }]] });
    await rm(join(project.folder, 'packages-cache'), { recursive: true });
    expect(await project.list()).toMatchObject({ json: [[{ ...row, state: 'not in the cache' }]] });
  },
  SLOW_MS,
);

test(
  'ci puts exactly what is locked into an empty cache, whatever is newer',
  async () => {
    const project = await makeProject(registry.npmrc);
    await project.add('steady@1.0.0');
    await writeFile(join(project.folder, 'local.tgz'), archiveOf(packed(plain('local', '1.0.0'))));
    await project.add(join(project.folder, 'local.tgz'));
    const before = await project.state();
    await rm(join(project.folder, 'packages-cache'), { recursive: true });
    expect(namesOf(await project.catalog())).toEqual(['steady-hook', 'local-hook']);
    expect(hookOf(await project.catalog(), 'local-hook').failure).toMatchObject({
      code: 'not_installed',
    });
    expect(await project.ci()).toMatchObject({ code: 0, json: [{ packages: 2, installed: 2 }] });
    expect(await project.state()).toEqual(before);
    expect(await project.ci()).toMatchObject({ json: [{ installed: 0 }] });
  },
  SLOW_MS,
);

test.each([
  [
    'a range that the locked version does not fit',
    (project: Project, text: string) =>
      writeFile(join(project.folder, 'runtime.json'), text.replace('"1.0.0"', '"^2.0.0"')),
    /asks for "\^2\.0\.0"/,
  ],
  [
    'a package that is locked and not declared',
    (project: Project) => writeFile(join(project.folder, 'runtime.json'), '{}'),
    /not in runtime\.json/,
  ],
  [
    'a package that is declared and not locked',
    (project: Project) => rm(join(project.folder, 'runtime.lock.json')),
    /is not locked/,
  ],
  [
    'a lock that was edited',
    async (project: Project) => {
      const lock = await project.lock();
      const edited = JSON.stringify(lock).replaceAll('reads_tool_io', 'reads_input');
      await writeFile(join(project.folder, 'runtime.lock.json'), edited);
    },
    /history/,
  ],
  [
    'a tarball that is another now',
    async (project: Project) => {
      const other = plain('local', '1.0.0', { points: ['preInput'] });
      await writeFile(join(project.folder, 'local.tgz'), archiveOf(packed(other)));
      await rm(join(project.folder, 'npm-cache'), { recursive: true });
    },
    /hash differs/,
  ],
])(
  'ci fails on %s',
  async (_, change, detail) => {
    const project = await makeProject(registry.npmrc);
    await writeFile(join(project.folder, 'local.tgz'), archiveOf(packed(plain('local', '1.0.0'))));
    await project.add('steady@1.0.0');
    await project.add(join(project.folder, 'local.tgz'));
    await change(project, await project.config());
    await rm(join(project.folder, 'packages-cache'), { recursive: true });
    await expect(project.ci()).rejects.toThrow(detail);
    expect(await readdir(join(project.folder))).not.toContain('packages-cache');
  },
  SLOW_MS,
);

test(
  'why names the entry, the selector, the rename, and who agreed',
  async () => {
    const project = await makeProject(registry.npmrc, hookAt('mine'));
    await project.add('steady@1.0.0', { use: ['hooks.*'], grantAll: true });
    const [entry] = (JSON.parse(await project.config()) as { packages: object[] }).packages;
    const renamed = { ...entry, as: { 'steady-hook': 'calm' } };
    await writeFile(join(project.folder, 'runtime.json'), JSON.stringify({ packages: [renamed] }));
    const { code, json } = await project.why('calm');
    expect(code).toBe(0);
    expect(json).toMatchObject([
      [
        {
          hook: 'calm',
          package: 'steady@1.0.0',
          isOn: true,
          because: [
            'packages[0] of runtime.json names "steady" in version 1.0.0',
            'the last selector that fits it is "hooks.*"',
            '"as" renames it from "steady-hook"',
            expect.stringMatching(/agreed on \d{4}-.* to reads_tool_io, store:read$/),
            'granted: reads_tool_io, store:read',
          ],
        },
      ],
    ]);
    await expect(project.why('clam')).rejects.toMatchObject({
      code: 'hook_unknown',
      hint: expect.stringContaining('calm'),
    });
  },
  SLOW_MS,
);

test.each([
  ['a selector', { use: ['hooks.*', '!hooks.audit'] }, {}, 'packages[0].use has "!hooks.audit"'],
  ['other selectors', { use: ['hooks.other'] }, {}, 'packages[].use takes other hooks'],
  ['a rule', {}, { hooks: { disabled: ['audit'] } }, 'hooks.disabled of runtime.json names it'],
  ['no consent', { grants: undefined }, {}, 'awaits consent'],
])('why names what turned a hook off: %s', async (_, entry, settings, reason) => {
  const packages = [{ package: './guards', grants: [], ...entry }];
  const project = await makeProject('', {
    'runtime.json': { packages, ...settings },
    'guards/package.json': { name: 'guards', version: '1.0.0' },
    ...Object.fromEntries(
      Object.entries({ ...hookAt('audit'), ...hookAt('other') }).map(([path, text]) => [
        `guards/${path}`,
        text,
      ]),
    ),
  });
  const { code, json } = await project.why('audit');
  expect(code).toBe(1);
  expect(json).toMatchObject([[{ isOn: false, because: expect.any(Array) }]]);
  expect(JSON.stringify(json)).toContain(JSON.stringify(reason).slice(1, -1));
});

test(
  '[AM12] why names both hooks of a conflict and how to resolve it',
  async () => {
    const project = await makeProject(registry.npmrc, hookAt('steady-hook'));
    await project.add('steady');
    const { json } = await project.why('steady-hook');
    expect(json).toMatchObject([
      [
        { package: 'the local hooks', isOn: true },
        {
          package: 'steady@2.0.0',
          isOn: false,
          because: [
            expect.stringContaining('is kept'),
            'Rename one with "as" in its package entry of runtime.json',
            'packages[0] of runtime.json names "steady" in version ^2.0.0',
            'its entry has no "use": every hook is taken',
            expect.stringContaining('agreed on'),
            'granted: reads_tool_io, store:read',
          ],
        },
      ],
    ]);
  },
  SLOW_MS,
);
