import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { ARCHIVE_LIMITS } from '../../src/packages/install/archive.ts';
import { unpackTarball } from '../../src/packages/install/tarball.ts';
import { archiveOf, packed, type ArchiveEntry } from './archives.ts';
import { catalogOf, codesOf, hookAt, hookOf, makeFolder, namesOf } from './workspace.ts';

const FILES = { 'package.json': { name: '@acme/guards', version: '1.2.3' }, ...hookAt('audit') };
const GOOD = packed(FILES);
const CONFIG = { packages: [{ package: './guards.tgz', grants: [] }] };

test('[AM44] a package is taken from an npm tarball and unpacked into the cache by its content', async () => {
  const folder = await makeFolder({ 'guards.tgz': archiveOf(GOOD) });
  const hook = hookOf(await catalogOf(folder, CONFIG), 'audit');
  expect(hook).toMatchObject({
    origin: { name: '@acme/guards', version: '1.2.3' },
    source: { sandbox: 'isolate', file: 'hooks/audit/index.mjs' },
  });
  expect(hook.failure).toBeUndefined();
  expect(await readdir(join(folder, 'packages-cache/packages'))).toHaveLength(1);
  expect(await readdir(join(folder, 'packages-cache/tmp'))).toEqual([]);
});

test('one content is unpacked once, whatever its files are called', async () => {
  const folder = await makeFolder({ 'a.tgz': archiveOf(GOOD), 'b.tgz': archiveOf(GOOD) });
  const cache = join(folder, 'cache');
  const [a, b] = await Promise.all(
    ['a.tgz', 'b.tgz'].map((name) => unpackTarball(join(folder, name), cache)),
  );
  expect(a).toEqual(b);
  expect(await readdir(join(cache, 'packages'))).toHaveLength(1);
});

test('a package that was changed in the cache is unpacked anew', async () => {
  const folder = await makeFolder({ 'guards.tgz': archiveOf(GOOD) });
  const cache = join(folder, 'cache');
  const first = await unpackTarball(join(folder, 'guards.tgz'), cache);
  const root = first.ok ? first.root : '';
  await appendFile(join(root, 'hooks/audit/index.mjs'), '\nevil();');
  await writeFile(join(root, 'hooks/audit/more.mjs'), 'evil();');
  expect(await unpackTarball(join(folder, 'guards.tgz'), cache)).toEqual(first);
  expect(await readdir(join(root, 'hooks/audit'))).toEqual(['hook.json', 'index.mjs']);
});

const HOSTILE: readonly (readonly [
  fault: string,
  entries: readonly ArchiveEntry[],
  detail: string,
])[] = [
  [
    'a symbolic link',
    [{ path: 'package/x', type: 'SymbolicLink', target: '/etc/passwd' }],
    'neither a file nor a folder',
  ],
  [
    'a link to a folder, and a file through it',
    [{ path: 'package/d', type: 'SymbolicLink', target: '..' }, { path: 'package/d/x' }],
    'neither',
  ],
  ['a hard link', [{ path: 'package/x', type: 'Link', target: 'package/package.json' }], 'neither'],
  ['a pipe', [{ path: 'package/x', type: 'FIFO' }], 'neither'],
  ['a device', [{ path: 'package/x', type: 'CharacterDevice' }], 'neither'],
  ['a path that leads out', [{ path: 'package/../../x' }], 'leads out'],
  ['a path that starts with a way out', [{ path: '../package/x' }], 'leads out'],
  ['an absolute path', [{ path: '/tmp/signalbox-escape' }], 'absolute'],
  ['a drive', [{ path: 'C:/x' }], 'absolute'],
  ['a backslash', [{ path: 'package/..\\..\\x' }], 'refused'],
  ['a control character', [{ path: 'package/a\u001b[2J' }], 'refused'],
  ['two paths that differ in case', [{ path: 'package/a.js' }, { path: 'package/A.js' }], 'case'],
  ['two folders that differ in case', [{ path: 'package/a/x' }, { path: 'package/A/y' }], 'case'],
  [
    'two paths that differ in how an accent is written',
    [{ path: 'package/\u00e9' }, { path: 'package/e\u0301' }],
    'case',
  ],
  ['a path twice', [{ path: 'package/x' }, { path: 'package/x' }], 'twice'],
  ['a path twice below other tops', [{ path: 'package/x' }, { path: 'other/x' }], 'twice'],
  ['a file where a folder is', [{ path: 'package/x/y' }, { path: 'package/x' }], 'twice'],
  ['deep nesting', [{ path: `package/${'a/'.repeat(40)}x` }], 'too deep'],
  [
    'more than it may unpack to',
    [{ path: 'package/x', claimedBytes: ARCHIVE_LIMITS.unpackedBytes + 1 }],
    'unpacks to more than',
  ],
];

test.each(HOSTILE)(
  'an archive with %s is refused and leaves nothing behind',
  async (_, entries, detail) => {
    const folder = await makeFolder({
      'guards.tgz': archiveOf([...GOOD, ...entries]),
      ...hookAt('mine'),
    });
    const catalog = await catalogOf(folder, CONFIG);
    expect(namesOf(catalog)).toEqual(['mine']);
    expect(catalog.warnings).toMatchObject([
      { code: 'package_invalid', data: { package: './guards.tgz' } },
    ]);
    expect(catalog.warnings[0]?.message).toContain(detail);
    expect(await readdir(folder)).toEqual(['guards.tgz', 'hooks']);
  },
);

