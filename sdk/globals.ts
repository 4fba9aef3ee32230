/** Global names of ECMAScript that the isolate does not have: each lets code wait, share or outgrow its limits. */
export const REMOVED_GLOBALS = [
  'WebAssembly',
  'SharedArrayBuffer',
  'Atomics',
  'FinalizationRegistry',
  'WeakRef',
] as const;

/** Global names that a hook in an isolate finds beside ECMAScript: the authority-free part of the WinterTC minimum common API. */
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
