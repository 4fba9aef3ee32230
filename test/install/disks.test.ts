import { execFileSync } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { hookAt, makeFolder, namesOf } from '../packages/workspace.ts';
import { makeProject, openProject, type Project } from './project.ts';
import { openRegistry, type Registry } from './registry.ts';
import { forgetNpm, SLOW_MS } from './setting.ts';

/** Only who may mount can have a disk of their own that is full or read-only. */
const canMount = await (async (): Promise<boolean> => {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  const folder = await makeMountPoint();
  try {
    mount(folder, 'size=64k');
    execFileSync('umount', [folder]);
    return true;
  } catch {
    return false;
  }
})();

let registry: Registry | undefined;

beforeAll(async () => {
  forgetNpm();
  if (!canMount) return;
  registry = await openRegistry();
  // Four times what the small disks below hold.
  const text = `export const run = () => ({ action: "allow", notice: { level: "info", text: ${JSON.stringify('x'.repeat(256 * 1024))} } });`;
  await registry.publish({
    'package.json': { name: 'large', version: '1.0.0' },
    ...hookAt('large', {}, text),
  });
}, SLOW_MS);

afterAll(() => registry?.close());

async function makeMountPoint(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'signalbox-disk-'));
}

function mount(folder: string, options: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { stdio: 'ignore' });
}

/** Mounts a disk for the time of a test. */
function mountFor(folder: string, options: string): void {
  mount(folder, options);
  onTestFinished(() => void execFileSync('umount', ['--lazy', folder]));
}

async function expectUnchanged(project: Project, detail: string): Promise<void> {
  const before = await project.state();
  await expect(project.add('large')).rejects.toMatchObject({
    code: 'install_failed',
    message: expect.stringContaining(detail),
  });
  expect(await project.state()).toEqual(before);
  expect(namesOf(await project.catalog())).toEqual([]);
}

describe.skipIf(!canMount)('on small disks, which root can mount on Linux', () => {
  test(
    'a full disk under the cache is told, and nothing is changed',
    async () => {
      const project = await makeProject(registry?.npmrc ?? '');
      const cache = join(project.folder, 'packages-cache');
      await mkdir(cache);
      mountFor(cache, 'size=64k');
      await expectUnchanged(project, 'no room left');
    },
    SLOW_MS,
  );

  test(
    'a cache on a disk that is read-only is told, and nothing is changed',
    async () => {
      const project = await makeProject(registry?.npmrc ?? '');
      const cache = join(project.folder, 'packages-cache');
      await mkdir(cache);
      mountFor(cache, 'ro');
      await expectUnchanged(project, 'read-only');
    },
    SLOW_MS,
  );

  test(
    'a full disk under runtime.json takes the cache back',
    async () => {
      const outer = await makeFolder({ 'inner/x': '' });
      const folder = join(outer, 'inner');
      mountFor(folder, 'size=64k');
      const project = await makeProject(registry?.npmrc ?? '');
      const small = await moveTo(project, folder);
      process.env['SIGNALBOX_CACHE'] = join(outer, 'cache');
      onTestFinished(() => void delete process.env['SIGNALBOX_CACHE']);
      await fill(folder);
      await expectUnchanged(small, 'no room left');
      expect(await readdir(join(outer, 'cache/locked')).catch(() => [])).toEqual([]);
    },
    SLOW_MS,
  );

  test(
    'a read-only cache that has what is locked is enough to start, and for ci',
    async () => {
      const project = await makeProject(registry?.npmrc ?? '');
      await project.add('large');
      execFileSync('mount', ['--bind', project.folder, project.folder]);
      onTestFinished(() => void execFileSync('umount', ['--lazy', project.folder]));
      execFileSync('mount', ['-o', 'remount,bind,ro', project.folder]);
      expect(namesOf(await project.catalog())).toEqual(['large']);
      expect(await project.ci()).toMatchObject({ json: [{ installed: 0 }] });
    },
    SLOW_MS,
  );
});

/** The same project in another folder. */
async function moveTo(project: Project, folder: string): Promise<Project> {
  for (const name of ['runtime.json', '.npmrc']) {
    await copyFile(join(project.folder, name), join(folder, name));
  }
  return openProject(folder);
}

/** Leaves no room on a small disk. */
async function fill(folder: string): Promise<void> {
  for (let kilobytes = 64; kilobytes >= 4; kilobytes /= 2) {
    for (let count = 0; ; count++) {
      const file = join(folder, `filler-${kilobytes}-${count}`);
      try {
        await writeFile(file, Buffer.alloc(kilobytes * 1024));
      } catch {
        break;
      }
    }
  }
}
