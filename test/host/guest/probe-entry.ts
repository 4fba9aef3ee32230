import { hardenGlobals } from '../../../host/guest/harden.ts';
import { installGlobals } from '../../../host/guest/web/install.ts';

/** What the probe's process lends to an isolate. */
type Lent = [
  log: (line: string) => void,
  setTimer: (ms: number, repeat: boolean) => number,
  clearTimer: (id: number) => void,
  entropy: (bytes: number) => string,
];

/** Installs the globals in the isolate that evaluates this, and hands back how its timers are fired. */
export function boot(...[log, setTimer, clearTimer, entropy]: Lent): (id: number) => void {
  hardenGlobals(globalThis);
  return installGlobals(globalThis, { log, setTimer, clearTimer, entropy }).fireTimer;
}
