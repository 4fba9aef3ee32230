import vm from 'node:vm';
import type ivm from 'isolated-vm';
import type { IsolateApi } from '../guest/isolate-entry.ts';

const { readFileSync } = process.getBuiltinModule('node:fs');

/** A script of guest code, and what V8 compiled of it before. */
export interface GuestScript {
  readonly text: string;
  readonly filename: string;
  readonly cachedData: ivm.ExternalCopy<ArrayBuffer>;
}

/** The guest code of an isolate: what every one boots with, and what those that name the web's globals add. */
export interface GuestScripts {
  readonly prelude: GuestScript;
  readonly web: GuestScript;
  /** The adapters of all contracts but the native one. */
  readonly contracts: GuestScript;
}

/** The scripts, and in base64 their caches where they were made for it: they serve the next children too. */
export interface ReadyGuest {
  readonly scripts: GuestScripts;
  readonly made: string;
}

/** Makes the guest scripts ready with the caches of a file, or with new ones. No package has a part in them. */
export function readyGuest(engine: typeof ivm, cacheFile: string | undefined): ReadyGuest {
  const found = cachesIn(cacheFile);
  // They are made and written together: one tells of all.
  const isTaken = found.length === 3 && found[0] !== undefined && takes(PRELUDE, found[0]);
  const caches = isTaken ? found : makeCaches();
  const script = (at: number, name: string, text: string): GuestScript => {
    const bytes = new Uint8Array(caches[at] ?? []);
    const cachedData = new engine.ExternalCopy(bytes.buffer);
    return { text, filename: `signalbox:${name}`, cachedData };
  };
  return {
    scripts: {
      prelude: script(0, 'prelude', PRELUDE),
      web: script(1, 'web-names', WEB_NAMES),
      contracts: script(2, 'contracts', CONTRACTS),
    },
    made: isTaken ? '' : caches.map((cache) => cache.toString('base64')).join(),
  };
}

/** What a file holds. One that this user may not read, or that is gone, is none: no reason to start in a weaker way. */
function cachesIn(file: string | undefined): readonly Buffer[] {
  try {
    const text = file === undefined ? '' : readFileSync(file, 'latin1');
    const caches = text.slice(text.indexOf('\n') + 1).split(',');
    return caches.map((cache) => Buffer.from(cache, 'base64'));
  } catch {
    return [];
  }
}

/** Whether a cache is of this V8 and its flags. */
function takes(text: string, cachedData: Buffer): boolean {
  return new vm.Script(text, { cachedData }).cachedDataRejected === false;
}

function makeCaches(): readonly Buffer[] {
  const nothing = (): string => '';
  return [
    cacheOf(PRELUDE, (make) => {
      const { start, run } = make(nothing, nothing, nothing, nothing) as IsolateApi;
      start({ run: () => ({ action: 'allow' }) }, 'signalbox', '{"config":{}}');
      run('', '{"point":"","payload":{},"ctx":{}}');
    }),
    cacheOf(WEB_NAMES, (make) => {
      make({ log: nothing, setTimer: nothing, clearTimer: nothing, entropy: nothing });
    }),
    cacheOf(CONTRACTS, () => undefined),
  ];
}

/** The cache of a script that has run, so that what boots every isolate is compiled in it. */
function cacheOf(text: string, warmUp: (value: (...args: unknown[]) => unknown) => void): Buffer {
  const script = new vm.Script(text);
  const context = vm.createContext(vm.constants.DONT_CONTEXTIFY);
  warmUp(script.runInContext(context) as (...args: unknown[]) => unknown);
  return script.createCachedData();
}
