import type { Ports } from '../host/bridges.ts';
import type { HookSource } from '../host/sandbox.ts';
import type { Catalog } from './packages/catalog.ts';

/** What a test puts in the place of the world around hooks. Trials then carry their effects out, on what it provides. */
export interface Rig {
  /** What is behind the bridges, made from what would be. */
  readonly portsOf?: (ports: Ports) => Ports;
  /** What is loaded in place of a hook's own source. */
  readonly sourceOf?: (source: HookSource) => HookSource;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** A catalog whose hooks are loaded as the rig says. */
export function rigCatalog(catalog: Catalog, { sourceOf }: Rig = {}): Catalog {
  if (sourceOf === undefined) return catalog;
  const hooks = catalog.hooks.map((entry) => ({ ...entry, source: sourceOf(entry.source) }));
  return { ...catalog, hooks };
}
