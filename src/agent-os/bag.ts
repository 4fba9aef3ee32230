import type { HookEntry } from '../packages/catalog.ts';

/** Who writes and who reads a key of the bag. */
export interface BagKey {
  readonly key: string;
  readonly producers: readonly string[];
  readonly consumers: readonly {
    readonly hook: string;
    /** The hook's own name for the key. */
    readonly port: string;
    readonly required: boolean;
  }[];
}

/** Every key that a hook declares, in code-unit order. */
export function bagOf(entries: readonly HookEntry[]): readonly BagKey[] {
  const keys = new Set(
    entries.flatMap(({ manifest: { inputs = [], outputs = [] } }) => [...inputs, ...outputs]),
  );
  return [...keys].sort().map((key) => ({
    key,
    producers: entries
      .filter(({ manifest }) => manifest.outputs?.includes(key) === true)
      .map(({ name }) => name),
    consumers: entries.flatMap((entry) => portsOf(entry, key)),
  }));
}

function portsOf({ name: hook, manifest }: HookEntry, key: string): BagKey['consumers'] {
  if (manifest.inputs?.includes(key) !== true) return [];
  if (manifest.ports === undefined) return [{ hook, port: key, required: false }];
  return Object.entries(manifest.ports)
    .filter(([, { from }]) => from === key)
    .map(([port, { required }]) => ({ hook, port, required }));
}
