import { LIMITS } from '../../../sdk/limits.ts';
import {
  apply,
  mapClear,
  MapCtor,
  mapDelete,
  mapGet,
  mapSet,
  mapSize,
  TypeErrorCtor,
  type Callable,
} from '../intrinsics.ts';
import { DomException } from './dom-exception.ts';
import { defineOperation } from './interface.ts';

/** The clock of the host, of which a timer asks to be called back. */
export interface TimerHost {
  setTimer(ms: number, repeat: boolean): number;
  clearTimer(id: number): void;
}

interface Timer {
  readonly callback: Callable;
  readonly args: readonly unknown[];
  readonly isRepeating: boolean;
}

/** Timers of an isolate. */
export interface Timers {
  /** Starts a timer and returns its id. */
  start(timer: Timer, delay: unknown): number;
  /** Stops a timer; an id that is not pending is ignored. */
  stop(id: unknown): void;
  /** Runs the callback of a timer that is due. Throws what the callback throws. */
  fire(id: number): void;
  /** Forgets all timers. */
  clear(): void;
}

/** The longest delay that a timer of the host keeps, 2^31 - 1; a longer one would fire at once. */
const MAX_DELAY_MS = 2_147_483_647;

/** Makes the timers of an isolate: at most `LIMITS.timers` pending, each held by its number alone. */
export function createTimers(host: TimerHost): Timers {
  const pending = new MapCtor<number, Timer>();
  return {
    start(timer: Timer, delay: unknown): number {
      if (typeof timer.callback !== 'function') {
        throw new TypeErrorCtor('The callback of a timer must be a function');
      }
      if (mapSize(pending) >= LIMITS.timers) {
        throw new DomException(
          `More than ${LIMITS.timers} timers are pending`,
          'QuotaExceededError',
        );
      }
      const id = host.setTimer(delayOf(delay), timer.isRepeating);
      mapSet(pending, id, timer);
      return id;
    },
    stop(id: unknown): void {
      // Text of a number, as an id that went through JSON or a property name.
      const number = typeof id === 'string' ? +id : id;
      if (typeof number === 'number' && mapDelete(pending, number)) host.clearTimer(number);
    },
    fire(id: number): void {
      const timer = mapGet(pending, id);
      if (timer === undefined) return;
      if (!timer.isRepeating) mapDelete(pending, id);
      apply(timer.callback, undefined, timer.args as never[]);
    },
    clear(): void {
      mapClear(pending);
    },
  };
}

/** Defines `setTimeout`, `setInterval` and what stops them. */
export function installTimers(target: object, timers: Timers): void {
  const starter =
    (isRepeating: boolean) =>
    (callback: Callable, delay?: unknown, ...args: unknown[]): number =>
      timers.start({ callback, args, isRepeating }, delay);
  const stop = (id?: unknown): void => timers.stop(id);
  defineOperation(target, 'setTimeout', starter(false));
  defineOperation(target, 'setInterval', starter(true));
  defineOperation(target, 'clearTimeout', stop);
  defineOperation(target, 'clearInterval', (id?: unknown): void => timers.stop(id));
}

/** A delay in whole milliseconds, from 1. */
function delayOf(delay: unknown): number {
  // Conversion as the web has it: text of a number counts, an object is asked.
  const ms = +(delay as number);
  if (!(ms >= 1)) return 1;
  return ms > MAX_DELAY_MS ? MAX_DELAY_MS : ms - (ms % 1);
}
