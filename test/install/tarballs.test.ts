import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { beforeAll, expect, test } from 'vitest';
import { openRuntime } from '../../src/index.ts';
import { archiveOf, packed } from '../packages/archives.ts';
import { hookAt, hookOf, type Tree } from '../packages/workspace.ts';
import { makeProject, type Project } from './project.ts';
import { forgetNpm, SLOW_MS } from './setting.ts';

beforeAll(forgetNpm);

/** A project beside a tarball of one hook; nothing of it needs a registry. */
async function projectWith(hook: Tree): Promise<Project> {
  const project = await makeProject('');
  const files = { 'package.json': { name: 'packed', version: '1.2.3' }, ...hook };
  await writeFile(join(project.folder, 'packed.tgz'), archiveOf(packed(files)));
  return project;
}

const addTo = (project: Project, ...grant: readonly string[]): ReturnType<Project['add']> =>
  project.add(join(project.folder, 'packed.tgz'), grant.length > 0 ? { grant } : undefined);

test(
  'a host is granted in lower case, however the manifest or the operator writes it',
  async () => {
    const declared = 'net:fetch:API.Example.com';
    const project = await projectWith(hookAt('caller', { capabilities: [declared] }));
    await addTo(project);
    const granted = ['net:fetch:api.example.com'];
    expect(JSON.parse(await project.config())).toMatchObject({ packages: [{ grants: granted }] });
    expect((await project.lock()).packages['packed']?.consent.capabilities).toEqual(granted);
    await addTo(project, 'net:fetch:api.EXAMPLE.com', 'net:fetch:Api.example.com');
    expect(JSON.parse(await project.config())).toMatchObject({ packages: [{ grants: granted }] });
    expect(hookOf(await project.catalog(), 'caller')).toMatchObject({ missing: [] });
  },
  SLOW_MS,
);

/** What an isolate binds to names of the sandbox, a worker has to find as well; `process` is there in a worker alone. */
const WEB = `
  import { word } from './word.mjs';
  export const createHook = ({ level }) => ({
    async run() {
      await new Promise((done) => setTimeout(done, 1));
      console.info('seen');
      const host = new URL('https://a.test/x').host;
      return { action: 'block', reason: [word, level, host, typeof process].join(' ') };
    },
  });`;

/** Limits that a busy machine does not meet. */
const CALM = { limits: { loadMs: 20_000, queueMs: 20_000 } };

const CLOSED = { points: ['preToolUse'], capabilities: ['gates_tools'], config: { level: 3 } };

test(
  'a locked package runs in a worker where the operator says so, from the bytes that were checked, and the audit says it',
  async () => {
    const project = await projectWith({
      ...hookAt('guard', CLOSED, WEB),
      'hooks/guard/word.mjs': 'export const word = "packed";',
    });
    await addTo(project);
    const file = join(project.folder, 'runtime.json');
    const config = JSON.parse(await project.config()) as object;
    const ask = { toolName: 'shell', args: {} };
    for (const [sandbox, kind] of [
      ['isolate', 'undefined'],
      ['worker', 'object'],
    ]) {
      const hooks = { overrides: { guard: { sandbox, timeoutMs: 20_000 } } };
      await writeFile(file, JSON.stringify({ ...config, ...CALM, hooks }));
      const runtime = await openRuntime({ config: file, log: { destination: new PassThrough() } });
      try {
        expect(runtime.inventory().hooks).toMatchObject([
          { hook: 'guard', sandbox, state: 'live' },
        ]);
        expect(await runtime.fire('preToolUse', ask)).toMatchObject({
          action: 'block',
          reason: `packed 3 a.test ${kind}`,
        });
        // Nothing of it changed, so that nothing is loaded again.
        expect(await runtime.reload({ who: 'ada' })).toMatchObject({ changed: [] });
      } finally {
        await runtime.close();
      }
    }
    const [, { findings }] = await project.audit();
    expect(findings).toContainEqual(
      expect.objectContaining({ kind: 'unsandboxed', package: 'packed', hook: 'guard' }),
    );
    const [name = ''] = await readdir(join(project.folder, 'packages-cache/locked'));
    const cached = join(project.folder, 'packages-cache/locked', name);
    await writeFile(cached, (await readFile(cached, 'utf8')).replace('seen', 'then'));
    expect(hookOf(await project.catalog(), 'guard').failure).toMatchObject({
      code: 'package_tampered',
    });
  },
  SLOW_MS,
);

