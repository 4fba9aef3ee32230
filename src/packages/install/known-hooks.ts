import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseManifest, type Manifest } from '../../../sdk/manifest.ts';
import { sha256, writeCacheFile } from './cache-folder.ts';

/** What a package held when it was last there. */
export interface KnownPackage {
  readonly name: string;
  readonly version: string;
  readonly manifests: readonly Manifest[];
}

/**
 * Remembers the hooks of a consented package, so that they stay in their chains and fail by their policy when its bytes
 * are gone, instead of leaving calls unguarded. `entry` is the package as runtime.json in `folder` names it.
 */
export async function rememberHooks(
  { cacheFolder, folder }: Memory,
  entry: string,
  known: KnownPackage,
): Promise<void> {
  const path = memoryPath(folder, entry);
  const text = JSON.stringify(known);
  const before = await readFile(join(cacheFolder, path), 'utf8').catch(() => undefined);
  // A cache that cannot be written must not stop a start.
  if (before !== text) await writeCacheFile(cacheFolder, path, text).catch(() => undefined);
}

/** The hooks of a package that was there at an earlier start, or `undefined`. */
export async function recallHooks(
  { cacheFolder, folder }: Memory,
  entry: string,
): Promise<KnownPackage | undefined> {
  try {
    const text = await readFile(join(cacheFolder, memoryPath(folder, entry)), 'utf8');
    const { name, version, manifests } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    if (typeof name !== 'string' || typeof version !== 'string') return undefined;
    if (!Array.isArray(manifests)) return undefined;
    const parsed = manifests.map(parseManifest);
    return { name, version, manifests: parsed.flatMap((item) => (item.ok ? [item.manifest] : [])) };
  } catch {
    return undefined;
  }
}

/** The folders of a configuration that memory needs. */
export interface Memory {
  readonly cacheFolder: string;
  readonly folder: string;
}

function memoryPath(folder: string, entry: string): string {
  return join('known', `${sha256(JSON.stringify([folder, entry]))}.json`);
}
