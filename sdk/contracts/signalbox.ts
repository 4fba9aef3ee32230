import type { AdaptedHook } from './adapter.ts';

type AnyFunction = (...args: unknown[]) => unknown;

/**
 * The native shape, which is Amodal's: `createHook` or the default export is a factory `(config) => {run}` or
 * `(config) => run`, a plain `{run}`, or a bare `run`; a factory may be async. A named export `run` counts as a bare `run`.
 * A function called `run`, or with two parameters or more, is a bare `run`; any other is tried as a factory, and is a
 * bare `run` after all when it gives neither a function nor an object with `run`.
 * `run` is read once, here.
 */
export function adaptSignalbox(
  namespace: object,
  config: Readonly<Record<string, unknown>>,
): AdaptedHook | string | Promise<AdaptedHook | string> {
  const exports = namespace as { createHook?: unknown; default?: unknown; run?: unknown };
  const exported = exports.createHook ?? exports.default ?? exports.run;
  if (exported === undefined) return 'the module exports no createHook, default or run';
  if (typeof exported !== 'function') {
    return (
      hookOf(exported) ??
      'createHook or the default export is neither a function nor an object with run'
    );
  }
  const factory = exported as AnyFunction;
  if (exported === exports.run || factory.name === 'run' || factory.length >= 2)
    return bare(factory);
  const made = factory(config);
  if (!isThenable(made)) return hookOf(made) ?? bareOr(exports, factory);
  return awaitHook(made, () => bareOr(exports, factory));
}

async function awaitHook(
  made: unknown,
  fallback: () => AdaptedHook | string,
): Promise<AdaptedHook | string> {
  return hookOf(await made) ?? fallback();
}

function bare(run: AnyFunction): AdaptedHook {
  return { self: undefined, run };
}

/** A default export may be a bare `run` with one parameter or none; `createHook` promises a hook. */
function bareOr(exports: { createHook?: unknown }, factory: AnyFunction): AdaptedHook | string {
  return exports.createHook === undefined
    ? bare(factory)
    : 'createHook gave neither a function nor an object with a function run';
}

function hookOf(value: unknown): AdaptedHook | undefined {
  if (typeof value === 'function') return bare(value as AnyFunction);
  if (typeof value !== 'object' || value === null) return undefined;
  const { run } = value as { run?: unknown };
  return typeof run === 'function' ? { self: value, run: run as AnyFunction } : undefined;
}

function isThenable(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as { then?: unknown }).then === 'function'
  );
}
