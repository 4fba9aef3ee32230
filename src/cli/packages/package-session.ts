import { resolve } from 'node:path';
import {
  CAPABILITIES,
  covers,
  parseCapability,
  plainCapability,
} from '../../../sdk/capabilities.ts';
import { SignalboxError } from '../../../sdk/errors.ts';
import { loadConfig } from '../../config/load-config.ts';
import { nearest, suggestion } from '../../config/nearest.ts';
import { printable } from '../../config/printable.ts';
import type { PackageEntry, RuntimeConfig } from '../../config/runtime-config.ts';
import { loadNpmOptions, type NpmOptions } from '../../packages/fetch/npm-options.ts';
import { readSpec, type PackageSpec } from '../../packages/fetch/registry.ts';
import {
  findLocked,
  readLock,
  type LockFile,
  type LockedPackage,
} from '../../packages/lock/lock-file.ts';
import type { Preparation } from '../../packages/install/prepare.ts';
import type { Session } from '../session.ts';

/** What the commands on packages work with. */
export interface PackageSession {
  readonly session: Session;
  readonly config: RuntimeConfig;
  readonly lock: LockFile;
}

/** Reads runtime.json and its lock. */
export async function openPackages(session: Session): Promise<PackageSession> {
  const config = await loadConfig(session.config);
  return { session, config, lock: await readLock(config.folder) };
}

/** What packages are prepared with, the user's npm configuration among it; progress goes to the terminal. */
export async function preparationOf({
  session,
  config,
}: PackageSession): Promise<Preparation & { readonly options: NpmOptions }> {
  const options = await loadNpmOptions(config.folder);
  return { config, options, onProgress: (text) => session.terminal.progress(text) };
}

/** Reads a spec as somebody typed it: paths start where they stand. */
export function specFrom(text: string, { config }: PackageSession): PackageSpec {
  return readSpec(text, { from: resolve('.'), folder: config.folder });
}

/** The spec that an entry of runtime.json stands for. */
export function specOf(entry: PackageEntry, { config }: PackageSession): PackageSpec {
  const { folder } = config;
  const spec = readSpec(entry.package, { from: folder, folder });
  if (spec.kind !== 'registry' || entry.version === undefined) return spec;
  return readSpec(`${entry.package}@${entry.version}`, { from: folder, folder });
}

/** The entry of runtime.json that a person means: as it is written there, or by the name of its package. */
export function entryNamed(
  name: string,
  { config, lock }: Pick<PackageSession, 'config' | 'lock'>,
): PackageEntry {
  const spec = Object.hasOwn(lock.packages, name) ? lock.packages[name]?.spec : undefined;
  const entry = config.packages.find((item) => item.package === name || item.package === spec);
  if (entry !== undefined) return entry;
  const near = nearest(
    name,
    config.packages.map((item) => item.package),
  );
  throw new SignalboxError('package_unknown', {
    package: printable(name, 200),
    nearest: near ?? '',
  });
}

/** The package of an entry as it is locked. */
export function lockedOf(
  entry: PackageEntry,
  { lock }: Pick<PackageSession, 'lock'>,
): (LockedPackage & { readonly name: string }) | undefined {
  return findLocked(lock, entry.package);
}

/** How consent is given where nobody can be asked. */
export interface GrantFlags {
  readonly grant?: readonly string[];
  readonly grantAll?: boolean;
}

/** Reads the capabilities of `--grant`; each must be one that exists. Throws `usage`, also beside `--grant-all`. */
export function readGrants({ grant: texts = [], grantAll }: GrantFlags): readonly string[] {
  if (texts.length > 0 && grantAll === true) {
    const detail = '--grant names some capabilities and --grant-all takes every one: say which';
    throw new SignalboxError('usage', { detail });
  }
  const grants = texts.flatMap((text) => text.split(',')).filter((text) => text !== '');
  for (const text of grants) {
    if (parseCapability(text) !== undefined) continue;
    const detail = `Unknown capability "${printable(text, 80)}"${suggestion(text, Object.keys(CAPABILITIES))}`;
    throw new SignalboxError('usage', { detail });
  }
  return [...new Set(grants.map(plainCapability))];
}

/** The grants that no hook asks for, wholly or in part; most likely slips. */
export function notAskedFor(
  grants: readonly string[],
  declared: readonly string[],
): readonly string[] {
  return grants.filter((text) => {
    const grant = parseCapability(text);
    if (grant === undefined) return true;
    if (covers(declared, grant.name, grant.scope)) return false;
    return !declared.some((item) => {
      const asked = parseCapability(item);
      return asked !== undefined && covers([text], asked.name, asked.scope);
    });
  });
}
