import type ivm from 'isolated-vm';
import { unseal } from '../guest/native.ts';
import type { HookDefinition, Outcome } from '../messages.ts';
import { WEB_MODULE } from '../../sdk/globals.ts';
import { LIMITS } from '../../sdk/limits.ts';
import type { GuestScript, GuestScripts } from './guest-scripts.ts';

/** Where what a place says goes; `id` is the activity that it says it in. */
export interface PlaceEvents {
  readonly bridge: (id: number, seq: number, text: string) => void;
  readonly log: (id: number, line: string) => void;
}

/** What a segment came to: an outcome, or `undefined` while the activity waits for a bridge or timer. */
export type Segment = { readonly outcome: Outcome; readonly text: string } | undefined;

/** An isolate that holds one hook for one session. Its maker disposes it. */
export interface Place {
  open(id: number, hook: HookDefinition): Segment;
  run(id: number, ops: string, input: string): Segment;
  deliver(id: number, seq: number, text: string): Segment;
  dispose(): void;
}

const SYNC = { sync: true } as const;

/** Makes a place in a fresh isolate. */
export function createPlace(
  engine: typeof ivm,
  guest: GuestScripts,
  options: { readonly memoryMb: number; readonly events: PlaceEvents },
): Place {
  const { events } = options;
  // No `onCatastrophicError`: it would be called in this very thread, which isolated-vm has put to sleep for good by then,
  // and a crash would look like a timeout. Without it V8 ends the process at once.
  const isolate = new engine.Isolate({ memoryLimit: options.memoryMb });
  const context = isolate.createContextSync();
  let current = 0;
  let sealed: string | undefined;
  let crossings = 0;
  let loading: { readonly main: ivm.Module; readonly definition: HookDefinition } | undefined;

  const mayCross = (text: unknown): text is string => {
    crossings += 1;
    return typeof text === 'string' && text.length <= MAX_TEXT_CHARS && crossings <= MAX_CROSSINGS;
  };
  const settle = new engine.Callback((text: unknown) => {
    if (typeof text === 'string' && sealed === undefined) sealed = text;
  }, SYNC);
  const bridge = new engine.Callback((seq: unknown, text: unknown) => {
    if (Number.isInteger(seq) && mayCross(text)) events.bridge(current, seq as number, text);
  }, SYNC);
  const log = new engine.Callback((line: unknown) => {
    if (mayCross(line)) events.log(current, line.slice(0, LIMITS.logLineBytes));
  }, SYNC);
  const entropy = new engine.Callback((bytes: unknown) => randomHex(bytes), SYNC);

  const boot = runScript(isolate, context, guest.prelude);
  // The prelude is our own text, and its value an `IsolateApi`.
  const api = boot.applySync(undefined, [settle, bridge, log, entropy], {
    result: { reference: true },
  }) as unknown as ivm.Reference<Record<string, unknown>>;
  // References are taken before any hook code exists.
  const references = {
    start: api.getSync('start', { reference: true }),
    run: api.getSync('run', { reference: true }),
    deliver: api.getSync('deliver', { reference: true }),
  };
  const attachWeb = api.getSync('attachWeb', { reference: true });
  const attachContracts = api.getSync('attachContracts', { reference: true });

  /** Enters the guest and reads how the segment ended from what was sealed and from the isolate's own state. */
  function enter(id: number, step: () => unknown): Segment {
    current = id;
    sealed = undefined;
    crossings = 0;
    let returned: unknown;
    try {
      returned = step();
    } catch (error) {
      if (isolate.isDisposed) return { outcome: 'memory', text: '' };
      // A rejection nobody handled surfaces here, whatever the run itself answered; so does an exhausted stack.
      if (sealed === undefined) return { outcome: 'thrown', text: messageOf(error) };
    }
    const end = unseal(sealed ?? returned);
    if (end === undefined) return undefined;
    const isTooLarge = end.outcome === 'answer' && Buffer.byteLength(end.text) > LIMITS.answerBytes;
    return isTooLarge ? { outcome: 'size', text: '' } : end;
  }

  /** Goes on with a load: the module has to have finished before the hook is made from it. */
  function proceed(id: number, step: () => unknown): Segment {
    const evaluated = enter(id, step);
    if (evaluated !== undefined || loading === undefined) return evaluated;
    const { main, definition } = loading;
    if (!isFinished(main)) return undefined;
    loading = undefined;
    const namespace = main.namespace.getSync('hook', { reference: true });
    return enter(id, () =>
      references.start.applySync(undefined, [
        namespace.derefInto(),
        definition.contract,
        definition.input,
      ]),
    );
  }

  /** Evaluates the module of the web's names, which leaves no trace on the global object. */
  function openWeb(): ivm.Module {
    const make = runScript(isolate, context, guest.web);
    attachWeb.applySync(undefined, [make.derefInto()]);
    const web = isolate.compileModuleSync(WEB_SOURCE, { filename: WEB_MODULE });
    web.instantiateSync(context, () => web);
    web.evaluateSync();
    return web;
  }

  return {
    open(id, definition) {
      let main: ivm.Module;
      try {
        if (definition.contract !== 'signalbox') {
          const contracts = runScript(isolate, context, guest.contracts);
          attachContracts.applySync(undefined, [contracts.derefInto()]);
        }
        const hook = isolate.compileModuleSync(definition.code, { filename: definition.file });
        main = isolate.compileModuleSync(MAIN, { filename: 'signalbox:main' });
        // Every import of a package is bundled, but for that of the web's names.
        const left = hook.dependencySpecifiers.find((name) => name !== WEB_MODULE);
        if (left !== undefined) {
          const text = `there is no module "${left.slice(0, 80)}" in a sandbox`;
          return { outcome: 'load_error', text };
        }
        const web = hook.dependencySpecifiers.length > 0 ? openWeb() : hook;
        hook.instantiateSync(context, () => web);
        main.instantiateSync(context, () => hook);
      } catch (error) {
        const isMemory = isolate.isDisposed;
        return {
          outcome: isMemory ? 'memory' : 'load_error',
          text: isMemory ? '' : messageOf(error),
        };
      }
      loading = { main, definition };
      return proceed(id, () => void main.evaluateSync());
    },
    run: (id, ops, input) => enter(id, () => references.run.applySync(undefined, [ops, input])),
    deliver: (id, seq, text) =>
      proceed(id, () => void references.deliver.applySync(undefined, [seq, text])),
    dispose() {
      if (!isolate.isDisposed) isolate.dispose();
    },
  };
}

