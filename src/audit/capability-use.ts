import { entails, parseCapability } from '../../sdk/capabilities.ts';
import type { Origin } from '../packages/catalog.ts';
import type { UseTotal } from '../sql/uses.ts';
import type { Used } from './audit-report.ts';

/** The uses of one hook, by every version of its package. */
export function usesOf(
  uses: readonly UseTotal[],
  hook: string,
  { kind, name }: Pick<Origin, 'kind' | 'name'>,
): readonly UseTotal[] {
  const owner = kind === 'local' ? 'local' : name;
  return uses.filter((use) => use.hook === hook && ownerOf(use.package) === owner);
}

/** The package of `name@version`; scopes begin with another `@`. */
export function ownerOf(text: string): string {
  const at = text.lastIndexOf('@');
  return at > 0 ? text.slice(0, at) : text;
}

/** How often a capability was used in the scopes that it covers; `undefined` when never. */
export function usedOf(uses: readonly UseTotal[], capability: string): Used | undefined {
  const parsed = parseCapability(capability);
  let count = 0;
  let lastDay = '';
  const seen = new Set<string>();
  for (const use of uses) {
    if (!entails(capability, textOf(use))) continue;
    // Of many scopes only some are listed; the sum over all of them stands in every row.
    const isWhole = parsed?.scope === undefined;
    const key = `${use.package} ${use.capability}`;
    if (isWhole && seen.has(key)) continue;
    seen.add(key);
    count += isWhole ? use.totalCount : use.count;
    const day = isWhole ? use.totalLastDay : use.lastDay;
    if (day > lastDay) lastDay = day;
  }
  return count === 0 ? undefined : { count, lastDay };
}

/** The capability that a use needed. */
export function textOf({ capability, scope }: Pick<UseTotal, 'capability' | 'scope'>): string {
  return scope === '' ? capability : `${capability}:${scope}`;
}

/** The day some days before a time, `YYYY-MM-DD` in UTC. */
export function dayBefore(now: number, days: number): string {
  return new Date(now - days * DAY_MS).toISOString().slice(0, 10);
}

const DAY_MS = 86_400_000;
