import { dirname } from 'node:path';
import type { Host, HookSource } from '../../host/sandbox.ts';
import type { HandlerEntry } from '../../sdk/contracts.ts';
import type { Failure } from '../chain/call.ts';
import type { HookEntry } from '../packages/catalog.ts';
import { wasTouched } from './touched.ts';

/** A hook as the host knows it. */
export interface LoadedHook {
  /** Under a name that no other version of the hook has had in this process. */
  readonly source: HookSource;
  /** What it was loaded from: equal texts are equal hooks. */
  readonly origin: string;
  /** Milliseconds since 1970, before its first byte was read. */
  readonly readAt: number;
  /** Why it cannot run. */
  readonly failure?: Failure;
  /** What its module registered by itself, where its contract has it do so. */
  readonly handlers?: readonly HandlerEntry[];
}

/** By name, the hooks that were loaded; those that fail without it are not. */
export type LoadedHooks = ReadonlyMap<string, LoadedHook>;

/** What is loaded, and what is there already. */
export interface Loading {
  readonly entries: readonly HookEntry[];
  readonly previous?: LoadedHooks | undefined;
  /** Counts the editions of a process from 1. */
  readonly edition: number;
  /** Whether files of workers that were written to since are loaded again. */
  readonly isRereading: boolean;
}

/**
 * Loads every hook that can be loaded: all owners at once, and of one owner as many as its processes have use for. What is
 * the same as before stays where it is.
 */
export async function loadHooks(host: Host, loading: Loading): Promise<LoadedHooks> {
  const loaded = new Map<string, LoadedHook>();
  const wanted: { readonly entry: HookEntry; readonly source: HookSource }[] = [];
  for (const entry of loading.entries) {
    if (entry.failure !== undefined) continue;
    const known = loading.previous?.get(entry.name);
    const isKept = known !== undefined && (await isSame(known, entry, loading.isRereading));
    if (isKept) loaded.set(entry.name, known);
    else wanted.push({ entry, source: placedSource(entry, loading.edition) });
  }
  const load = async ({ entry, source }: (typeof wanted)[number]): Promise<void> => {
    const readAt = Date.now();
    const result = await host.load(source);
    const fact = { source, origin: originOf(entry), readAt };
    if (!result.ok) {
      const { code, detail } = result;
      loaded.set(entry.name, { ...fact, failure: { code, detail } });
      return;
    }
    const { handlers } = result;
    const stray = handlers === undefined ? undefined : strayOf(entry, handlers);
    const failure =
      stray === undefined ? undefined : ({ code: 'load_error', detail: stray } as const);
    loaded.set(entry.name, {
      ...fact,
      ...(failure !== undefined && { failure }),
      ...(failure === undefined && handlers !== undefined && { handlers }),
    });
  };
  const byOwner = Map.groupBy(wanted, ({ source }) => source.owner);
  await Promise.all([...byOwner.values()].map((hooks) => inLanes(hooks, load)));
  return loaded;
}

/** Loads of one owner that are on their way at once: more would wait in the host's queue, where they have a deadline. */
const LANES = 4;

async function inLanes<T>(items: readonly T[], load: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await load(next);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

async function isSame(known: LoadedHook, entry: HookEntry, isRereading: boolean): Promise<boolean> {
  if (known.failure !== undefined || known.origin !== originOf(entry)) return false;
  const { sandbox, file } = entry.source;
  // An isolate is given its whole code; a worker imports files, which the text does not tell apart.
  if (sandbox === 'isolate' || !isRereading) return true;
  return !(await wasTouched(dirname(file), known.readAt));
}

function originOf({ source, mode }: HookEntry): string {
  return JSON.stringify({ ...source, mode });
}

/**
 * The source under the name and owner that the host keeps it by. A hook in shadow mode shares its process with no enforced
 * one, and a process that has imported files once never sees that they changed.
 */
function placedSource({ source, mode }: HookEntry, edition: number): HookSource {
  const role = mode === 'shadow' ? 'shadow ' : '';
  const isFirst = edition === 1;
  const round = isFirst || source.sandbox === 'isolate' ? '' : ` ${edition}`;
  return {
    ...source,
    name: isFirst ? source.name : `${source.name} ${edition}`,
    owner: `${role}${source.owner}${round}`,
  };
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
