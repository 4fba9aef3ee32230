import { WEB_MODULE } from '../../sdk/globals.ts';
import type { Contracts } from '../../sdk/contracts.ts';
import { adaptSignalbox } from '../../sdk/contracts/signalbox.ts';
import { hardenGlobals } from './harden.ts';
import { apply, defineHidden } from './intrinsics.ts';
import type { Native } from './native.ts';
import { createRunner, type Runner } from './runner.ts';
import type { Web, makeWeb } from './web-entry.ts';

/** The functions of a booted isolate that its process holds references to. */
export interface IsolateApi extends Pick<Runner, 'start' | 'run' | 'deliver'> {
  /**
   * Makes the web names and leaves the function that gives them on the global object, under the name of their module:
   * that module takes it away again before the hook's own is evaluated.
   */
  readonly attachWeb: (make: typeof makeWeb) => void;
  /** Takes the other contracts, before the hook's module is evaluated. */
  readonly attachContracts: (contracts: Contracts) => void;
}

/** What a process lends to an isolate. */
type Lent = [
  settle: Native['settle'],
  bridge: Native['bridge'],
  log: Native['log'],
  entropy: Native['entropy'],
];

/**
 * Prepares a bare isolate: captures intrinsics (by being evaluated), hardens the globals, makes the runner. What it is
 * handed stays in closures; nothing of it is put on the global object.
 */
export function boot(...[settle, bridge, log, entropy]: Lent): IsolateApi {
  const runner = createRunner({ settle, bridge, log, entropy }, NATIVE);
  hardenGlobals(globalThis);
  const attachWeb = (make: typeof makeWeb): void => {
    const web: Web = make({
      log: runner.log,
      setTimer: (ms, isRepeating) => runner.setTimer(ms, isRepeating, (id) => web.fireTimer(id)),
      clearTimer: runner.clearTimer,
      entropy: (bytes) => apply(entropy, undefined, [bytes]),
    });
    runner.beforeRun(web.clearTimers);
    defineHidden(globalThis, WEB_MODULE, web.named);
  };
  const { start, run, deliver, useContracts } = runner;
  return { start, run, deliver, attachWeb, attachContracts: useContracts };
}

/** The native shape, which most hooks have: the other contracts take time to come up. */
const NATIVE: Contracts = {
  adaptModule: (contract, namespace, { config }) =>
    contract === 'signalbox'
      ? adaptSignalbox(namespace, config)
      : `the contract "${contract}" is not supported`,
  refusalIn: () => undefined,
};
