import type { Catalog, HookEntry } from '../packages/catalog.ts';

/** Whether what a hook decides holds, or is only recorded. */
export type Mode = 'enforce' | 'shadow';

/** A change of what a hook's decisions count for, made while it ran. */
export interface ModeChange {
  readonly hook: string;
  readonly mode: Mode;
  /** What runtime.json said of the hook at that time. */
  readonly base: Mode;
  /** Where the hook came from; absent in changes of before that was kept. */
  readonly origin?: string;
  readonly by: string;
  /** Always there for a guard that was put into shadow mode. */
  readonly reason?: string;
  /** Milliseconds since 1970. */
  readonly time: number;
}

/** Where a hook comes from, as it is kept with a change: another package's hook of the name is another hook. */
export function originOf({ origin: { kind, name } }: Pick<HookEntry, 'origin'>): string {
  return `${kind} ${name}`;
}

/**
 * A catalog whose hooks have the modes that hold: the last change of a hook, as long as it comes from where it came from
 * then and runtime.json says of it what it said then.
 */
export function withModes(catalog: Catalog, changes: readonly ModeChange[]): Catalog {
  if (changes.length === 0) return catalog;
  const last = lastChanges(changes);
  const hooks = catalog.hooks.map((entry) => {
    const change = last.get(entry.name);
    if (change === undefined || !isOf(change, entry)) return entry;
    return change.mode === entry.mode ? entry : { ...entry, mode: change.mode };
  });
  return { ...catalog, hooks };
}

/** What ends the changes that a configuration contradicts, so that none comes back when it says again what it said then. */
export function endedModes(
  { hooks }: Pick<Catalog, 'hooks'>,
  changes: readonly ModeChange[],
): readonly Omit<ModeChange, 'time'>[] {
  const last = lastChanges(changes);
  return hooks.flatMap((entry) => {
    const change = last.get(entry.name);
    // One that says what runtime.json said has no effect to be ended.
    if (change === undefined || change.mode === change.base || isOf(change, entry)) return [];
    const { name: hook, mode } = entry;
    const reason = 'The configuration says something else of it';
    return [{ hook, mode, base: mode, origin: originOf(entry), by: 'runtime.json', reason }];
  });
}

function lastChanges(changes: readonly ModeChange[]): ReadonlyMap<string, ModeChange> {
  return new Map(changes.map((change) => [change.hook, change]));
}

/** Whether a change was made to this hook, as it is configured. One that does not say whose it was takes no guard down. */
function isOf({ base, origin, mode }: ModeChange, entry: HookEntry): boolean {
  const isSame = origin === undefined ? mode === 'enforce' : origin === originOf(entry);
  return isSame && base === entry.mode;
}
