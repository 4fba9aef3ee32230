import { entails } from '../../sdk/capabilities.ts';
import type { HookEntry } from '../packages/catalog.ts';
import type { UseTotal } from '../sql/uses.ts';
import type { AuditFacts } from './audit-facts.ts';
import type { AuditRow } from './audit-report.ts';
import { ownerOf, textOf, usedOf, usesOf } from './capability-use.ts';

/** The matrix: hooks in registration order with what they declare, are granted and used; then uses of hooks that are gone. */
export function matrixOf({ catalog, uses }: Pick<AuditFacts, 'catalog' | 'uses'>): AuditRow[] {
  const known = new Set<UseTotal>();
  const rows = catalog.hooks.flatMap((entry) => {
    const mine = usesOf(uses, entry.name, entry.origin);
    for (const use of mine) known.add(use);
    return rowsOf(entry, mine);
  });
  const gone = uses.filter((use) => !known.has(use)).map(goneRow);
  return [...rows, ...gone];
}

function rowsOf(entry: HookEntry, uses: readonly UseTotal[]): AuditRow[] {
  const { manifest, granted, origin, name } = entry;
  const listed = new Set([...manifest.capabilities, ...granted]);
  // What was used and is covered by nothing any more: an earlier version had more.
  const beyond = uses
    .map(textOf)
    .filter((text) => ![...listed].some((wide) => entails(wide, text)));
  return [...listed, ...new Set(beyond)].map((capability) => {
    const used = usedOf(uses, capability);
    return {
      package: origin.name,
      version: origin.version,
      hook: name,
      capability,
      isDeclared: manifest.capabilities.some((text) => entails(text, capability)),
      isGranted: granted.some((text) => entails(text, capability)),
      ...(used !== undefined && { used }),
    };
  });
}

function goneRow(use: UseTotal): AuditRow {
  const owner = ownerOf(use.package);
  return {
    package: owner,
    version: owner === use.package ? '' : use.package.slice(owner.length + 1),
    hook: use.hook,
    capability: textOf(use),
    isDeclared: false,
    isGranted: false,
    used: { count: use.count, lastDay: use.lastDay },
  };
}
