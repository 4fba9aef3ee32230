import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** A server of older sources may still serve a younger one. */
const KEPT_MS = 24 * 60 * 60 * 1000;

/** Deletes the builds of the console in a folder that are older than a day, and drafts of them that were never finished. */
export async function deleteOldBuilds(folder: string, newest: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const build = join(folder, name);
    if (!/^console-[0-9a-f]{16}(\.\d+\.tmp)?$/.test(name) || build === newest) continue;
    const { mtimeMs } = await stat(build);
    if (Date.now() - mtimeMs > KEPT_MS) await rm(build, { recursive: true, force: true });
  }
}
