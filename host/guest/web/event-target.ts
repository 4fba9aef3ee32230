import {
  append,
  apply,
  deleteProperty,
  PromiseCtor,
  bare,
  TypeErrorCtor,
  type Callable,
} from '../intrinsics.ts';
import { stateOf } from './event.ts';
import { asInterface } from './interface.ts';

interface Listener {
  readonly type: string;
  readonly callback: object;
  readonly isCapture: boolean;
  readonly isOnce: boolean;
  readonly isPassive: boolean;
  isRemoved: boolean;
}

class WebEventTarget {
  #listeners: Listener[] = [];

  addEventListener(...args: readonly unknown[]): void {
    const { type, callback, isCapture } = named(args);
    const { once, passive, signal } = optionsOf(args[2]);
    if (signal !== undefined && !isTarget(signal)) {
      throw new TypeErrorCtor('The signal of a listener must be an AbortSignal');
    }
    if (callback === null || find(this.#listeners, { type, callback, isCapture }) !== undefined)
      return;
    if (signal !== undefined && (signal as { readonly aborted?: unknown }).aborted === true) return;
    const listener: Listener = {
      type,
      callback,
      isCapture,
      isOnce: !!once,
      isPassive: !!passive,
      isRemoved: false,
    };
    append(this.#listeners, listener);
    if (signal === undefined) return;
    const stop = (): void => {
      this.#listeners = without(this.#listeners, listener);
    };
    apply(addListener, signal, ['abort', stop, bare({ __proto__: null, once: true })]);
  }

  removeEventListener(...args: readonly unknown[]): void {
    const { type, callback, isCapture } = named(args);
    if (callback === null) return;
    const listener = find(this.#listeners, { type, callback, isCapture });
    if (listener !== undefined) this.#listeners = without(this.#listeners, listener);
  }

  dispatchEvent(event: unknown): boolean {
    const state = stateOf(event);
    if (state.isDispatching) throw new TypeErrorCtor('The event is being dispatched already');
    state.target = this;
    state.isDispatching = true;
    // Listeners that are added meanwhile wait for the next event: this list's length is read once.
    const listeners = this.#listeners;
    const count = listeners.length;
    for (let index = 0; index < count && !state.isStopped; index += 1) {
      const listener = listeners[index] as Listener;
      if (listener.type !== state.type || listener.isRemoved) continue;
      if (listener.isOnce) this.#listeners = without(this.#listeners, listener);
      state.isPassive = listener.isPassive;
      invoke(listener.callback, this, event);
    }
    state.isDispatching = false;
    state.isPassive = false;
    state.isPropagationStopped = false;
    state.isStopped = false;
    return !state.isCancelled;
  }

  static isTarget(value: unknown): boolean {
    return typeof value === 'object' && value !== null && #listeners in value;
  }
}

const addListener = WebEventTarget.prototype.addEventListener;
const isTarget = WebEventTarget.isTarget;
deleteProperty(WebEventTarget, 'isTarget');

/** `EventTarget` of the isolate. A listener that throws ends nothing: see {@link reject}. */
export const EventTarget = asInterface('EventTarget', WebEventTarget);

/** Makes an error that nobody can catch fail the run, as a rejection that nobody handled. */
export function reject(error: unknown): void {
  // The reason is whatever was thrown.
  // oxlint-disable-next-line typescript/prefer-promise-reject-errors
  void new PromiseCtor((_resolve, refuse) => refuse(error));
}

function invoke(callback: object, target: object, event: unknown): void {
  try {
    if (typeof callback === 'function') {
      apply(callback as Callable, target, [event] as never[]);
    } else {
      const { handleEvent } = callback as { readonly handleEvent: Callable };
      apply(handleEvent, callback, [event] as never[]);
    }
  } catch (error) {
    reject(error);
  }
}

type Key = Pick<Listener, 'type' | 'isCapture'> & { readonly callback: object | null };

function named(args: readonly unknown[]): Key {
  if (args.length < 2) throw new TypeErrorCtor('A listener needs a type and a callback');
  const callback = (args[1] ?? null) as object | null;
  if (typeof callback !== 'object' && typeof callback !== 'function') {
    throw new TypeErrorCtor('A listener must be a function or an object with handleEvent');
  }
  const { capture } = optionsOf(args[2]);
  return { type: `${args[0] as string}`, callback, isCapture: !!capture };
}

/** The options of a listener; `true` in their place means capture. */
function optionsOf(options: unknown): Readonly<Record<string, unknown>> {
  if ((typeof options === 'object' && options !== null) || typeof options === 'function') {
    return options as Readonly<Record<string, unknown>>;
  }
  return bare({ __proto__: null, capture: options });
}

function find(listeners: readonly Listener[], key: Key): Listener | undefined {
  for (let index = 0; index < listeners.length; index += 1) {
    const listener = listeners[index] as Listener;
    const isSame = listener.callback === key.callback && listener.isCapture === key.isCapture;
    if (isSame && listener.type === key.type) return listener;
  }
  return undefined;
}

/** The list without one of its listeners, which also stops for a dispatch that is walking the old list. */
function without(listeners: readonly Listener[], gone: Listener): Listener[] {
  gone.isRemoved = true;
  const kept: Listener[] = [];
  for (let index = 0; index < listeners.length; index += 1) {
    const listener = listeners[index] as Listener;
    if (listener !== gone) append(kept, listener);
  }
  return kept;
}
