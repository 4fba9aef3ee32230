import {
  CAPABILITIES,
  entails,
  parseCapability,
  shortfall,
  type CapabilityRow,
} from '../../sdk/capabilities.ts';
import type { HookEntry } from '../packages/catalog.ts';
import type { UseTotal } from '../sql/uses.ts';
import type { AuditFacts, EntryFacts } from './audit-facts.ts';
import { dayBefore, textOf, usesOf } from './capability-use.ts';

/** An operation of a JSON Patch on runtime.json. https://www.rfc-editor.org/rfc/rfc6902 */
export interface PatchOperation {
  readonly op: 'test' | 'replace' | 'add';
  readonly path: string;
  readonly value: unknown;
}

/** The grants that a package has and those that it used. */
export interface Suggestion {
  readonly package: string;
  readonly grants: readonly string[];
  readonly suggested: readonly string[];
  readonly patch: readonly PatchOperation[];
}

/** More scopes than this are no habit that a list can hold. */
const MAX_SCOPES = 20;

/**
 * The least that each package needs, from what it used in the last `unusedDays`. What was granted without a scope is
 * narrowed to the scopes used. The gates of a hook that ran stay: that a guard has not had to act yet is no reason to
 * disarm it. A package that did nothing in that time is left out, since nothing is known of it.
 */
export function suggestGrants(facts: AuditFacts): readonly Suggestion[] {
  const since = dayBefore(facts.now, facts.unusedDays);
  return facts.entries.flatMap((entry) => {
    const hooks = facts.catalog.hooks.filter(
      ({ origin }) => origin.kind === 'package' && origin.name === entry.name,
    );
    const uses = hooks
      .flatMap(({ name, origin }) => usesOf(facts.uses, name, origin))
      .filter(({ lastDay }) => lastDay >= since);
    if (uses.length === 0) return [];
    const suggestion = suggestFor(entry, hooks, uses);
    return suggestion === undefined ? [] : [suggestion];
  });
}

function suggestFor(
  { index, entry, name = entry.package }: EntryFacts,
  hooks: readonly HookEntry[],
  uses: readonly UseTotal[],
): Suggestion | undefined {
  const { grants = [] } = entry;
  const suggested = [...new Set(grants.flatMap((grant) => needed(grant, uses)))];
  if (suggested.length === grants.length && suggested.every((text) => grants.includes(text))) {
    return undefined;
  }
  const path = `/packages/${index}`;
  const isShort = hooks.some(
    ({ manifest }) => shortfall(manifest.capabilities, suggested).length > 0,
  );
  const patch: PatchOperation[] = [
    // A patch that is applied to another runtime.json than it was made for must fail.
    { op: 'test', path: `${path}/package`, value: entry.package },
    { op: 'test', path: `${path}/grants`, value: grants },
    { op: 'replace', path: `${path}/grants`, value: suggested },
  ];
  if (isShort && !entry.partial) patch.push({ op: 'add', path: `${path}/partial`, value: true });
  return { package: name, grants, suggested, patch };
}

/** What is left of a grant. */
function needed(grant: string, uses: readonly UseTotal[]): readonly string[] {
  const parsed = parseCapability(grant);
  if (parsed === undefined || parsed.name.startsWith('gates_')) return [grant];
  const mine = uses.filter((use) => entails(grant, textOf(use)));
  if (mine.length === 0) return [];
  const { scope }: CapabilityRow = CAPABILITIES[parsed.name];
  if (parsed.scope !== undefined || scope === 'none') return [grant];
  const scopes = [...new Set(mine.map(textOf))].sort();
  const isListed = mine.every((use) => use.scope !== '' && use.scopes <= MAX_SCOPES);
  const isRead = scopes.every((text) => parseCapability(text) !== undefined);
  return isListed && isRead && scopes.length <= MAX_SCOPES ? scopes : [grant];
}
