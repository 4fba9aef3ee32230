import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** What a killed process left behind is removed after this time; nobody works on a package that long. */
const STALE_MS = 60 * 60 * 1000;

/** SHA-256 of a text or bytes, in hexadecimal. */
export function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}

/** Writes a file of the cache so that readers see all of it or nothing, whoever else writes it. */
export async function writeCacheFile(
  cacheFolder: string,
  path: string,
  text: string,
): Promise<void> {
  const file = join(cacheFolder, path);
  const scratch = await makeScratch(cacheFolder);
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(join(scratch, 'file'), text);
    await rename(join(scratch, 'file'), file);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Makes an empty folder inside the cache, so that a rename out of it stays on one disk. The maker removes it. */
export async function makeScratch(cacheFolder: string): Promise<string> {
  const folder = join(cacheFolder, 'tmp', `${process.pid}-${randomUUID()}`);
  await mkdir(folder, { recursive: true });
  return folder;
}

/** Removes what processes that were killed half-way have left. */
export async function removeStale(cacheFolder: string): Promise<void> {
  const folder = join(cacheFolder, 'tmp');
  const names = await readdir(folder).catch(() => []);
  const limit = Date.now() - STALE_MS;
  for (const name of names) {
    const path = join(folder, name);
    const changed = await stat(path).then(
      (facts) => facts.mtimeMs,
      () => Infinity,
    );
    if (changed < limit) await rm(path, { recursive: true, force: true });
  }
}
