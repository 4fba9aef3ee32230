import { copyFile, mkdir } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { buildChildEntries, type ChildEntries } from '../../host/build.ts';
import type { Child } from '../../host/child.ts';
import { openNurseries } from '../../host/nurseries.ts';

/** Where the tests of a checkout keep the entries of child processes. */
const FOLDER = path.join(os.tmpdir(), 'signalbox-test-entries');

/** The entries of child processes, and the code caches that a first child makes. */
export async function testEntries(): Promise<ChildEntries> {
  const entries = await buildChildEntries(FOLDER);
  if (entries.caches.file === undefined) {
    const nurseries = openNurseries(entries, 0);
    const child = await new Promise<Child>((resolve) => void nurseries.isolate.take(resolve));
    nurseries.close();
    child.kill();
    await child.gone;
  }
  return entries;
}

/**
 * Puts the entries of child processes where a runtime of this folder looks for them. It takes them for what they are, or
 * bundles its own: what hundreds of tests would bundle each is bundled once.
 */
export async function placeEntries(folder: string): Promise<void> {
  const { isolate, worker, thread, sdk, caches } = await testEntries();
  const home = path.join(folder, '.signalbox');
  await mkdir(home, { recursive: true });
  const files = [isolate, worker, thread, sdk, path.join(FOLDER, 'entries.json')];
  if (caches.file !== undefined) files.push(caches.file);
  await Promise.all(files.map((file) => copyFile(file, path.join(home, path.basename(file)))));
}
