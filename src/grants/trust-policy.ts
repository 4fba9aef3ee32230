import semver from 'semver';
import type { LockedProvenance } from '../packages/lock/lock-file.ts';

/** One thing that an operator asks of a package's origin: `signature`, `provenance`, `key:<id>` or `source:<repository>`. */
export type TrustRequirement = string;

/** A package that must not run, whatever else speaks for it. */
export interface TrustBlock {
  readonly package?: string;
  /** Semver range; all versions, if absent. */
  readonly version?: string;
  /** The integrity of an archive, or the SHA-256 of a bundle. */
  readonly hash?: string;
  readonly reason: string;
}

/** The `trust` part of runtime.json. */
export interface TrustPolicy {
  /** Scopes such as `@acme`, or whole names; any, if absent. */
  readonly scopes?: readonly string[];
  readonly allOf: readonly TrustRequirement[];
  /** At least one of these, unless the list is empty. */
  readonly anyOf: readonly TrustRequirement[];
  readonly block: readonly TrustBlock[];
}

/** What is known of a package when the policy looks at it. */
export interface PackageFacts {
  readonly name: string;
  readonly version: string;
  /** The operator's own folder or tarball, which is held against the block list alone; else where it was fetched from. */
  readonly kind: 'own' | 'registry' | 'remote';
  /** Integrities of its archive, SHA-256 of its bundles. */
  readonly hashes: readonly string[];
  readonly provenance?: LockedProvenance | undefined;
}

/** Why a policy refuses a package, or `undefined`. A block always wins. */
export function distrust(policy: TrustPolicy, facts: PackageFacts): string | undefined {
  const block = policy.block.find((entry) => isBlocked(entry, facts));
  if (block !== undefined) return `it is blocked: ${block.reason}`;
  if (facts.kind === 'own') return undefined;
  const { scopes, allOf, anyOf } = policy;
  const { provenance } = facts;
  if (scopes !== undefined) {
    // Anybody may call what lies at a URL as they like; a registry gives a scope to one owner.
    if (facts.kind === 'remote') return 'it comes from no registry, so that its scope says nothing';
    if (!scopes.some((scope) => isOfScope(facts.name, scope))) {
      return 'its name is in none of the allowed scopes';
    }
  }
  const lacking = allOf.find((requirement) => !isMet(requirement, provenance));
  if (lacking !== undefined) return `it lacks ${lacking}`;
  if (anyOf.length > 0 && !anyOf.some((requirement) => isMet(requirement, provenance))) {
    return `it has none of ${anyOf.join(', ')}`;
  }
  return undefined;
}

/** Whether a policy says anything at all. */
export function isTrustSet({ scopes, allOf, anyOf, block }: TrustPolicy): boolean {
  return scopes !== undefined || allOf.length + anyOf.length + block.length > 0;
}

/** An integrity may list several hashes of the same archive. https://www.w3.org/TR/SRI/ */
export function integritiesOf(integrity: string): readonly string[] {
  return integrity.split(/\s+/).filter((text) => text !== '');
}

function isBlocked({ package: name, version, hash }: TrustBlock, facts: PackageFacts): boolean {
  if (name !== undefined && name !== facts.name) return false;
  if (version !== undefined && !isInRange(facts.version, version)) return false;
  return hash === undefined || facts.hashes.includes(hash);
}

/** A version that is none may be any: a block must not be escaped by an unreadable one. */
function isInRange(version: string, range: string): boolean {
  if (semver.valid(version) === null) return true;
  return semver.satisfies(version, range, { includePrerelease: true });
}

function isOfScope(name: string, scope: string): boolean {
  return name === scope || (scope.startsWith('@') && name.startsWith(`${scope}/`));
}

function isMet(requirement: TrustRequirement, provenance: LockedProvenance | undefined): boolean {
  if (provenance === undefined) return false;
  if (requirement === 'signature') return provenance.signature === 'verified';
  if (requirement === 'provenance') return provenance.attestation === 'verified';
  const [, kind, value = ''] = /^(key|source):(.+)$/.exec(requirement) ?? [];
  if (kind === 'key') {
    return provenance.signature === 'verified' && (provenance.keys ?? []).includes(value);
  }
  if (kind !== 'source' || provenance.attestation !== 'verified') return false;
  const { source = '' } = provenance;
  const rest = source.startsWith(value) ? source.slice(value.length) : undefined;
  // The text must end there or go on with another part: "acme" is not "acme-evil".
  return rest !== undefined && (rest === '' || value.endsWith('/') || /^[/@# ]/.test(rest));
}