test('an archive of too many entries is refused', async () => {
  const entries = Array.from({ length: ARCHIVE_LIMITS.entries + 1 }, (_, index) => ({
    path: `package/${index}`,
  }));
  const folder = await makeFolder({ 'guards.tgz': archiveOf(entries) });
  expect(await unpackTarball(join(folder, 'guards.tgz'), join(folder, 'cache'))).toMatchObject({
    ok: false,
    detail: expect.stringContaining('5000 entries'),
  });
});

test('an archive that inflates without end is refused before it fills the memory', async () => {
  const zeros = gzipSync(Buffer.alloc(96 * 1024 * 1024));
  const folder = await makeFolder({ 'guards.tgz': zeros });
  expect(await unpackTarball(join(folder, 'guards.tgz'), join(folder, 'cache'))).toMatchObject({
    ok: false,
    detail: expect.stringContaining('unpacks to more'),
  });
});

test.each([
  ['empty', Buffer.alloc(0), 'empty'],
  ['no archive', Buffer.from('<html>not found</html>'), 'no archive'],
  ['cut off', archiveOf(GOOD).subarray(0, 200), 'damaged'],
  ['cut off inside the tar', gzipSync(Buffer.from('package/x')), 'no archive'],
  ['without entries', archiveOf([]), 'no archive'],
])('a file that is %s is refused', async (_, bytes, detail) => {
  const folder = await makeFolder({ 'guards.tgz': bytes });
  const catalog = await catalogOf(folder, CONFIG);
  expect(codesOf(catalog)).toEqual(['package_invalid']);
  expect(catalog.warnings[0]?.message).toContain(detail);
});

test('no script of a package runs', async () => {
  const scripts = Object.fromEntries(
    ['preinstall', 'install', 'postinstall', 'prepare', 'prepack'].map((name) => [
      name,
      'touch was-here',
    ]),
  );
  const bin = { x: '../../../../guards.tgz' };
  const files = {
    ...FILES,
    'package.json': { name: '@acme/guards', version: '1.2.3', scripts, bin },
  };
  const folder = await makeFolder({ 'guards.tgz': archiveOf(packed(files)) });
  const unpacked = await unpackTarball(join(folder, 'guards.tgz'), join(folder, 'cache'));
  expect(await readdir(unpacked.ok ? unpacked.root : folder)).toEqual(['hooks', 'package.json']);
});

const UNPACK = `
  import { unpackTarball } from ${JSON.stringify(join(import.meta.dirname, '../../src/packages/install/tarball.ts'))};
  process.stdout.write(JSON.stringify(await unpackTarball(process.argv[1], process.argv[2])));
`;

function unpackApart(file: string, cache: string): ReturnType<typeof spawn> {
  const flags = ['--conditions=@signalbox/source', '--input-type=module-typescript', '-e', UNPACK];
  return spawn(process.execPath, [...flags, file, cache], { stdio: ['ignore', 'pipe', 'inherit'] });
}

test('processes that unpack one package at once all get it whole', async () => {
  const folder = await makeFolder({ 'guards.tgz': archiveOf(GOOD) });
  const cache = join(folder, 'cache');
  const children = Array.from({ length: 3 }, () => unpackApart(join(folder, 'guards.tgz'), cache));
  const answers = await Promise.all(
    children.map(async (child) => {
      let text = '';
      child.stdout?.on('data', (chunk: Buffer) => (text += chunk.toString()));
      await once(child, 'close');
      return JSON.parse(text) as unknown;
    }),
  );
  const expected = await unpackTarball(join(folder, 'guards.tgz'), cache);
  expect(expected.ok).toBe(true);
  expect(answers).toEqual([expected, expected, expected]);
  expect(await readdir(join(cache, 'tmp'))).toEqual([]);
});

test('a process that is killed while it unpacks leaves nothing that is taken for a package', async () => {
  const files = Array.from({ length: 300 }, (_, index) => [`lib/${index}.js`, 'x'.repeat(2000)]);
  const archive = archiveOf(packed({ ...FILES, ...Object.fromEntries(files) }));
  const folder = await makeFolder({ 'guards.tgz': archive });
  const cache = join(folder, 'cache');
  const child = unpackApart(join(folder, 'guards.tgz'), cache);
  const closed = once(child, 'close');
  // Its scratch folder shows that it is under way.
  while (
    child.exitCode === null &&
    (await readdir(join(cache, 'tmp')).catch(() => [])).length === 0
  );
  child.kill('SIGKILL');
  await closed;
  const unpacked = await unpackTarball(join(folder, 'guards.tgz'), cache);
  expect(await readdir(join(unpacked.ok ? unpacked.root : folder, 'lib'))).toHaveLength(300);
});

test('what a killed process left half-done is never taken for a package, and goes in time', async () => {
  const folder = await makeFolder({ 'guards.tgz': archiveOf(GOOD) });
  const cache = join(folder, 'cache');
  const first = await unpackTarball(join(folder, 'guards.tgz'), cache);
  const root = first.ok ? first.root : '';
  await rm(join(root, 'hooks/audit/index.mjs'));
  const left = join(cache, 'tmp/1-left');
  await mkdir(join(left, 'home'), { recursive: true });
  const longAgo = new Date(Date.now() - 2 * 60 * 60 * 1000);
  await utimes(left, longAgo, longAgo);
  expect(await unpackTarball(join(folder, 'guards.tgz'), cache)).toEqual(first);
  expect(await readdir(join(root, 'hooks/audit'))).toEqual(['hook.json', 'index.mjs']);
  expect(await readdir(join(cache, 'tmp'))).toEqual([]);
});
