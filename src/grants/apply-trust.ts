import { packageKind } from '../config/package-kind.ts';
import type { RuntimeConfig } from '../config/runtime-config.ts';
import { findLocked, type LockFile, type LockedPackage } from '../packages/lock/lock-file.ts';
import type { PackageFindings } from '../packages/package-hooks.ts';
import { distrust, integritiesOf, isTrustSet, type PackageFacts } from './trust-policy.ts';

/**
 * Makes the hooks of packages that the policy refuses fail: they stay in their chains, so that a guard that was blocked
 * does not let pass what it guarded. `findings` are in the order of the configuration's packages.
 */
export function applyTrust(
  findings: readonly PackageFindings[],
  { packages, trust }: Pick<RuntimeConfig, 'packages' | 'trust'>,
  lock: LockFile,
): readonly PackageFindings[] {
  if (!isTrustSet(trust)) return findings;
  return findings.map((item, index) => {
    const entry = packages[index]?.package;
    if (entry === undefined) return item;
    return {
      ...item,
      findings: item.findings.map((finding) => {
        if (finding.kind === 'absent') return finding;
        const { candidate } = finding;
        const detail = distrust(trust, factsOf(candidate.origin, entry, findLocked(lock, entry)));
        if (detail === undefined) return finding;
        return {
          kind: 'candidate',
          candidate: { ...candidate, failure: { code: 'untrusted', detail } },
        };
      }),
    };
  });
}

/** What the lock says of a package that an entry of runtime.json names; without a lock its name and version alone. */
export function factsOf(
  { name, version }: Pick<PackageFacts, 'name' | 'version'>,
  entry: string,
  locked: LockedPackage | undefined,
): PackageFacts {
  const written = packageKind(entry);
  const kind = written === 'name' ? 'registry' : written === 'remote' ? 'remote' : 'own';
  if (locked === undefined) return { name, version, kind, hashes: [] };
  const { integrity, bundle, hooks, provenance } = locked;
  const bundles = Object.values(hooks).map((hook) => hook.bundle);
  return {
    name,
    version,
    kind,
    provenance,
    hashes: [...integritiesOf(integrity), bundle, ...bundles],
  };
}
