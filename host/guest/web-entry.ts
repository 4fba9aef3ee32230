import { create, getProperty } from './intrinsics.ts';
import { installGlobals, type GuestGlobals, type GuestHost } from './web/install.ts';

/** The web names as a bundle asks for them, one by one: what nobody names never comes up. */
export interface Web extends GuestGlobals {
  /** The value of a global, or of a method of the console as `console.log`. */
  readonly named: (name: string) => unknown;
}

/** Makes the names of the web for one isolate. Evaluated there on demand, before hook code exists. */
export function makeWeb(host: GuestHost): Web {
  const target = create(null) as object;
  const { fireTimer, clearTimers } = installGlobals(target, host);
  const console = getProperty(target, 'console') as object;
  const named = (name: string): unknown => {
    const method = name.startsWith('console.') ? name.slice('console.'.length) : undefined;
    return method === undefined ? getProperty(target, name) : getProperty(console, method);
  };
  return { named, fireTimer, clearTimers };
}
