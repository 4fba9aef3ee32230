import { adaptSignalbox } from './contracts/signalbox.ts';

/** A hook made ready to run: `run` is called with `self` as `this`. */
export interface AdaptedHook {
  readonly self: unknown;
  readonly run: (point: string, payload: object, ctx: object) => unknown;
}

/** Turns the namespace of an evaluated module into a hook, or says in words why it is none; may be a promise of that. */
export type Adapter = (
  namespace: object,
  config: Readonly<Record<string, unknown>>,
) => AdaptedHook | string | Promise<AdaptedHook | string>;

/** Makes a hook from a module by the contract that its manifest names. Runs inside the sandbox. */
export function adaptModule(
  contract: string,
  namespace: object,
  config: Readonly<Record<string, unknown>>,
): AdaptedHook | string | Promise<AdaptedHook | string> {
  switch (contract) {
    case 'signalbox':
      return adaptSignalbox(namespace, config);
    default:
      return `the contract "${contract}" is not supported`;
  }
}
