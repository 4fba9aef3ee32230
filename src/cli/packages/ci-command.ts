import semver from 'semver';
import { SignalboxError } from '../../../sdk/errors.ts';
import { packageKind } from '../../config/package-kind.ts';
import type { PackageEntry } from '../../config/runtime-config.ts';
import { refuseLocked, refuseUntrusted } from '../../grants/refuse-untrusted.ts';
import { BUNDLER_VERSION } from '../../packages/bundle/bundle.ts';
import type { Dependencies } from '../../packages/fetch/dependencies.ts';
import { failedInstall } from '../../packages/install/failed-install.ts';
import { preparePackage, type Preparation } from '../../packages/install/prepare.ts';
import { readStored, writeStored } from '../../packages/install/stored-package.ts';
import type { LockedPackage } from '../../packages/lock/lock-file.ts';
import { verifyHistory } from '../../packages/lock/history.ts';
import { EXIT } from '../exit-code.ts';
import {
  lockedOf,
  openPackages,
  preparationOf,
  specOf,
  type PackageSession,
} from './package-session.ts';
import type { Session } from '../session.ts';

/**
 * Puts exactly what runtime.lock.json names into the cache. Changes neither runtime.json nor the lock, and fails on any
 * difference between them, the registry and the cache, and on a package that the trust policy refuses.
 */
export async function runCi(session: Session): Promise<number> {
  const packages = await openPackages(session);
  const locked = packages.config.packages
    .filter((entry) => packageKind(entry.package) !== 'folder')
    .map((entry) => ({ entry, locked: requireLocked(entry, packages) }));
  refuseStrays(packages);
  const [fault] = verifyHistory(packages.lock);
  if (fault !== undefined) throw mismatch(`the history of "${fault.package}": ${fault.detail}`);
  for (const { entry, locked: item } of locked) refuseLocked(item, entry.package, packages.config);
  let preparation: Preparation | undefined;
  const restored: { readonly name: string; readonly text: string }[] = [];
  for (const item of locked) {
    if (session.signal.aborted) return EXIT.interrupted;
    const read = await readStored(packages.config.cacheFolder, item.locked.bundle);
    if (read.ok) continue;
    preparation ??= await preparationOf(packages);
    restored.push({ name: item.locked.name, text: await restore(item, packages, preparation) });
  }
  // With one package wrong, none is put there.
  for (const { name, text } of restored) {
    await writeStored(packages.config.cacheFolder, text).catch((error: unknown) => {
      throw failedInstall(name, error);
    });
  }
  const installed = restored.length;
  const { terminal } = session;
  terminal.progress();
  if (terminal.isJson) terminal.json({ packages: locked.length, installed });
  else terminal.line(`${locked.length} packages as locked, ${installed} of them installed now`);
  return EXIT.ok;
}

type Locked = LockedPackage & { readonly name: string };

function requireLocked(entry: PackageEntry, packages: PackageSession): Locked {
  const locked = lockedOf(entry, packages);
  if (locked === undefined) throw mismatch(`"${entry.package}" of runtime.json is not locked`);
  if (entry.version !== undefined && !semver.satisfies(locked.version, entry.version)) {
    throw mismatch(
      `"${entry.package}" is locked at ${locked.version}, and runtime.json asks for "${entry.version}"`,
    );
  }
  return locked;
}

function refuseStrays(packages: PackageSession): void {
  for (const [name, { spec }] of Object.entries(packages.lock.packages)) {
    const isDeclared = packages.config.packages.some((entry) => entry.package === (spec ?? name));
    if (!isDeclared) throw mismatch(`"${name}" is locked and not in runtime.json`);
  }
}

/** Fetches a package as it was locked and bundles it again: the same bytes must come out. */
async function restore(
  { entry, locked }: { readonly entry: PackageEntry; readonly locked: Locked },
  packages: PackageSession,
  preparation: Preparation,
): Promise<string> {
  const { name, version, integrity, resolved, dependencies = {} } = locked;
  const exact = { ...entry, version };
  const declared = specOf(entry.version === undefined ? entry : exact, packages);
  const spec =
    declared.kind === 'registry' ? { ...declared, text: `${name}@${version}` } : declared;
  const isUrl = spec.kind === 'git' && resolved !== undefined;
  const prepared = await preparePackage(isUrl ? { ...spec, text: resolved } : spec, {
    ...preparation,
    pin: { integrity, ...(resolved !== undefined && { resolved }), dependencies },
  });
  // What the registry proves now is held against the policy too: the lock may have been edited to say more.
  refuseUntrusted(prepared, packages.config);
  if (prepared.fetched?.integrity !== integrity)
    throw mismatch(`the archive of ${name}@${version}`);
  if (!isSame(dependencies, prepared.fetched.dependencies)) {
    throw mismatch(`the dependencies of ${name}@${version}`);
  }
  if (prepared.assembly.hash !== locked.bundle) {
    const { bundler = 'another version' } = locked;
    const maker =
      bundler === BUNDLER_VERSION
        ? ''
        : `; it was bundled by ${bundler}, and here is ${BUNDLER_VERSION}`;
    throw mismatch(`the bundle of ${name}@${version}${maker}`);
  }
  return prepared.assembly.text;
}

function isSame(locked: Dependencies, found: Dependencies): boolean {
  const places = Object.keys(locked);
  if (places.length !== Object.keys(found).length) return false;
  return places.every((place) => locked[place]?.integrity === found[place]?.integrity);
}

function mismatch(detail: string): SignalboxError {
  return new SignalboxError('lock_mismatch', { detail });
}
