import semver from 'semver';
import { SignalboxError, type FailureCode } from '../../sdk/errors.ts';
import { parseManifest, type Manifest } from '../../sdk/manifest.ts';
import type { PackageEntry } from '../config/runtime-config.ts';
import type { Candidate, Consent, Finding } from './candidate.ts';
import type { Origin } from './catalog.ts';
import { rememberHooks, type Memory } from './install/known-hooks.ts';
import { readStored, storedPath, type StoredHook } from './install/stored-package.ts';
import type { LockedHook, LockedPackage } from './lock/lock-file.ts';
import type { PackageFindings } from './package-hooks.ts';
import { selectHooks } from './selectors.ts';

/** A hook of the lock, with its bundle where the cache has what was locked. */
interface Known {
  readonly manifest: Manifest;
  readonly stored?: StoredHook;
}

interface Fault {
  readonly code: FailureCode & ('not_installed' | 'package_tampered');
  readonly detail: string;
}

/**
 * Finds the hooks of a locked package: what was bundled when it was installed, and nothing else. Where the cache has lost it,
 * or holds other bytes, its hooks stay in their chains and fail by the policy that was consented to.
 */
export async function findLockedHooks(
  entry: PackageEntry,
  locked: LockedPackage & { readonly name: string },
  memory: Memory,
): Promise<PackageFindings> {
  const { name, version } = locked;
  const { cacheFolder } = memory;
  const origin: Origin = { kind: 'package', name, version };
  const read = await readStored(cacheFolder, locked.bundle);
  const fault = findRangeFault(entry, locked) ?? (read.ok ? undefined : read);
  if (read.ok && entry.grants !== undefined) {
    // Whoever takes the entry out of the lock does not take the guard away with it.
    const manifests = read.stored.hooks.map(({ manifest }) => manifest);
    await rememberHooks(memory, entry.package, { name, version, manifests });
  }
  const known = read.ok ? read.stored.hooks.map(knownOf) : recallHooks(locked);
  const selection = selectHooks(entry, known, ({ manifest }) => manifest.name);
  const warnings = [...selection.warnings];
  if (fault !== undefined) {
    warnings.push(new SignalboxError(fault.code, { package: entry.package, detail: fault.detail }));
  }
  const isAwaiting =
    entry.grants === undefined && selection.hooks.some(({ isSelected }) => isSelected);
  const awaits = new SignalboxError('awaiting_consent', { package: entry.package });
  if (isAwaiting) warnings.push(awaits);
  const findings = selection.hooks.map(({ name: hookName, hook, isSelected }): Finding => {
    const absent = { name: hookName, origin };
    if (!isSelected) return { kind: 'absent', absent: { ...absent, reason: 'not_selected' } };
    if (entry.grants === undefined) {
      return { kind: 'absent', absent: { ...absent, reason: 'awaiting_consent', error: awaits } };
    }
    const consent = { kind: 'granted', grants: entry.grants, isPartial: entry.partial } as const;
    return {
      kind: 'candidate',
      candidate: candidateOf(hook, { name: hookName, origin, consent, fault }),
    };
  });
  const folder = { name, version, root: storedPath(cacheFolder, locked.bundle) };
  return { findings, warnings, folder };
}

interface Place {
  readonly name: string;
  readonly origin: Origin;
  readonly consent: Consent;
  readonly fault: Fault | undefined;
}

function candidateOf({ manifest, stored }: Known, place: Place): Candidate {
  const { name, origin, consent, fault } = place;
  if (fault !== undefined) {
    const { code, detail } = fault;
    return { name, manifest, origin, consent, failure: { code, detail } };
  }
  if (stored === undefined) return { name, manifest, origin, consent };
  const locked = { bundle: stored.code, place: stored.place };
  return { name, manifest, origin, consent, locked };
}

function knownOf(stored: StoredHook): Known {
  return { manifest: stored.manifest, stored };
}

/** The hooks as the lock remembers them: what they guard, and how they fail. */
function recallHooks({ hooks }: LockedPackage): readonly Known[] {
  return Object.entries(hooks).flatMap(([name, hook]) => {
    const parsed = parseManifest({ name, ...essentials(hook) });
    return parsed.ok ? [{ manifest: parsed.manifest }] : [];
  });
}

function essentials({ points, capabilities, failPolicy }: LockedHook): object {
  return { points, capabilities, ...(failPolicy !== undefined && { failPolicy }) };
}

/** A range in runtime.json that was changed since: what runs must be what it asks for. */
function findRangeFault(entry: PackageEntry, { version }: LockedPackage): Fault | undefined {
  if (entry.version === undefined || semver.satisfies(version, entry.version)) return undefined;
  const detail = `version ${version} is locked, and "${entry.version}" is asked for`;
  return { code: 'not_installed', detail };
}
