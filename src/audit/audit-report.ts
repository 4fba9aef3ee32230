import type { GrantChange } from '../grants/grant-change.ts';

/** The state of a package's bytes against the lock; `own` for folders, tarballs and local hooks, which no lock covers. */
export type Integrity = 'locked' | 'own' | 'tampered' | 'missing' | 'unlocked';

/** A package, or the local hooks, as the audit sees it. */
export interface AuditedPackage {
  readonly name: string;
  readonly version: string;
  readonly hooks: number;
  readonly integrity: Integrity;
  /** What was checked when it was installed; absent where nothing could be. */
  readonly provenance?: { readonly signature: string; readonly attestation: string };
  readonly consent?: { readonly by: string; readonly at: string };
  /** The newest version of its registry, where that was asked. */
  readonly newest?: string;
}

/** How often something was used, and when last; `YYYY-MM-DD` in UTC. */
export interface Used {
  readonly count: number;
  readonly lastDay: string;
}

/** One hook and one capability that it declares, is granted or used. */
export interface AuditRow {
  /** `local` for local hooks. */
  readonly package: string;
  readonly version: string;
  readonly hook: string;
  readonly capability: string;
  readonly isDeclared: boolean;
  readonly isGranted: boolean;
  /** By any version of the package. */
  readonly used?: Used;
}

/** What the audit found; the first group makes it fail. */
export const FINDINGS = {
  tampered: 'drift',
  missing: 'drift',
  ungranted: 'drift',
  untrusted: 'drift',
  lock_mismatch: 'drift',
  history_broken: 'drift',
  required_missing: 'drift',
  failing: 'warning',
  awaiting_consent: 'warning',
  unused_grant: 'warning',
  runs_open: 'warning',
  in_shadow: 'warning',
  unsandboxed: 'warning',
  no_provenance: 'warning',
  behind: 'warning',
  restricted: 'notice',
} as const satisfies Readonly<Record<string, 'drift' | 'warning' | 'notice'>>;

/** A key of {@link FINDINGS}. */
export type FindingKind = keyof typeof FINDINGS;

/** Something an operator should look at. */
export interface Finding {
  readonly kind: FindingKind;
  readonly weight: (typeof FINDINGS)[FindingKind];
  readonly package: string;
  readonly hook?: string;
  readonly detail: string;
}

/** A finding of a kind, with the weight that its kind has. */
export function finding(
  kind: FindingKind,
  about: Pick<Finding, 'package' | 'detail'> & { readonly hook?: string },
): Finding {
  return { kind, weight: FINDINGS[kind], ...about };
}

/** What code of others may do here, what it did, and who allowed it. */
export interface AuditReport {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly unusedDays: number;
  readonly packages: readonly AuditedPackage[];
  readonly rows: readonly AuditRow[];
  /** By weight, drift first. */
  readonly findings: readonly Finding[];
  /** What was revoked, narrowed and restored while hooks ran, oldest first. */
  readonly grantChanges: readonly GrantChange[];
  readonly isDrifted: boolean;
}
