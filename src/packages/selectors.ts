import { SignalboxError } from '../../sdk/errors.ts';
import { isSlipOf, nearest } from '../config/nearest.ts';
import type { PackageEntry } from '../config/runtime-config.ts';

const KIND = 'hooks';

/** A hook of a package under the name that it has in this runtime. */
export interface NamedHook<T> {
  readonly name: string;
  readonly hook: T;
  readonly isSelected: boolean;
}

/**
 * Renames the hooks of a package and marks those that its entry uses. A selector names a hook by its new name, else by
 * its own. One that matches nothing is a `selector_unmatched` warning: a rule that never applies must not pass unseen.
 */
export function selectHooks<T>(
  entry: PackageEntry,
  hooks: readonly T[],
  ownNameOf: (hook: T) => string,
): { readonly hooks: readonly NamedHook<T>[]; readonly warnings: readonly SignalboxError[] } {
  const named = hooks.map((hook) => ({
    hook,
    own: ownNameOf(hook),
    name: rename(entry, ownNameOf(hook)),
  }));
  const names = named.flatMap(({ own, name }) => [name, own]);
  const unmatched: string[] = [];
  const selectors = (entry.use ?? [`${KIND}.*`])
    .map(readSelector)
    .filter((item) => item !== undefined);
  const isNegative = selectors.length > 0 && selectors.every(({ isTaken }) => !isTaken);
  const selected = new Set(isNegative ? named : []);
  for (const { text, target, isTaken } of selectors) {
    const matches = matchesOf(named, target);
    if (matches.length === 0 && target !== '*') unmatched.push(text);
    for (const match of matches) {
      if (isTaken) selected.add(match);
      else selected.delete(match);
    }
  }
  const unknown = Object.keys(entry.as).filter((own) => !named.some((item) => item.own === own));
  return {
    hooks: named.map((item) => ({
      name: item.name,
      hook: item.hook,
      isSelected: selected.has(item),
    })),
    warnings: [
      ...unmatched.map((text) => warn(entry, text, names)),
      ...misspelt(entry).map((text) => warn(entry, text, names)),
      ...unknown.map((own) => warn(entry, `as.${own}`, names)),
    ],
  };
}

/** The names that an entry asks for one by one, new names first; what an absent package would have brought. */
export function namesAskedFor(entry: PackageEntry): readonly string[] {
  const selectors = (entry.use ?? []).map(readSelector).filter((item) => item !== undefined);
  const names = selectors.filter(({ target, isTaken }) => isTaken && target !== '*');
  return [...new Set(names.map(({ target }) => rename(entry, target)))];
}

/** The name that a hook of the package has in this runtime. */
export function rename(entry: PackageEntry, own: string): string {
  return (Object.hasOwn(entry.as, own) ? entry.as[own] : undefined) ?? own;
}

/**
 * The last selector of an entry that speaks of a hook, which decides on it; `undefined` when none does: then the hook is
 * taken, unless selectors of hooks that are not negative leave it out.
 */
export function decidingSelector(
  entry: PackageEntry,
  { own, name }: { readonly own: string; readonly name: string },
): string | undefined {
  const selectors = (entry.use ?? []).map(readSelector).filter((item) => item !== undefined);
  return selectors.findLast(({ target }) => target === '*' || target === name || target === own)
    ?.text;
}

interface Selector {
  readonly text: string;
  readonly target: string;
  readonly isTaken: boolean;
}

/** Reads a selector of hooks; `undefined` for one of another kind. */
function readSelector(text: string): Selector | undefined {
  const isTaken = !text.startsWith('!');
  const plain = isTaken ? text : text.slice(1);
  if (!plain.startsWith(`${KIND}.`)) return undefined;
  return { text, target: plain.slice(KIND.length + 1), isTaken };
}

function matchesOf<T extends { readonly own: string; readonly name: string }>(
  named: readonly T[],
  target: string,
): readonly T[] {
  if (target === '*') return named;
  const byName = named.filter(({ name }) => name === target);
  return byName.length > 0 ? byName : named.filter(({ own }) => own === target);
}

/** Selectors of a kind that is a slip of `hooks`: left alone, they would take nothing without a word. */
function misspelt(entry: PackageEntry): readonly string[] {
  return (entry.use ?? []).filter((text) =>
    isSlipOf(text.replace(/^!/, '').split('.')[0] ?? '', KIND),
  );
}

function warn(entry: PackageEntry, selector: string, names: readonly string[]): SignalboxError {
  const target = selector.slice(selector.indexOf('.') + 1);
  const near = nearest(target, names);
  return new SignalboxError('selector_unmatched', {
    package: entry.package,
    selector,
    nearest: near === undefined ? `${KIND}.*` : `${KIND}.${near}`,
  });
}
