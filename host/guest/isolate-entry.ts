import { apply } from './intrinsics.ts';
import type { Native } from './native.ts';
import { createRunner, type Runner } from './runner.ts';
import { installGlobals } from './web/install.ts';

/** The functions of a booted isolate that its process holds references to. */
export type IsolateApi = Pick<Runner, 'start' | 'run' | 'deliver'>;

/**
 * Prepares a bare isolate: captures intrinsics (by being evaluated), adds and removes globals, makes the runner. What
 * it is handed stays in closures; nothing of it is put on the global object.
 */
export function boot(
  settle: (sealed: string) => void,
  bridge: (seq: number, text: string) => void,
  log: (line: string) => void,
  entropy: (bytes: number) => string,
): IsolateApi {
  const native: Native = { settle, bridge, log, entropy };
  const runner = createRunner(native);
  const timers = installGlobals(globalThis, {
    log: runner.log,
    setTimer: (ms, isRepeating) => runner.setTimer(ms, isRepeating, (id) => timers.fireTimer(id)),
    clearTimer: runner.clearTimer,
    entropy: (bytes) => apply(entropy, undefined, [bytes]),
  });
  return { start: runner.start, run: runner.run, deliver: runner.deliver };
}
