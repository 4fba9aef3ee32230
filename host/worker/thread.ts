import { enableCompileCache, flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { threadId, type MessagePort } from 'node:worker_threads';
import { pathToFileURL } from 'node:url';
import { adaptModule, refusalIn } from '../../sdk/contracts.ts';
import { createRunner, type Runner } from '../guest/runner.ts';
import { seal } from '../guest/native.ts';
import { describe } from '../guest/describe.ts';
import type { HookDefinition } from '../messages.ts';
import { provideModules } from './provided-modules.ts';

/** One load or run that the process hands to a thread. */
export interface ThreadTask {
  readonly port: MessagePort;
  readonly hook: HookDefinition;
  /** Missing for a load. */
  readonly run?: { readonly ops: string; readonly input: string };
}

/** What a thread says while it works. */
export type FromThread =
  | { readonly type: 'started'; readonly threadId: number }
  | { readonly type: 'bridge'; readonly seq: number; readonly text: string }
  | { readonly type: 'log'; readonly line: string };

/** What a thread is told while it works: the answer of a bridge call. */
export interface ToThread {
  readonly seq: number;
  readonly text: string;
}

interface Loaded {
  readonly runner: Runner;
  /** The sealed text of the load. */
  readonly opened: string;
  /** Set while a task runs: threads run one at a time. */
  port: MessagePort | undefined;
  settle: ((sealed: string) => void) | undefined;
}

// Types need not be taken out of the same sources at every start.
enableCompileCache(join(import.meta.dirname, 'compiled'));
provideModules();
const hooks = new Map<string, Promise<Loaded | string>>();

/** Entry of a thread: runs one task and gives its sealed text. */
export default async function work(task: ThreadTask): Promise<string> {
  const { port, hook, run } = task;
  port.postMessage({ type: 'started', threadId } satisfies FromThread);
  try {
    const loaded = await loadOnce(hook, port);
    if (typeof loaded === 'string') return loaded;
    if (run === undefined) return loaded.opened;
    return await enter(loaded, port, () => loaded.runner.run(run.ops, run.input));
  } finally {
    port.close();
  }
}

/** A hook's module is evaluated once in a thread; a failed load is not kept. */
async function loadOnce(hook: HookDefinition, port: MessagePort): Promise<Loaded | string> {
  const key = `${hook.file}\n${hook.input}\n${hook.code}`;
  const known = hooks.get(key);
  if (known !== undefined) return known;
  const loading = load(hook, port);
  hooks.set(key, loading);
  const loaded = await loading;
  if (typeof loaded === 'string') hooks.delete(key);
  return loaded;
}

async function load(hook: HookDefinition, port: MessagePort): Promise<Loaded | string> {
  const loaded: { -readonly [K in keyof Loaded]: Loaded[K] } = {
    port: undefined,
    settle: undefined,
    opened: '',
    runner: createRunner(
      {
        settle: (sealed) => loaded.settle?.(sealed),
        bridge: (seq, text) =>
          loaded.port?.postMessage({ type: 'bridge', seq, text } satisfies FromThread),
        log: (line) => loaded.port?.postMessage({ type: 'log', line } satisfies FromThread),
        entropy: () => '',
      },
      { adaptModule, refusalIn },
    ),
  };
  let namespace: object;
  try {
    namespace = (await import(urlOf(hook))) as object;
    // The process is killed in the end, so nothing is written then.
    flushCompileCache();
  } catch (error) {
    return seal('load_error', describe(error));
  }
  const sealed = await enter(loaded, port, () =>
    loaded.runner.start(namespace, hook.contract, hook.input),
  );
  if (!sealed.startsWith('o')) return seal('load_error', sealed.slice(1));
  loaded.opened = sealed;
  return loaded;
}

/** A text comes from the host, which has checked it; a file of it could be another by now. Stacks name its file. */
function urlOf({ code, file }: HookDefinition): string {
  if (code === '') return pathToFileURL(file).href;
  const text = Buffer.from(`${code}\n//# sourceURL=${file}`).toString('base64');
  return `data:text/javascript;base64,${text}`;
}

/** Calls into the hook and waits for its sealed text, feeding it the answers that come through the port. */
async function enter(
  loaded: Loaded,
  port: MessagePort,
  step: () => string | undefined,
): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const deliver = ({ seq, text }: ToThread): void => loaded.runner.deliver(seq, text);
  loaded.port = port;
  loaded.settle = resolve;
  port.on('message', deliver);
  try {
    return step() ?? (await promise);
  } finally {
    port.off('message', deliver);
    loaded.port = undefined;
    loaded.settle = undefined;
  }
}
