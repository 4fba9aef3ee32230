import { SignalboxError } from '../../sdk/errors.ts';
import type { Manifest } from '../../sdk/manifest.ts';
import type { PackageEntry, RuntimeConfig } from '../config/runtime-config.ts';
import type { Consent, Finding, HookCode } from './candidate.ts';
import type { Origin } from './catalog.ts';
import { findLockedHooks } from './locked-hooks.ts';
import { EMPTY_LOCK, findLocked, type LockFile } from './lock/lock-file.ts';
import { packageKind } from '../config/package-kind.ts';
import { scanHooks, type FoundHook } from './hook-folders.ts';
import { recallHooks, rememberHooks, type KnownPackage } from './install/known-hooks.ts';
import { findPackage, type PackageFolder } from './install/package-folder.ts';
import { namesAskedFor, selectHooks } from './selectors.ts';

/** What an entry of `packages` came to. */
export interface PackageFindings {
  readonly findings: readonly Finding[];
  readonly warnings: readonly SignalboxError[];
  /** Where the package is; `undefined` when it is not there. */
  readonly folder?: PackageFolder;
}

/** Finds the hooks that an entry of `packages` brings. Never rejects: a package that is wrong takes nothing else down. */
export async function findPackageHooks(
  entry: PackageEntry,
  config: RuntimeConfig,
  lock: LockFile = EMPTY_LOCK,
): Promise<PackageFindings> {
  const locked = findLocked(lock, entry.package);
  if (locked !== undefined && packageKind(entry.package) !== 'folder') {
    return findLockedHooks(entry, locked, config);
  }
  try {
    const folder = await findPackage(entry, config);
    return { ...(await findHooks(entry, folder, config)), folder };
  } catch (error) {
    if (!(error instanceof SignalboxError)) throw error;
    const known = entry.grants === undefined ? undefined : await recallHooks(config, entry.package);
    return known === undefined ? missing(entry, error) : lost(entry, known, error);
  }
}

/** A package that cannot be used and whose hooks nobody knows: it is named, and leaves no hook in a chain. */
export function missing(entry: PackageEntry, error: SignalboxError): PackageFindings {
  const names = namesAskedFor(entry);
  const origin: Origin = { kind: 'package', name: entry.package, version: '' };
  const reason = error.code === 'not_installed' ? 'not_installed' : 'skipped';
  const findings = (names.length > 0 ? names : ['*']).map((name): Finding => ({
    kind: 'absent',
    absent: { name, origin, reason, error },
  }));
  return { findings, warnings: [error] };
}

/** A package that was consented to and lost its bytes: its hooks stay and fail by their policy. */
function lost(entry: PackageEntry, known: KnownPackage, error: SignalboxError): PackageFindings {
  const origin: Origin = { kind: 'package', name: known.name, version: known.version };
  const { hooks, warnings } = selectHooks(entry, known.manifests, (manifest) => manifest.name);
  const code = error.code === 'not_installed' ? 'not_installed' : 'package_tampered';
  const failure = { code, detail: String(error.data['detail'] ?? '') } as const;
  const findings = hooks.map(({ name, hook, isSelected }): Finding => {
    if (!isSelected) return { kind: 'absent', absent: { name, origin, reason: 'not_selected' } };
    const consent = consentOf(entry, entry.grants ?? []);
    return { kind: 'candidate', candidate: { name, manifest: hook, origin, consent, failure } };
  });
  return { findings, warnings: [error, ...warnings] };
}

async function findHooks(
  entry: PackageEntry,
  folder: PackageFolder,
  config: RuntimeConfig,
): Promise<Omit<PackageFindings, 'folder'>> {
  const origin: Origin = { kind: 'package', name: folder.name, version: folder.version };
  const { found, skipped } = await scanHooks(folder.root, `${folder.name}/`);
  const selection = selectHooks(entry, found, ({ manifest }) => manifest.name);
  const warnings = [...selection.warnings, ...skipped.map(({ error }) => error)];
  if (found.length === 0 && skipped.length === 0) {
    const detail = 'it has no hooks';
    warnings.push(new SignalboxError('package_invalid', { package: entry.package, detail }));
  }
  const { grants } = entry;
  const awaits = new SignalboxError('awaiting_consent', { package: entry.package });
  const isAwaiting = grants === undefined && selection.hooks.some(({ isSelected }) => isSelected);
  if (isAwaiting) warnings.push(awaits);
  if (grants !== undefined) await rememberHooks(config, entry.package, knowledgeOf(folder, found));
  const findings = selection.hooks.map(({ name, hook, isSelected }): Finding => {
    if (!isSelected) return { kind: 'absent', absent: { name, origin, reason: 'not_selected' } };
    if (grants === undefined) {
      return {
        kind: 'absent',
        absent: { name, origin, reason: 'awaiting_consent', error: awaits },
      };
    }
    const { manifest } = hook;
    const consent = consentOf(entry, grants);
    return {
      kind: 'candidate',
      candidate: { name, manifest, origin, consent, code: codeOf(folder, hook) },
    };
  });
  for (const { name, error } of skipped) {
    findings.push({ kind: 'absent', absent: { name, origin, reason: 'skipped', error } });
  }
  return { findings, warnings };
}

function consentOf(entry: PackageEntry, grants: readonly string[]): Consent {
  return { kind: 'granted', grants, isPartial: entry.partial };
}

function codeOf({ root, hoistRoot }: PackageFolder, hook: FoundHook): HookCode {
  const boundary = hoistRoot === undefined ? { root } : { root, hoistRoot };
  return { boundary, place: hook.handler, file: hook.handlerFile };
}

function knowledgeOf({ name, version }: PackageFolder, found: readonly FoundHook[]): KnownPackage {
  const manifests: Manifest[] = found.map(({ manifest }) => manifest);
  return { name, version, manifests };
}
