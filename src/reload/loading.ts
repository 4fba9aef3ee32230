import { dirname } from 'node:path';
import type { Host, HookSource, LoadResult } from '../../host/sandbox.ts';
import type { HandlerEntry } from '../../sdk/contracts/adapter.ts';
import type { Failure } from '../chain/call.ts';
import type { HookEntry } from '../packages/catalog.ts';
import type { LoadProofs } from './load-proofs.ts';
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
  readonly proofs: LoadProofs;
  /** Hooks that a start must not be without. */
  readonly required: readonly string[];
  /** Counts the editions of a process from 1. */
  readonly edition: number;
  /** Whether files of workers that were written to since are loaded again. */
  readonly isRereading: boolean;
}

/**
 * Loads every hook that can be loaded: all owners at once, and of one owner as many as its processes have use for. What is
 * the same as before stays where it is. What has loaded at an earlier start comes up afterwards, or with its first call.
 */
export async function loadHooks(host: Host, loading: Loading): Promise<LoadedHooks> {
  const { proofs } = loading;
  const loaded = new Map<string, LoadedHook>();
  const wanted: Wanted[] = [];
  const proven: Wanted[] = [];
  for (const entry of loading.entries) {
    if (entry.failure !== undefined) continue;
    const known = loading.previous?.get(entry.name);
    if (known !== undefined && (await isSame(known, entry, loading.isRereading))) {
      loaded.set(entry.name, known);
      continue;
    }
    const source = placedSource(entry, loading.edition);
    const item = { entry, source, origin: originOf(entry), readAt: Date.now() };
    const isProven = isProvable(entry, loading.required) && proofs.has(item.origin);
    (isProven ? proven : wanted).push(item);
  }
  for (const item of proven) {
    host.declare(item.source);
    loaded.set(item.entry.name, factOf(item));
  }
  host.expect({
    isolate: new Set(wanted.flatMap(ownerOf)).size,
    worker: wanted.some(({ source }) => source.sandbox === 'worker') ? 1 : 0,
  });
  const load = async (item: Wanted): Promise<void> => {
    loaded.set(item.entry.name, factOf(item, await host.load(item.source)));
  };
  const byOwner = Map.groupBy(wanted, ({ source }) => source.owner);
  await Promise.all([...byOwner.values()].map((hooks) => inLanes(hooks, load)));
  host.expect({ isolate: 0, worker: 0 });
  const live = wanted.filter(({ entry }) => loaded.get(entry.name)?.failure === undefined);
  await proofs.keep(live.filter(({ entry }) => isProvable(entry)).map(({ origin }) => origin));
  bringUp(host, proven, (item, failure) => loaded.set(item.entry.name, factOf(item, failure)));
  return loaded;
}

/**
 * Whether an earlier load says anything of this one. The text of an isolate's hook is all there is to it, while files
 * that a worker imports may have changed; what other contracts register is known from a load alone; and what a start
 * must not be without is tried at each.
 */
function isProvable({ name, source }: HookEntry, required: readonly string[] = []): boolean {
  return (
    source.sandbox === 'isolate' && source.contract === 'signalbox' && !required.includes(name)
  );
}

/** Whose process an isolate runs in; hooks of workers share theirs. */
const ownerOf = ({ source: { sandbox, owner } }: Wanted): readonly string[] =>
  sandbox === 'isolate' ? [owner] : [];

interface Wanted {
  readonly entry: HookEntry;
  readonly source: HookSource;
  readonly origin: string;
  readonly readAt: number;
}

/** What a load came to; without one, that it would come up. */
function factOf({ entry, source, origin, readAt }: Wanted, result?: LoadResult): LoadedHook {
  const fact = { source, origin, readAt };
  if (result === undefined) return fact;
  if (!result.ok) {
    const { code, detail } = result;
    return { ...fact, failure: { code, detail } };
  }
  const { handlers } = result;
  const stray = handlers === undefined ? undefined : strayOf(entry, handlers);
  if (stray !== undefined) return { ...fact, failure: { code: 'load_error', detail: stray } };
  return { ...fact, ...(handlers !== undefined && { handlers }) };
}

/** What a program does right after the start goes first. */
const BRING_UP_AFTER_MS = 200;

/** Loads hooks one after the other while nobody waits for them. What does not come up after all is told. */
function bringUp(
  host: Host,
  items: readonly Wanted[],
  onFailed: (item: Wanted, failure: LoadResult & { readonly ok: false }) => void,
): void {
  if (items.length === 0) return;
  const bringAll = async (): Promise<void> => {
    for (const item of items) {
      const result = await host.warm(item.source.name);
      if (result?.ok === false) onFailed(item, result);
    }
  };
  setTimeout(() => void bringAll(), BRING_UP_AFTER_MS).unref();
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
  const { code, file } = entry.source;
  // A hook that is given as one text is known by it; a worker that imports files is not.
  if (code !== '' || !isRereading) return true;
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
