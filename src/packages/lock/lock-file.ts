import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SignalboxError } from '../../../sdk/errors.ts';
import type { FailPolicy } from '../../../sdk/manifest.ts';
import type { Point } from '../../../sdk/points.ts';
import { findLockFault } from './lock-schema.ts';
import type { HistoryEntry } from './history.ts';
import { readJsonText, keyOf } from '../../config/json-text.ts';

/** A hook of a locked package, by its own name. */
export interface LockedHook {
  readonly capabilities: readonly string[];
  readonly points: readonly Point[];
  readonly failPolicy?: FailPolicy;
  /** SHA-256 of its bundle. */
  readonly bundle: string;
}

/** A package that was fetched to be bundled into the hooks of another, pinned. */
export interface LockedDependency {
  readonly version: string;
  readonly resolved?: string;
  readonly integrity: string;
}

/** Who agreed to what a package may do, and when. */
export interface LockedConsent {
  readonly capabilities: readonly string[];
  readonly by: string;
  /** ISO 8601, UTC. */
  readonly at: string;
}

/** What a registry says of where a package comes from, as it was checked when the package was installed. */
export interface LockedProvenance {
  /** Whether the registry signed the package and the signature held; `unverified` where it offers no key for it. */
  readonly signature: 'verified' | 'unverified' | 'absent';
  /** Whether attestations of its build exist and held; `unverified` where their roots could not be had. */
  readonly attestation: 'verified' | 'unverified' | 'absent';
  /** Key ids of the signatures. */
  readonly keys?: readonly string[];
  /** The repository and workflow that the attestation names. */
  readonly source?: string;
}

/** An installed package: what runs, what it was made from, and who agreed. */
export interface LockedPackage {
  readonly version: string;
  /** The entry of runtime.json that it answers, where that is no package name: a tarball, URL or git repository. */
  readonly spec?: string;
  readonly resolved?: string;
  /** Hash of its archive, as npm writes it. */
  readonly integrity: string;
  /** SHA-256 of the file of the cache that holds the manifests and bundles of all its hooks. */
  readonly bundle: string;
  /** What made the bundles: another maker may give other bytes for the same sources. */
  readonly bundler?: string;
  readonly hooks: Readonly<Record<string, LockedHook>>;
  readonly consent: LockedConsent;
  readonly provenance?: LockedProvenance;
  /** By their place below the package, such as `node_modules/a/node_modules/b`. */
  readonly dependencies?: Readonly<Record<string, LockedDependency>>;
}

/** runtime.lock.json. */
export interface LockFile {
  readonly lockfileVersion: 1;
  /** By package name. */
  readonly packages: Readonly<Record<string, LockedPackage>>;
  /** Oldest first; each entry's hash covers the one before it. */
  readonly history: readonly HistoryEntry[];
}

/** The name of the lock file, which lies beside runtime.json. */
export const LOCK_NAME = 'runtime.lock.json';

/** A lock file of nothing. */
export const EMPTY_LOCK: LockFile = { lockfileVersion: 1, packages: {}, history: [] };

/** The path of the lock of a configuration's folder. */
export function lockPath(folder: string): string {
  return join(folder, LOCK_NAME);
}

/** Reads the lock beside a runtime.json; an empty one where there is none. Throws `lock_invalid`. */
export async function readLock(folder: string): Promise<LockFile> {
  const text = await textOf(lockPath(folder));
  return text === undefined ? EMPTY_LOCK : parseLock(text, lockPath(folder));
}

/** Reads a lock file that somebody has named. Throws `lock_invalid`, also where there is none. */
export async function readLockFile(file: string): Promise<LockFile> {
  const text = await textOf(file);
  if (text !== undefined) return parseLock(text, file);
  throw new SignalboxError('lock_invalid', { file, detail: 'there is no such file' });
}

async function textOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const { code = 'unreadable' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new SignalboxError('lock_invalid', { file, detail: code });
  }
}

function parseLock(text: string, file: string): LockFile {
  const json = readJsonText(text);
  if (!json.ok) {
    const detail = `line ${json.line}, column ${json.column}: ${json.detail}`;
    throw new SignalboxError('lock_invalid', { file, detail });
  }
  const fault = findLockFault(json.value);
  if (fault !== undefined) {
    const { line } = json.placeOf(fault.path);
    const detail = `line ${line}, key "${keyOf(fault.path)}": ${fault.detail}`;
    throw new SignalboxError('lock_invalid', { file, detail });
  }
  return json.value as LockFile;
}

/** The text of a lock file: packages by name, so that two people's changes meet in one place alone. */
export function lockText(lock: LockFile): string {
  const names = Object.keys(lock.packages).sort();
  const packages = Object.fromEntries(names.map((name) => [name, lock.packages[name]]));
  return `${JSON.stringify({ ...lock, packages }, null, 2)}\n`;
}

/** Replaces a file in one step: readers see the old text or the new one. Throws what the disk throws. */
export async function replaceFile(file: string, text: string): Promise<void> {
  const fresh = `${file}.${process.pid}-${randomUUID()}`;
  try {
    await writeFile(fresh, text);
    await rename(fresh, file);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
}

/** Writes the lock beside a runtime.json. Throws what the disk throws. */
export async function writeLock(folder: string, lock: LockFile): Promise<void> {
  await replaceFile(lockPath(folder), lockText(lock));
}

/** The package that an entry of runtime.json names, as it is locked; `undefined` when it is not. */
export function findLocked(
  lock: LockFile,
  entry: string,
): (LockedPackage & { readonly name: string }) | undefined {
  for (const [name, locked] of Object.entries(lock.packages)) {
    if ((locked.spec ?? name) === entry) return { name, ...locked };
  }
  return undefined;
}