/** Compiles a guest script, from its cache where there is one, and gives its value. */
function runScript(
  isolate: ivm.Isolate,
  context: ivm.Context,
  script: GuestScript,
): ivm.Reference<(...args: unknown[]) => unknown> {
  const { text, filename, cachedData } = script;
  const compiled = isolate.compileScriptSync(text, { filename, cachedData });
  return compiled.runSync(context, { reference: true });
}

const WEB_SOURCE = `const web = globalThis['${WEB_MODULE}']; delete globalThis['${WEB_MODULE}']; export { web };`;

/** Runs to its end only after the hook's module has, top-level await included. */
const MAIN = "export * as hook from 'hook'; export const isFinished = true;";

function isFinished(main: ivm.Module): boolean {
  try {
    return main.namespace.getSync('isFinished') === true;
  } catch {
    return false;
  }
}

/** A caught error as text; what crossed is asked for a string message alone. */
function messageOf(error: unknown): string {
  const message = (error as { message?: unknown } | null)?.message;
  return typeof message === 'string'
    ? message.slice(0, LIMITS.reasonBytes)
    : 'an error that cannot be described';
}

function randomHex(bytes: unknown): string {
  const count = Number.isInteger(bytes)
    ? Math.min(Math.max(bytes as number, 0), LIMITS.entropyBytes)
    : 0;
  return Buffer.from(crypto.getRandomValues(new Uint8Array(count))).toString('hex');
}

/** Limits of one segment on what a guest may send; the guest code has tighter ones. */
const MAX_TEXT_CHARS = LIMITS.storeValueBytes + 8192;
const MAX_CROSSINGS = LIMITS.logLines + LIMITS.storeCalls + LIMITS.timers + 16;
