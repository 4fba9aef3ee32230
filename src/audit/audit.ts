import type { Catalog } from '../packages/catalog.ts';
import type { AuditFacts, EntryFacts } from './audit-facts.ts';
import type { AuditedPackage, AuditReport, Integrity } from './audit-report.ts';
import { findingsOf } from './findings.ts';
import { matrixOf } from './matrix.ts';

/** Puts together what code of others may do here, what it did, who allowed it, and what is wrong. Reads nothing. */
export function audit(facts: AuditFacts): AuditReport {
  const packages = packagesOf(facts);
  const findings = findingsOf(facts, packages);
  return {
    at: new Date(facts.now).toISOString(),
    unusedDays: facts.unusedDays,
    packages,
    rows: matrixOf(facts),
    findings,
    grantChanges: facts.grantChanges,
    isDrifted: findings.some(({ weight }) => weight === 'drift'),
  };
}

function packagesOf({ catalog, entries, newest }: AuditFacts): AuditedPackage[] {
  const local = catalog.hooks.filter(({ origin }) => origin.kind === 'local').length;
  const packages = entries.map((facts): AuditedPackage => {
    const name = facts.name ?? facts.entry.package;
    const mine = catalog.hooks.filter(({ origin }) => origin.name === name);
    const { provenance, consent } = facts.locked ?? {};
    const fresh = newest.get(name);
    return {
      name,
      version: mine[0]?.origin.version ?? facts.locked?.version ?? '',
      hooks: mine.length,
      integrity: integrityOf(facts, catalog, name),
      ...(provenance !== undefined && {
        provenance: { signature: provenance.signature, attestation: provenance.attestation },
      }),
      ...(consent !== undefined && { consent: { by: consent.by, at: consent.at } }),
      ...(fresh !== undefined && { newest: fresh }),
    };
  });
  if (local === 0) return packages;
  return [{ name: 'local', version: '', hooks: local, integrity: 'own' }, ...packages];
}

function integrityOf(
  { locked, isFetched }: EntryFacts,
  { hooks, absent }: Catalog,
  name: string,
): Integrity {
  const codes = hooks
    .filter(({ origin }) => origin.name === name)
    .map(({ failure }) => failure?.code);
  if (codes.includes('package_tampered')) return 'tampered';
  const isGone = absent.some(
    ({ origin, reason }) => origin.name === name && reason === 'not_installed',
  );
  if (codes.includes('not_installed') || isGone) return 'missing';
  if (locked !== undefined) return 'locked';
  return isFetched ? 'unlocked' : 'own';
}