test(
  'a guard whose entry was taken out of the lock stays in its chain and fails, and the audit and ci tell it',
  async () => {
    const project = await projectWith(hookAt('guard', CLOSED));
    await addTo(project);
    expect(hookOf(await project.catalog(), 'guard').failure).toBeUndefined();
    await rm(join(project.folder, 'runtime.lock.json'));
    await rm(join(project.folder, 'packed.tgz'));
    expect(hookOf(await project.catalog(), 'guard').failure).toMatchObject({
      code: 'not_installed',
    });
    await expect(project.ci()).rejects.toMatchObject({ code: 'lock_mismatch' });
    const [code, { findings }] = await project.audit();
    expect(code).toBe(1);
    expect(findings.map(({ kind }) => kind)).toContain('missing');
  },
  SLOW_MS,
);

test(
  'a hook may be called as every object has something called',
  async () => {
    const project = await projectWith({ ...hookAt('constructor'), ...hookAt('valueOf') });
    const { json } = await addTo(project);
    expect(json).toMatchObject([{ hooks: [{ hook: 'constructor' }, { hook: 'valueOf' }] }]);
    const [code, { findings }] = await project.audit();
    expect([code, findings.filter(({ weight }) => weight === 'drift')]).toEqual([0, []]);
  },
  SLOW_MS,
);

test('what is wrong with a package is said of what was typed, not of a place of ours', async () => {
  const project = await makeProject('');
  const nameless = archiveOf(packed({ 'package.json': { version: '1.0.0' }, ...hookAt('one') }));
  await writeFile(join(project.folder, 'nameless.tgz'), nameless);
  await expect(project.add(join(project.folder, 'nameless.tgz'))).rejects.toMatchObject({
    code: 'package_invalid',
    message: expect.stringMatching(/nameless\.tgz" cannot be used.*no valid "name"/) as string,
  });
  await expect(project.add('./no-such-folder/')).rejects.toMatchObject({
    code: 'package_fetch',
    message: expect.stringContaining('there is no such folder') as string,
  });
  for (const blank of ['', ' ']) {
    await expect(project.add(blank)).rejects.toMatchObject({
      code: 'package_fetch',
      message: expect.stringContaining('nothing is named') as string,
    });
  }
});

test('who names some capabilities and takes all of them is asked which, and nothing is granted', async () => {
  const project = await projectWith(hookAt('guard', CLOSED));
  const before = await project.state();
  const both = { grant: ['gates_tools'], grantAll: true };
  const usage = { code: 'usage', message: expect.stringContaining('--grant-all') as string };
  await expect(project.add(join(project.folder, 'packed.tgz'), both)).rejects.toMatchObject(usage);
  await expect(project.update(undefined, both)).rejects.toMatchObject(usage);
  expect(await project.state()).toEqual(before);
});

test('a package that is removed goes with each entry that it has', async () => {
  const project = await projectWith(hookAt('guard', CLOSED));
  await addTo(project);
  const file = join(project.folder, 'runtime.json');
  const { packages } = JSON.parse(await project.config()) as { readonly packages: object[] };
  await writeFile(file, JSON.stringify({ packages: [...packages, './packed.tgz'] }));
  await project.remove('packed');
  expect(JSON.parse(await project.config())).toEqual({ packages: [] });
  expect((await project.ci()).code).toBe(0);
});
