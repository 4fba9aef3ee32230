import type { Catalog } from '../packages/catalog.ts';

/** Whether what a hook decides holds, or is only recorded. */
export type Mode = 'enforce' | 'shadow';

/** A change of what a hook's decisions count for, made while it ran. */
export interface ModeChange {
  readonly hook: string;
  readonly mode: Mode;
  /** What runtime.json said of the hook at that time. */
  readonly base: Mode;
  readonly by: string;
  /** Always there for a guard that was put into shadow mode. */
  readonly reason?: string;
  /** Milliseconds since 1970. */
  readonly time: number;
}

/** The modes that hold beside a configuration: the last change of a hook, as long as runtime.json says of it what it said then. */
export function standingModes(
  changes: readonly ModeChange[],
  configured: (hook: string) => Mode,
): ReadonlyMap<string, Mode> {
  const last = new Map(changes.map((change) => [change.hook, change]));
  return new Map(
    [...last.values()]
      .filter(({ hook, base }) => configured(hook) === base)
      .map(({ hook, mode }) => [hook, mode]),
  );
}

/** A catalog whose hooks have the modes that hold. */
export function withModes(catalog: Catalog, changes: readonly ModeChange[]): Catalog {
  if (changes.length === 0) return catalog;
  const configured = new Map(catalog.hooks.map(({ name, mode }) => [name, mode]));
  const standing = standingModes(changes, (hook) => configured.get(hook) ?? 'enforce');
  const hooks = catalog.hooks.map((entry) => {
    const mode = standing.get(entry.name) ?? entry.mode;
    return mode === entry.mode ? entry : { ...entry, mode };
  });
  return { ...catalog, hooks };
}
