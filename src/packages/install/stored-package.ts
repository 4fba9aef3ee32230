import { access, constants, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseManifest, type Manifest } from '../../../sdk/manifest.ts';
import { sha256, writeCacheFile } from './cache-folder.ts';

/** A hook as it is kept in the cache: all that ever runs of its package. */
export interface StoredHook {
  readonly manifest: Manifest;
  /** The handler relative to the package, with `/`. */
  readonly place: string;
  /** The bundle: one module without imports. */
  readonly code: string;
}

/** The hooks of a package in registration order. */
export interface StoredPackage {
  readonly name: string;
  readonly version: string;
  readonly hooks: readonly StoredHook[];
}

/** A package of the cache, or why it cannot be used. */
export type StoredRead =
  | { readonly ok: true; readonly stored: StoredPackage }
  | {
      readonly ok: false;
      readonly code: 'not_installed' | 'package_tampered';
      readonly detail: string;
    };

/** The text of a package in the cache; the same hooks always give the same text. */
export function storedText({ name, version, hooks }: StoredPackage): string {
  const plain = hooks.map(({ manifest, place, code }) => ({ manifest, place, code }));
  return JSON.stringify({ name, version, hooks: plain });
}

/** Where a package lies in the cache; `hash` is the SHA-256 of its text. */
export function storedPath(cacheFolder: string, hash: string): string {
  return join(cacheFolder, PLACE, `${hash}.json`);
}

const PLACE = 'locked';

/**
 * Puts the text of a package into the cache, where it is not there already, and gives back what takes it out again. Throws
 * what the disk throws.
 */
export async function writeStored(cacheFolder: string, text: string): Promise<() => Promise<void>> {
  const hash = sha256(text);
  if ((await readStored(cacheFolder, hash)).ok) return () => Promise.resolve();
  // A folder that cannot be made below it is told as one that is not there.
  await mkdir(cacheFolder, { recursive: true });
  await access(cacheFolder, constants.W_OK);
  await writeCacheFile(cacheFolder, join(PLACE, `${hash}.json`), text);
  return () => rm(storedPath(cacheFolder, hash), { force: true });
}

/** Reads a package of the cache and holds every byte of it against the hash of the lock. Nothing is downloaded. */
export async function readStored(cacheFolder: string, hash: string): Promise<StoredRead> {
  let text: string;
  try {
    text = await readFile(storedPath(cacheFolder, hash), 'utf8');
  } catch (error) {
    const { code = 'unreadable' } = error as NodeJS.ErrnoException;
    const detail = code === 'ENOENT' ? 'it is locked and not in the cache' : `the cache: ${code}`;
    return { ok: false, code: 'not_installed', detail };
  }
  if (sha256(text) !== hash) {
    return { ok: false, code: 'package_tampered', detail: 'its file in the cache was changed' };
  }
  const stored = parseStored(text);
  if (stored !== undefined) return { ok: true, stored };
  const detail = 'it was installed by a version of Signalbox that wrote another form';
  return { ok: false, code: 'not_installed', detail };
}

function parseStored(text: string): StoredPackage | undefined {
  const { name, version, hooks } = JSON.parse(text) as StoredPackage;
  const parsed: StoredHook[] = [];
  for (const { manifest, place, code } of hooks) {
    const read = parseManifest(manifest);
    if (!read.ok) return undefined;
    parsed.push({ manifest: read.manifest, place, code });
  }
  return { name, version, hooks: parsed };
}
