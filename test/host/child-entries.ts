import { copyFile, mkdir } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { buildChildEntries } from '../../host/build.ts';

/** Where the tests of a checkout keep the entries of child processes. */
export const TEST_ENTRIES = path.join(os.tmpdir(), 'signalbox-test-entries');

/**
 * Puts the entries of child processes where a runtime of this folder looks for them. It takes them for what they are, or
 * bundles its own: what hundreds of tests would bundle each is bundled once.
 */
export async function placeEntries(folder: string): Promise<void> {
  const built = await buildChildEntries(TEST_ENTRIES);
  const home = path.join(folder, '.signalbox');
  await mkdir(home, { recursive: true });
  const { isolate, worker, thread, sdk, caches } = built;
  const record = path.join(TEST_ENTRIES, 'entries.json');
  const files = [
    isolate,
    worker,
    thread,
    sdk,
    record,
    ...(caches.file === undefined ? [] : [caches.file]),
  ];
  await Promise.all(files.map((file) => copyFile(file, path.join(home, path.basename(file)))));
}
