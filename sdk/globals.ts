/** Global names of ECMAScript that the isolate does not have: each lets code wait, share or outgrow its limits. */
export const REMOVED_GLOBALS = [
  'WebAssembly',
  'SharedArrayBuffer',
  'Atomics',
  'FinalizationRegistry',
  'WeakRef',
] as const;

/**
 * The authority-free part of the WinterTC minimum common API. A hook in an isolate uses these names as it would anywhere
 * (`setTimeout(…)`, `new URL(…)`, `globalThis.crypto`, `console.log(…)`): each that its bundle names is bound there when
 * it is bundled. They are no properties of the global object, so that code made at run time (`Function`, `eval`) finds
 * bare ECMAScript.
 */
export const ADDED_GLOBALS = [
  'AbortController',
  'AbortSignal',
  'DOMException',
  'Event',
  'EventTarget',
  'TextDecoder',
  'TextEncoder',
  'URL',
  'URLSearchParams',
  'atob',
  'btoa',
  'clearInterval',
  'clearTimeout',
  'console',
  'crypto',
  'performance',
  'queueMicrotask',
  'setInterval',
  'setTimeout',
  'structuredClone',
] as const;

/** Methods of `console` that write to the hook's log when a hook calls them by name: `console.warn(…)`. */
export const CONSOLE_METHODS = [
  'assert',
  'clear',
  'count',
  'countReset',
  'debug',
  'dir',
  'dirxml',
  'error',
  'group',
  'groupCollapsed',
  'groupEnd',
  'info',
  'log',
  'table',
  'time',
  'timeEnd',
  'timeLog',
  'trace',
  'warn',
] as const;

/** The module that bundles bind {@link ADDED_GLOBALS} from. No hook can import it itself. */
export const WEB_MODULE = 'signalbox:web';
