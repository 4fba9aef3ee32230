import {
  apply,
  defineHidden,
  defineProperty,
  freeze,
  PromiseCtor,
  bare,
  then,
  TypeErrorCtor,
  type Callable,
} from '../intrinsics.ts';
import { AbortController, createAbortSignal } from './abort.ts';
import { decodeBase64, encodeBase64 } from './base64.ts';
import { createPerformance } from './clock.ts';
import { createConsole } from './console.ts';
import { createCrypto } from './crypto.ts';
import { DomException } from './dom-exception.ts';
import { TextDecoder, TextEncoder } from './encoding.ts';
import { Event } from './event.ts';
import { EventTarget, reject } from './event-target.ts';
import { defineOperation } from './interface.ts';
import { structuredClone } from './structured-clone.ts';
import { createTimers, installTimers, type TimerHost } from './timers.ts';
import { installUrl } from './url.ts';

/** What the globals of an isolate need from outside it. The functions are held in closures and shown to nobody. */
export interface GuestHost extends TimerHost {
  /** Takes one line of the console, of at most `LIMITS.logLineBytes`. */
  log(line: string): void;
  /** Random bytes in lower-case hex. */
  entropy(bytes: number): string;
}

/** What the code around the hook does with the globals later. */
export interface GuestGlobals {
  /** Runs the callback of a timer that is due, and throws what it throws. */
  readonly fireTimer: (id: number) => void;
  /** Forgets the timers that are pending: those of a run that is over. */
  readonly clearTimers: () => void;
}

/** Puts the names of `ADDED_GLOBALS` on an object. To be called once, before hook code exists. */
export function installGlobals(target: object, host: GuestHost): GuestGlobals {
  const timers = createTimers(host);
  installTimers(target, timers);
  installUrl(target);
  defineHidden(target, 'AbortController', AbortController);
  defineHidden(target, 'AbortSignal', createAbortSignal(timers));
  defineHidden(target, 'DOMException', DomException);
  defineHidden(target, 'Event', Event);
  defineHidden(target, 'EventTarget', EventTarget);
  defineHidden(target, 'TextDecoder', TextDecoder);
  defineHidden(target, 'TextEncoder', TextEncoder);
  defineHidden(
    target,
    'console',
    createConsole((line) => host.log(line)),
  );
  defineHidden(
    target,
    'crypto',
    createCrypto((bytes) => host.entropy(bytes)),
  );
  defineHidden(target, 'performance', createPerformance());
  defineOperation(target, 'atob', decodeBase64);
  defineOperation(target, 'btoa', encodeBase64);
  defineOperation(target, 'queueMicrotask', createMicrotasks());
  defineOperation(target, 'structuredClone', structuredClone);

  return freeze({ fireTimer: timers.fire, clearTimers: timers.clear });
}

function createMicrotasks(): (callback: unknown) => void {
  const settled = new PromiseCtor<void>((resolve) => resolve());
  // Pinned to the intrinsic Promise: see `settle`.
  defineProperty(settled, 'constructor', bare({ __proto__: null, value: undefined }));
  return (callback) => {
    if (typeof callback !== 'function') {
      throw new TypeErrorCtor('The callback of a microtask must be a function');
    }
    void then(settled, () => apply(callback as Callable, undefined, []), reject);
  };
}
