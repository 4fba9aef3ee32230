import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { verifyHistory } from '../../src/packages/lock/history.ts';
import { archiveOf, packed, type ArchiveEntry } from '../packages/archives.ts';
import { hookAt, namesOf, type Tree } from '../packages/workspace.ts';
import { makeProject, type Project } from './project.ts';
import { freePort, openRegistry, type Registry } from './registry.ts';
import { forgetNpm, SLOW_MS } from './setting.ts';

let registry: Registry;

beforeAll(async () => {
  forgetNpm();
  registry = await openRegistry();
  await registry.publish(guards('guards'));
  await registry.publish(guards('others'));
}, SLOW_MS);

afterAll(() => registry.close());

function guards(name: string, more: Tree = {}): Tree {
  return { 'package.json': { name, version: '1.0.0' }, ...hookAt(`${name}-hook`), ...more };
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** A registry in front of the real one that goes wrong for tarballs alone, or for everything. */
async function faulty(answer: Answer, isForAll = false): Promise<string> {
  const server = createServer((request, response) => {
    const isTarball = request.url?.endsWith('.tgz') === true;
    if (isForAll || isTarball) void answer(request, response);
    else void passOn(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => stop(server));
  const { port } = server.address() as AddressInfo;
  return `registry=http://127.0.0.1:${port}/\n`;
}

function stop(server: Server): void {
  server.closeAllConnections();
  server.close();
}

/** What the real registry answers; the URLs of tarballs lead back here. */
async function passOn(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const bytes = await bytesOf(request);
  const { status, body } = bytes;
  const own = `http://${request.headers.host}/`;
  const text = body.toString('utf8').replaceAll(registry.url, own);
  response.writeHead(status, { 'content-type': 'application/json' }).end(text);
}

async function bytesOf(
  request: IncomingMessage,
): Promise<{ readonly status: number; readonly body: Buffer }> {
  const answer = await fetch(new URL(request.url ?? '', registry.url));
  return { status: answer.status, body: Buffer.from(await answer.arrayBuffer()) };
}

const fail =
  (status: number): Answer =>
  (_, response) => {
    response.writeHead(status).end('{"error": "no"}');
  };

/** Nobody waits for long where no answer is what comes of it. */
const IMPATIENT = 'fetch-timeout=3000\n';

const FAULTS: readonly (readonly [fault: string, npmrc: () => Promise<string>, detail: string])[] =
  [
    [
      'that is down',
      async () => `registry=http://127.0.0.1:${await freePort()}/\n`,
      'cannot be reached',
    ],
    ['that wants a login', () => faulty(fail(401), true), 'wants a login (401)'],
    ['that forbids', () => faulty(fail(403), true), 'forbids it (403)'],
    ['that does not have it', () => faulty(fail(404), true), 'does not have it (404)'],
    ['that fails', () => faulty(fail(500), true), 'the registry failed (500)'],
    ['that fails at the tarball', () => faulty(fail(503)), 'the registry failed (503)'],
    ['that lost the tarball', () => faulty(fail(404)), 'does not have it (404)'],
    [
      'that never answers',
      async () => IMPATIENT + (await faulty(() => undefined, true)),
      'did not answer in time',
    ],
    [
      'that stops in the middle of the tarball',
      async () =>
        IMPATIENT +
        (await faulty(async (request, response) => {
          const { body } = await bytesOf(request);
          response.writeHead(200).write(body.subarray(0, 100));
        })),
      'did not answer in time',
    ],
    [
      'that breaks off in the middle of the tarball',
      () =>
        faulty(async (request, response) => {
          const { body } = await bytesOf(request);
          response.writeHead(200, { 'content-length': body.length });
          response.write(body.subarray(0, 100), () => response.destroy());
        }),
      'the registry',
    ],
    [
      'that sends a part of the tarball as if it were all',
      () =>
        faulty(async (request, response) => {
          const { body } = await bytesOf(request);
          response.writeHead(200).end(body.subarray(0, 100));
        }),
      'its hash differs',
    ],
    [
      'that sends another tarball',
      () =>
        faulty((_, response) => {
          response.writeHead(200).end(archiveOf(packed(guards('guards', hookAt('evil')))));
        }),
      'its hash differs',
    ],
    [
      'that answers with a page',
      () =>
        faulty((_, response) => {
          response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in</html>');
        }, true),
      'Cannot fetch package "guards"',
    ],
  ];

test.each(FAULTS)(
  'a registry %s is a clear error, and nothing is changed',
  async (_, npmrc, detail) => {
    const project = await makeProject(await npmrc());
    const before = await project.state();
    await expect(project.add('guards')).rejects.toMatchObject({
      code: 'package_fetch',
      message: expect.stringContaining(detail),
    });
    expect(await project.state()).toEqual(before);
    expect(await readdir(project.folder)).not.toContain('packages-cache');
  },
  SLOW_MS,
);

test('a name that no package has, and a range that none fits, are told', async () => {
  const project = await makeProject(registry.npmrc);
  await expect(project.add('no-such-package')).rejects.toThrow('does not have it (404)');
  await expect(project.add('guards@^9')).rejects.toThrow('no published version fits');
  await expect(project.add('other@npm:guards')).rejects.toThrow('name the package itself');
  await expect(project.add('./nowhere.tgz')).rejects.toThrow('it is not there');
});

const HANDLER = 'export const run = () => ({ action: "allow" });';

const REFUSED: readonly (readonly [
  what: string,
  files: Tree,
  more: readonly ArchiveEntry[],
  error: { readonly code: string; readonly detail: string },
])[] = [
  [
    'a native addon',
    { 'binding.gyp': '{}', 'build/addon.node': 'x' },
    [],
    { code: 'package_bundle', detail: 'belongs to a native addon' },
  ],
  [
    'an import of Node.js',
    hookAt('nodely', {}, `import 'node:fs'; ${HANDLER}`),
    [],
    { code: 'package_bundle', detail: 'imports "node:fs", which no sandbox has' },
  ],
  [
    'an import that is not declared',
    hookAt('loose', {}, `import 'left-pad'; ${HANDLER}`),
    [],
    { code: 'package_bundle', detail: 'which is not installed in the package' },
  ],
  [
    'a dependency that nobody has',
    {
      'package.json': {
        name: 'hostile',
        version: '1.0.0',
        dependencies: { 'no-such-package': '1' },
      },
    },
    [],
    { code: 'package_fetch', detail: 'does not have it (404)' },
  ],
  [
    'a dependency by path',
    { 'package.json': { name: 'hostile', version: '1.0.0', dependencies: { x: 'file:../..' } } },
    [],
    { code: 'package_fetch', detail: 'which no registry has' },
  ],
  [
    'a dependency by repository',
    {
      'package.json': {
        name: 'hostile',
        version: '1.0.0',
        dependencies: { x: 'git+ssh://x/y.git' },
      },
    },
    [],
    { code: 'package_fetch', detail: 'which no registry has' },
  ],
  [
    'a path that leads out',
    {},
    [{ path: 'package/../../x' }],
    { code: 'package_invalid', detail: 'leads out' },
  ],
  [
    'a link',
    {},
    [{ path: 'package/x', type: 'SymbolicLink', target: '/etc/passwd' }],
    { code: 'package_invalid', detail: 'neither a file nor a folder' },
  ],
  [
    'paths that differ in case alone',
    {},
    [{ path: 'package/a.js' }, { path: 'package/A.js' }],
    { code: 'package_invalid', detail: 'case' },
  ],
  [
    'the name of another',
    { 'package.json': { name: 'guards', version: '1.0.0' } },
    [],
    { code: 'package_invalid', detail: 'says that it is guards@1.0.0' },
  ],
  [
    'another version than the registry says',
    { 'package.json': { name: 'hostile', version: '1.0.1' } },
    [],
    { code: 'package_invalid', detail: 'says that it is hostile@1.0.1' },
  ],
  [
    'no hook that is valid',
    { 'hooks/hostile-hook/hook.json': { name: 'x', points: ['preTolUse'] } },
    [],
    { code: 'package_invalid', detail: 'preTolUse' },
  ],
];

test.each(REFUSED)(
  'a package with %s is refused, and nothing is changed',
  async (_, files, more, { code, detail }) => {
    const project = await makeProject(registry.npmrc);
    const entries = [...packed(guards('hostile', files)), ...more];
    await registry.unpublish('hostile');
    await registry.publishArchive({ name: 'hostile', version: '1.0.0' }, entries);
    const before = await project.state();
    await expect(project.add('hostile')).rejects.toMatchObject({
      code,
      message: expect.stringContaining(detail),
    });
    expect(await project.state()).toEqual(before);
  },
  SLOW_MS,
);

test('a cache that cannot be written is a clear error, and nothing is changed', async () => {
  const project = await makeProject(registry.npmrc, {
    'packages-cache': 'a file where a folder should be',
  });
  const before = await project.state();
  await expect(project.add('guards')).rejects.toMatchObject({ code: 'install_failed' });
  expect(await project.state()).toEqual(before);
});

const MAIN = resolve(import.meta.dirname, '../../scripts/signalbox.mjs');

function addApart(project: Project, ...args: readonly string[]): ReturnType<typeof spawn> {
  const all = ['--conditions=@signalbox/source', MAIN, 'add', ...args, '--grant-all'];
  return spawn(process.execPath, all, { cwd: project.folder, stdio: ['ignore', 'ignore', 'pipe'] });
}

test(
  'two commands at once both get what they asked for, and one history',
  async () => {
    const project = await makeProject(registry.npmrc);
    const children = ['guards', 'others', 'guards'].map((name) => addApart(project, name));
    const codes = await Promise.all(
      children.map(async (child) => (await once(child, 'close'))[0] as number),
    );
    expect(codes).toEqual([0, 0, 0]);
    expect([...namesOf(await project.catalog())].sort()).toEqual(['guards-hook', 'others-hook']);
    const lock = await project.lock();
    expect(Object.keys(lock.packages)).toEqual(['guards', 'others']);
    expect(lock.history).toHaveLength(2);
    expect(verifyHistory(lock)).toEqual([]);
    const left = await readdir(project.folder, { recursive: true });
    expect(left.filter((path) => /busy|json\./.test(path))).toEqual([]);
    expect(await readdir(join(project.folder, 'packages-cache/tmp'))).toEqual([]);
  },
  SLOW_MS,
);

test(
  'projects that share a cache share what is in it',
  async () => {
    const one = await makeProject(registry.npmrc);
    const two = await makeProject(registry.npmrc);
    process.env['SIGNALBOX_CACHE'] = join(one.folder, 'shared');
    onTestFinished(() => void delete process.env['SIGNALBOX_CACHE']);
    await Promise.all([one.add('guards'), two.add('guards')]);
    expect(await readdir(join(one.folder, 'shared/locked'))).toHaveLength(1);
    await one.remove('guards');
    expect(namesOf(await two.catalog())).toEqual(['guards-hook']);
  },
  SLOW_MS,
);

test(
  'a command that is killed while it fetches leaves everything as it was',
  async () => {
    let asked = (): void => undefined;
    const isAsked = new Promise<void>((done) => (asked = done));
    const npmrc = await faulty(() => asked());
    const project = await makeProject(npmrc);
    const before = await project.state();
    const child = addApart(project, 'guards');
    await isAsked;
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(await project.state()).toEqual(before);
  },
  SLOW_MS,
);

test(
  'a command that was killed while it wrote holds up none that comes after it',
  async () => {
    const project = await makeProject(registry.npmrc);
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'close');
    await writeFile(join(project.folder, 'runtime.lock.json.busy'), String(child.pid));
    await project.add('guards');
    expect(await readdir(project.folder)).not.toContain('runtime.lock.json.busy');
  },
  SLOW_MS,
);
