import type { Host, HookSource } from '../../host/sandbox.ts';
import type { HandlerEntry } from '../../sdk/contracts.ts';
import type { Failure } from '../chain/call.ts';
import type { Catalog, HookEntry } from '../packages/catalog.ts';

/** What loading the hooks of a catalog came to, by the hook's name. */
export interface LoadedHooks {
  /** Why a hook cannot run. */
  readonly failures: ReadonlyMap<string, Failure>;
  /** What a module registered by itself, where its contract has it do so. */
  readonly handlers: ReadonlyMap<string, readonly HandlerEntry[]>;
}

/** Loads every hook that can be loaded: all owners at once, and of one owner as many as its processes have use for. */
export async function loadHooks(host: Host, { hooks }: Catalog): Promise<LoadedHooks> {
  const failures = new Map<string, Failure>();
  const handlers = new Map<string, readonly HandlerEntry[]>();
  const load = async (entry: HookEntry): Promise<void> => {
    const result = await host.load(sourceOf(entry));
    if (!result.ok) {
      failures.set(entry.name, { code: result.code, detail: result.detail });
    } else if (result.handlers !== undefined) {
      const stray = strayOf(entry, result.handlers);
      if (stray === undefined) handlers.set(entry.name, result.handlers);
      else failures.set(entry.name, { code: 'load_error', detail: stray });
    }
  };
  const loadable = hooks.filter(({ failure }) => failure === undefined);
  const byOwner = Map.groupBy(loadable, (entry) => sourceOf(entry).owner);
  await Promise.all([...byOwner.values()].map((entries) => inLanes(entries, load)));
  return { failures, handlers };
}

/** Loads of one owner that are on their way at once: more would wait in the host's queue, where they have a deadline. */
const LANES = 4;

async function inLanes(
  entries: readonly HookEntry[],
  load: (entry: HookEntry) => Promise<void>,
): Promise<void> {
  const waiting = [...entries];
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await load(next);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

/** What was registered outside the points of the manifest: it alone says what a hook is bound to. */
function strayOf(
  { manifest: { points } }: HookEntry,
  handlers: readonly HandlerEntry[],
): string | undefined {
  const stray = handlers.find(({ point }) => !points.includes(point));
  if (stray === undefined) return undefined;
  const { name, event, point } = stray;
  const at = event === undefined ? point : `"${event}"`;
  return `it registers "${name}" for ${at}, which needs "${point}" in the points of hook.json`;
}

/** A hook in shadow mode shares its process with no enforced one. */
function sourceOf({ source, mode }: HookEntry): HookSource {
  return mode === 'shadow' ? { ...source, owner: `shadow ${source.owner}` } : source;
}
