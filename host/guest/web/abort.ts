import { append, apply, TypeErrorCtor } from '../intrinsics.ts';
import { DomException } from './dom-exception.ts';
import { Event } from './event.ts';
import { EventTarget } from './event-target.ts';
import { asInterface, defineOperation } from './interface.ts';
import type { Timers } from './timers.ts';

const { addEventListener, dispatchEvent } = EventTarget.prototype;

/** Whoever holds it makes signals; it never leaves this file. */
const KEY = Symbol('signal');

interface SignalState {
  isAborted: boolean;
  reason: unknown;
  onabort: unknown;
  isHandled: boolean;
  /** Signals made by `AbortSignal.any` that follow this one. */
  followers: WebAbortSignal[];
}

let access: (signal: unknown) => SignalState;

class WebAbortSignal extends EventTarget {
  readonly #state: SignalState;

  constructor(key?: unknown) {
    if (key !== KEY) throw new TypeErrorCtor('Illegal constructor');
    super();
    this.#state = {
      isAborted: false,
      reason: undefined,
      onabort: null,
      isHandled: false,
      followers: [],
    };
  }

  static {
    access = (signal) => {
      if (typeof signal !== 'object' || signal === null || !(#state in signal)) {
        throw new TypeErrorCtor('The signal must be an AbortSignal');
      }
      return signal.#state;
    };
  }

  static abort(reason?: unknown): WebAbortSignal {
    const signal = new WebAbortSignal(KEY);
    abort(signal, reason);
    return signal;
  }

  static any(signals: Iterable<unknown>): WebAbortSignal {
    const following = new WebAbortSignal(KEY);
    // The caller's own iterable, asked as the web has it.
    for (const signal of signals) {
      const state = access(signal);
      if (access(following).isAborted) continue;
      if (state.isAborted) abort(following, state.reason);
      else append(state.followers, following);
    }
    return following;
  }

  get aborted(): boolean {
    return this.#state.isAborted;
  }
  get reason(): unknown {
    return this.#state.reason;
  }
  get onabort(): unknown {
    return this.#state.onabort;
  }
  set onabort(handler: unknown) {
    const state = this.#state;
    state.onabort = typeof handler === 'function' ? handler : null;
    if (state.isHandled || state.onabort === null) return;
    state.isHandled = true;
    const call = (event: unknown): void => {
      if (typeof state.onabort === 'function')
        apply(state.onabort as never, this, [event] as never);
    };
    apply(addEventListener, this, ['abort', call]);
  }
  throwIfAborted(): void {
    // The reason is whatever the one who aborts chose.
    // oxlint-disable-next-line typescript/only-throw-error
    if (this.#state.isAborted) throw this.#state.reason;
  }
}

class WebAbortController {
  readonly #signal = new WebAbortSignal(KEY);

  get signal(): WebAbortSignal {
    return this.#signal;
  }
  abort(reason?: unknown): void {
    abort(this.#signal, reason);
  }
}

/** `AbortController` of the isolate. */
export const AbortController = asInterface('AbortController', WebAbortController);

/** `AbortSignal` of the isolate, with `timeout` on its timers. */
export function createAbortSignal(timers: Timers): typeof WebAbortSignal {
  const timeout = (ms: unknown): WebAbortSignal => {
    if (typeof ms !== 'number' || !(ms >= 0)) {
      throw new TypeErrorCtor('AbortSignal.timeout needs milliseconds from 0');
    }
    const signal = new WebAbortSignal(KEY);
    const callback = (): void =>
      abort(signal, new DomException('The operation was aborted due to timeout', 'TimeoutError'));
    timers.start({ callback, args: [], isRepeating: false }, ms);
    return signal;
  };
  defineOperation(WebAbortSignal, 'timeout', timeout);
  return asInterface('AbortSignal', WebAbortSignal);
}

/** All of the signals that follow are aborted before the first listener hears of it. */
function abort(signal: WebAbortSignal, reason: unknown): void {
  const aborted: WebAbortSignal[] = [];
  mark(signal, reasonOf(reason), aborted);
  for (let index = 0; index < aborted.length; index += 1) {
    apply(dispatchEvent, aborted[index], [new Event('abort')]);
  }
}

function mark(signal: WebAbortSignal, reason: unknown, aborted: WebAbortSignal[]): void {
  const state = access(signal);
  if (state.isAborted) return;
  state.isAborted = true;
  state.reason = reason;
  append(aborted, signal);
  const { followers } = state;
  state.followers = [];
  for (let index = 0; index < followers.length; index += 1) {
    mark(followers[index] as WebAbortSignal, reason, aborted);
  }
}

function reasonOf(reason: unknown): unknown {
  return reason === undefined
    ? new DomException('This operation was aborted', 'AbortError')
    : reason;
}
