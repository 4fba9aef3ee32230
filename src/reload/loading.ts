import { dirname } from 'node:path';
import type { Host, HookSource, LoadResult } from '../../host/sandbox.ts';
import type { HandlerEntry } from '../../sdk/contracts.ts';
import type { Failure } from '../chain/call.ts';
import type { HookEntry } from '../packages/catalog.ts';
import type { LoadProof, LoadProofs } from './load-proofs.ts';
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
  const proven: HookSource[] = [];
  for (const entry of loading.entries) {
    if (entry.failure !== undefined) continue;
    const known = loading.previous?.get(entry.name);
    if (known !== undefined && (await isSame(known, entry, loading.isRereading))) {
      loaded.set(entry.name, known);
      continue;
    }
    const source = placedSource(entry, loading.edition);
    const item = { entry, source, origin: originOf(entry), readAt: Date.now() };
    // The text of an isolate's hook is all there is to it; files that a worker imports may have changed.
    const proof = source.sandbox === 'isolate' ? await proofs.find(item.origin) : undefined;
    if (proof === undefined) wanted.push(item);
    else {
      host.declare(source);
      proven.push(source);
      loaded.set(entry.name, factOf(item, proof));
    }
  }
  const byOwner = Map.groupBy(wanted, ({ source }) => source.owner);
  host.expect(new Set(wanted.flatMap(({ source }) => ownerOf(source))).size);
  const load = async (item: Wanted): Promise<void> => {
    const { source, entry, origin } = item;
    const result = await host.load(source);
    loaded.set(entry.name, factOf(item, result));
    if (result.ok && source.sandbox === 'isolate') await proofs.keep(origin, result);
  };
  await Promise.all([...byOwner.values()].map((hooks) => inLanes(hooks, load)));
  host.expect(0);
  bringUp(host, proven);
  return loaded;
}

/** Whose process an isolate runs in; hooks of workers share theirs. */
const ownerOf = ({ sandbox, owner }: HookSource): readonly string[] =>
  sandbox === 'isolate' ? [owner] : [];

interface Wanted {
  readonly entry: HookEntry;
  readonly source: HookSource;
  readonly origin: string;
  readonly readAt: number;
}

/** What a load came to, or what is known of an earlier one. */
function factOf(
  { entry, source, origin, readAt }: Wanted,
  result: LoadProof | LoadResult,
): LoadedHook {
  const fact = { source, origin, readAt };
  if ('ok' in result && !result.ok) {
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

/** Loads hooks one after the other while nobody waits for them. What goes wrong is told by their calls. */
function bringUp(host: Host, sources: readonly HookSource[]): void {
  if (sources.length === 0) return;
  const timer = setTimeout(() => {
    void (async () => {
      for (const { name } of sources) await host.warm(name);
    })();
  }, BRING_UP_AFTER_MS);
  timer.unref();
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
