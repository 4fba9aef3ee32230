import { existsSync } from 'node:fs';
import { enableCompileCache, flushCompileCache, stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { MessageChannel, parentPort, threadId, type MessagePort } from 'node:worker_threads';
import { pathToFileURL } from 'node:url';
import { adaptModule, refusalIn } from '../../sdk/contracts.ts';
import { createRunner, type Runner } from '../guest/runner.ts';
import { seal } from '../guest/native.ts';
import { describe } from '../guest/describe.ts';
import type { FromChild, HookDefinition } from '../messages.ts';
import { provideModules } from './provided-modules.ts';

/** One load or run that the process hands to a thread. */
export interface ThreadTask {
  readonly id: number;
  readonly hook: HookDefinition;
  /** Missing for a load. */
  readonly run?: { readonly ops: string; readonly input: string };
}

/** What a thread says of itself before its first task. */
export interface Hello {
  readonly threadId: number;
  /** Where it says what a task asks for, and hears the answers. */
  readonly port: MessagePort;
  /** The id of its task in 32 bits, there to be read while the thread is stuck in it. */
  readonly task: Int32Array<SharedArrayBuffer>;
}

/** What a thread says while it works. */
export type FromThread = Extract<FromChild, { readonly type: 'bridge' | 'log' }>;

/** What a thread is told while it works: the answer of a bridge call. */
export interface ToThread {
  readonly id: number;
  readonly seq: number;
  readonly text: string;
}

interface Loaded {
  readonly runner: Runner;
  /** The sealed text of the load. */
  readonly opened: string;
  settle: ((sealed: string) => void) | undefined;
  /** That of the task that runs in it. */
  id: number | undefined;
}

// Types need not be taken out of the same sources at every start.
const compiled = join(import.meta.dirname, 'compiled');
// At the very first, what takes them out is made ready while nobody waits for it.
if (!existsSync(compiled)) stripTypeScriptTypes('');
enableCompileCache(compiled);
provideModules();
const hooks = new Map<string, Promise<Loaded | string>>();
const { port1: port, port2 } = new MessageChannel();
const task = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
/** The hook of the task that runs, by the task's id: there is one at a time. */
const running = new Map<number, Loaded>();
port.on('message', ({ id, seq, text }: ToThread) => {
  running.get(id)?.runner.deliver(seq, text);
});
// It keeps no thread alive.
port.unref();
parentPort?.postMessage({ threadId, port: port2, task } satisfies Hello, [port2]);

/** Entry of a thread: runs one task and gives its sealed text. */
export default async function work({ id, hook, run }: ThreadTask): Promise<string> {
  Atomics.store(task, 0, id);
  const loaded = await loadOnce(hook, id);
  if (typeof loaded === 'string') return loaded;
  if (run === undefined) return loaded.opened;
  return enter(loaded, id, () => loaded.runner.run(run.ops, run.input));
}

/** What a hook says after its end is not heard. */
function say(loaded: Loaded, messageOf: (id: number) => FromThread): void {
  if (loaded.id !== undefined) port.postMessage(messageOf(loaded.id));
}

/** A hook's module is evaluated once in a thread; a failed load is not kept. */
async function loadOnce(hook: HookDefinition, id: number): Promise<Loaded | string> {
  const key = `${hook.file}\n${hook.input}\n${hook.code}`;
  const known = hooks.get(key);
  if (known !== undefined) return known;
  const loading = load(hook, id);
  hooks.set(key, loading);
  const loaded = await loading;
  if (typeof loaded === 'string') hooks.delete(key);
  return loaded;
}

async function load(hook: HookDefinition, id: number): Promise<Loaded | string> {
  const loaded: { -readonly [K in keyof Loaded]: Loaded[K] } = {
    settle: undefined,
    id: undefined,
    opened: '',
    runner: createRunner(
      {
        settle: (sealed) => loaded.settle?.(sealed),
        bridge: (seq, text) => say(loaded, (id) => ({ type: 'bridge', id, seq, text })),
        log: (line) => say(loaded, (id) => ({ type: 'log', id, line })),
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
  const sealed = await enter(loaded, id, () =>
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

/** Calls into the hook and waits for its sealed text. */
async function enter(loaded: Loaded, id: number, step: () => string | undefined): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  loaded.settle = resolve;
  loaded.id = id;
  running.set(id, loaded);
  try {
    return step() ?? (await promise);
  } finally {
    running.delete(id);
    loaded.id = undefined;
    loaded.settle = undefined;
  }
}
