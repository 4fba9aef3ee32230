import { shortfall } from '../../sdk/capabilities.ts';
import { verifyHistory } from '../packages/lock/history.ts';
import type { AuditFacts, EntryFacts } from './audit-facts.ts';
import { finding, type Finding } from './audit-report.ts';

/** Where runtime.json, its lock and the history of the lock do not say the same. */
export function lockFindings({ lock, entries }: Pick<AuditFacts, 'lock' | 'entries'>): Finding[] {
  const declared = new Set(entries.map(({ name }) => name));
  const orphans = Object.keys(lock.packages)
    .filter((name) => !declared.has(name))
    .map((name) =>
      finding('lock_mismatch', { package: name, detail: 'it is locked and not in runtime.json' }),
    );
  const faults = verifyHistory(lock).map(({ seq, package: name, detail }) =>
    finding('history_broken', { package: name, detail: `entry ${seq}: ${detail}` }),
  );
  return [...entries.flatMap(entryFindings), ...orphans, ...faults];
}

function entryFindings({ entry, name = entry.package, locked, isFetched }: EntryFacts): Finding[] {
  if (locked === undefined) {
    if (!isFetched) return [];
    return [
      finding('lock_mismatch', { package: name, detail: 'it is in runtime.json and not locked' }),
    ];
  }
  const beyond = shortfall(entry.grants ?? [], locked.consent.capabilities);
  if (beyond.length === 0) return [];
  const detail = `runtime.json grants ${beyond.join(', ')}, to which nobody agreed when it was installed`;
  return [finding('lock_mismatch', { package: name, detail })];
}
