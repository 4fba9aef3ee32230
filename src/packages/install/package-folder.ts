import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import semver from 'semver';
import { SignalboxError } from '../../../sdk/errors.ts';
import { packageKind } from '../../config/package-kind.ts';
import type { PackageEntry, RuntimeConfig } from '../../config/runtime-config.ts';
import { readContained } from './contained-file.ts';
import { unpackTarball } from './tarball.ts';

/** A package whose bytes are on this machine. */
export interface PackageFolder {
  readonly name: string;
  readonly version: string;
  /** Real, absolute path. */
  readonly root: string;
  /** The `node_modules` that it was found in, whose other packages it may depend on. */
  readonly hoistRoot?: string;
  /** Hash of the archive that it was unpacked from. */
  readonly integrity?: string;
}

const MAX_PACKAGE_JSON_BYTES = 1024 * 1024;

/**
 * Finds the package of an entry that is not locked: a folder, or a tarball that is unpacked into the cache. Nothing is
 * downloaded. Throws `not_installed` and `package_invalid`.
 */
export async function findPackage(
  entry: PackageEntry,
  config: RuntimeConfig,
): Promise<PackageFolder> {
  const place = await locatePackage(entry, config);
  const facts = await readIdentity(entry, place.root);
  if (entry.version !== undefined && !semver.satisfies(facts.version, entry.version)) {
    const detail = `version ${facts.version} is there, and "${entry.version}" is asked for`;
    throw new SignalboxError('not_installed', { package: entry.package, detail });
  }
  return { ...facts, ...place };
}

type Place = Pick<PackageFolder, 'root' | 'hoistRoot' | 'integrity'>;

async function locatePackage(entry: PackageEntry, config: RuntimeConfig): Promise<Place> {
  const kind = packageKind(entry.package);
  const path = resolve(config.folder, entry.package);
  switch (kind) {
    case 'folder':
      return inFolder(await realFolder(entry, path));
    case 'tarball': {
      const unpacked = await unpackTarball(path, config.cacheFolder);
      if (unpacked.ok) return { root: unpacked.root, integrity: unpacked.integrity };
      throw unpacked.isMissing ? absent(entry, unpacked.detail) : invalid(entry, unpacked.detail);
    }
    case 'name':
      throw absent(entry, 'it is not in runtime.lock.json');
    case 'remote':
    case undefined:
      throw absent(entry, 'a URL or git repository has to be installed first');
  }
}

function inFolder(root: string): Place {
  const hoistRoot = hoistRootOf(root);
  return hoistRoot === undefined ? { root } : { root, hoistRoot };
}

async function realFolder(entry: PackageEntry, path: string): Promise<string> {
  const facts = await stat(path).catch(() => undefined);
  if (facts === undefined) throw absent(entry, 'there is no such folder');
  if (!facts.isDirectory()) throw invalid(entry, 'it is neither a folder nor a tarball');
  return realpath(path);
}

/** The `node_modules` that a folder lies in: what it depends on was installed beside it. */
function hoistRootOf(root: string): string | undefined {
  const above = dirname(root);
  const modules = basename(above).startsWith('@') ? dirname(above) : above;
  return basename(modules) === 'node_modules' ? modules : undefined;
}

async function readIdentity(
  entry: PackageEntry,
  root: string,
): Promise<Pick<PackageFolder, 'name' | 'version'>> {
  const file = await readContained(root, join(root, 'package.json'), MAX_PACKAGE_JSON_BYTES);
  if (!file.ok) throw invalid(entry, `its package.json ${file.detail}`);
  const manifest = parseObject(file.text);
  if (manifest === undefined) throw invalid(entry, 'its package.json is not valid JSON');
  const name = manifest['name'];
  const version =
    typeof manifest['version'] === 'string' ? semver.valid(manifest['version']) : null;
  if (typeof name !== 'string' || packageKind(name) !== 'name') {
    throw invalid(entry, 'its package.json has no valid "name"');
  }
  if (version === null) throw invalid(entry, 'its package.json has no valid "version"');
  return { name, version };
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ''));
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function absent(entry: PackageEntry, detail: string): SignalboxError {
  return new SignalboxError('not_installed', { package: entry.package, detail });
}

function invalid(entry: PackageEntry, detail: string): SignalboxError {
  return new SignalboxError('package_invalid', { package: entry.package, detail });
}
