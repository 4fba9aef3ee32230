import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { deleteOldBuilds } from '../../src/console/old-builds.ts';

const HOUR_MS = 60 * 60 * 1000;

test('builds of the console that are older than a day go when there is a new one, and nothing else does', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-builds-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const make = async (name: string, hours: number): Promise<string> => {
    const build = join(folder, name);
    await mkdir(build);
    await writeFile(join(build, 'index.html'), '');
    const time = new Date(Date.now() - hours * HOUR_MS);
    await utimes(build, time, time);
    return build;
  };
  await make('console-00000000000000aa', 25);
  await make('console-00000000000000ab.4711.tmp', 25);
  await make('console-00000000000000ac', 23);
  await make('console-of-mine', 25);
  await make('children-00000000000000aa', 25);
  const newest = await make('console-00000000000000ad', 25);

  await deleteOldBuilds(folder, newest);

  expect((await readdir(folder)).sort()).toEqual([
    'children-00000000000000aa',
    'console-00000000000000ac',
    'console-00000000000000ad',
    'console-of-mine',
  ]);
});
