import { userInfo } from 'node:os';
import { SignalboxError } from '../../../sdk/errors.ts';
import type { RuntimeConfig } from '../../config/runtime-config.ts';
import { BUNDLER_VERSION } from '../bundle/bundle.ts';
import { sha256 } from './cache-folder.ts';
import { appendHistory, type HistoryAction } from '../lock/history.ts';
import type { LockedHook, LockedPackage, LockFile } from '../lock/lock-file.ts';
import { failedInstall } from './failed-install.ts';
import type { PreparedPackage } from './prepare.ts';
import { changeProject, type Project } from './project.ts';
import { removeEntry, setEntry } from './runtime-edit.ts';
import { writeStored } from './stored-package.ts';

/** What a person agreed to. */
export interface Agreement {
  readonly grants: readonly string[];
  /** The semver range that updates keep to; for packages of a registry. */
  readonly range?: string;
  /** Selectors, where they are to be changed. */
  readonly use?: readonly string[];
  readonly isPartial?: boolean;
}

/**
 * Enables a prepared package as it was agreed to: cache, lock and runtime.json, or none of them. Throws `install_failed`,
 * `install_busy`, and `package_tampered` when the same version was locked with other bytes.
 */
export async function enablePackage(
  prepared: PreparedPackage,
  agreement: Agreement,
  config: RuntimeConfig,
): Promise<void> {
  const project = projectOf(config);
  let takeBack: (() => Promise<void>) | undefined;
  try {
    await changeProject(project, async (files) => {
      const edited = setEntry(files.config, {
        package: prepared.spec.entry,
        ...(agreement.range !== undefined && { version: agreement.range }),
        ...(agreement.use !== undefined && { use: agreement.use }),
        grants: agreement.grants,
        ...(agreement.isPartial === true && { partial: true }),
      });
      const lock = lockIn(files.lock, prepared, agreement);
      if (prepared.fetched !== undefined) {
        takeBack = await writeStored(config.cacheFolder, prepared.assembly.text);
      }
      return { config: edited, lock };
    });
  } catch (error) {
    await takeBack?.();
    throw failedInstall(prepared.spec.text, error);
  }
}

/** Takes a package out of runtime.json and the lock. Its bytes stay in the cache, which others may share. */
export async function disablePackage(entry: string, config: RuntimeConfig): Promise<void> {
  try {
    await changeProject(projectOf(config), ({ config: text, lock }) => {
      const edited = removeEntry(text, entry);
      const found = Object.entries(lock.packages).find(
        ([name, { spec }]) => (spec ?? name) === entry,
      );
      if (found === undefined) return Promise.resolve({ config: edited, lock });
      const [name, { version }] = found;
      const { [name]: _, ...packages } = lock.packages;
      const event = { ...signature(), action: 'remove', package: name, version } as const;
      return Promise.resolve({ config: edited, lock: appendHistory({ ...lock, packages }, event) });
    });
  } catch (error) {
    throw failedInstall(entry, error);
  }
}

/** Where the files of a configuration are; one that came as an object has none. */
function projectOf({ file, folder }: RuntimeConfig): Project {
  if (file === undefined)
    throw new SignalboxError('usage', { detail: 'Packages are added to a runtime.json' });
  return { file, folder };
}

function lockIn(lock: LockFile, prepared: PreparedPackage, { grants }: Agreement): LockFile {
  const { name, version, fetched } = prepared;
  if (fetched === undefined) return lock;
  const before = Object.hasOwn(lock.packages, name) ? lock.packages[name] : undefined;
  refuseChange(prepared, before);
  const mark = signature();
  const locked = lockedOf(prepared, { capabilities: [...grants].sort(), ...mark });
  const action = actionOf(before, locked);
  if (action === undefined) return lock;
  const packages = { ...lock.packages, [name]: locked };
  return appendHistory({ ...lock, packages }, { ...mark, action, package: name, version });
}

/** Throws `package_tampered` when a version that was locked has other bytes now: versions are never published twice. */
export function refuseChange(
  { name, version, spec, fetched }: PreparedPackage,
  before?: LockedPackage,
): void {
  if (spec.kind !== 'registry' || before?.version !== version || before.spec !== undefined) return;
  if (before.integrity === fetched?.integrity) return;
  const detail = `version ${version} was locked with other bytes than the registry has now`;
  throw new SignalboxError('package_tampered', { package: name, detail });
}

function lockedOf(prepared: PreparedPackage, consent: LockedPackage['consent']): LockedPackage {
  const { version, spec, assembly, fetched } = prepared;
  const dependencies = fetched?.dependencies ?? {};
  return {
    version,
    ...(spec.kind !== 'registry' && { spec: spec.entry }),
    ...(fetched?.resolved !== undefined && { resolved: fetched.resolved }),
    integrity: fetched?.integrity ?? '',
    bundle: assembly.hash,
    bundler: BUNDLER_VERSION,
    hooks: Object.fromEntries(
      assembly.hooks.map((hook) => [hook.manifest.name, lockedHookOf(hook)]),
    ),
    consent,
    ...(fetched?.provenance !== undefined && { provenance: fetched.provenance }),
    ...(Object.keys(dependencies).length > 0 && { dependencies }),
  };
}

function lockedHookOf({
  manifest,
  code,
}: PreparedPackage['assembly']['hooks'][number]): LockedHook {
  const { capabilities, points, failPolicy } = manifest;
  return {
    capabilities,
    points,
    ...(failPolicy !== undefined && { failPolicy }),
    bundle: sha256(code),
  };
}

/** What a new state of a package is in its history; nothing, where it says what the old one said. */
function actionOf(
  before: LockedPackage | undefined,
  after: LockedPackage,
): HistoryAction | undefined {
  if (before === undefined) return 'add';
  const plain = ({ consent, ...rest }: LockedPackage): string =>
    JSON.stringify([rest, [...consent.capabilities].sort()]);
  if (plain(before) === plain(after)) return undefined;
  return before.bundle === after.bundle && before.version === after.version ? 'consent' : 'update';
}

function signature(): { readonly by: string; readonly at: string } {
  return { by: userName(), at: new Date().toISOString() };
}

/** The user of this process; a container may run as a number that has no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
