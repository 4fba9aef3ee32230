import { now, bare, TypeErrorCtor } from '../intrinsics.ts';
import { asInterface, defineConstant } from './interface.ts';

/** What happens to an event while a target dispatches it. */
export interface EventState {
  readonly type: string;
  readonly isCancelable: boolean;
  target: object | null;
  isDispatching: boolean;
  isCancelled: boolean;
  isPassive: boolean;
  isPropagationStopped: boolean;
  isStopped: boolean;
}

const PHASES = { none: 0, atTarget: 2 };

/** The state of an event, past anything that its realm can rewrite. Throws for what is no event. */
export const stateOf = (event: unknown): EventState => access(event);
let access: (event: unknown) => EventState;

class WebEvent {
  readonly #state: EventState;
  readonly #isBubbling: boolean;
  readonly #isComposed: boolean;
  readonly #createdMs = now();

  constructor(...args: readonly unknown[]) {
    if (args.length === 0) throw new TypeErrorCtor('An Event needs a type');
    const type = `${args[0] as string}`;
    const options = args[1] ?? bare({ __proto__: null });
    if (typeof options !== 'object' && typeof options !== 'function') {
      throw new TypeErrorCtor('The options of an Event must be an object');
    }
    const { bubbles, cancelable, composed } = options as Readonly<Record<string, unknown>>;
    this.#isBubbling = !!bubbles;
    this.#isComposed = !!composed;
    this.#state = {
      type,
      isCancelable: !!cancelable,
      target: null,
      isDispatching: false,
      isCancelled: false,
      isPassive: false,
      isPropagationStopped: false,
      isStopped: false,
    };
  }

  static {
    access = (event) => {
      if (typeof event !== 'object' || event === null || !(#state in event)) {
        throw new TypeErrorCtor('The event must be an Event');
      }
      return event.#state;
    };
  }

  get type(): string {
    return this.#state.type;
  }
  get target(): object | null {
    return this.#state.target;
  }
  get srcElement(): object | null {
    return this.#state.target;
  }
  get currentTarget(): object | null {
    return this.#state.isDispatching ? this.#state.target : null;
  }
  get eventPhase(): number {
    return this.#state.isDispatching ? PHASES.atTarget : PHASES.none;
  }
  get bubbles(): boolean {
    return this.#isBubbling;
  }
  get cancelable(): boolean {
    return this.#state.isCancelable;
  }
  get composed(): boolean {
    return this.#isComposed;
  }
  get defaultPrevented(): boolean {
    return this.#state.isCancelled;
  }
  get returnValue(): boolean {
    return !this.#state.isCancelled;
  }
  get cancelBubble(): boolean {
    return this.#state.isPropagationStopped;
  }
  set cancelBubble(value: unknown) {
    if (value) this.#state.isPropagationStopped = true;
  }
  get isTrusted(): boolean {
    return false;
  }
  get timeStamp(): number {
    return this.#createdMs;
  }
  composedPath(): object[] {
    const { isDispatching, target } = this.#state;
    return isDispatching && target !== null ? [target] : [];
  }
  stopPropagation(): void {
    this.#state.isPropagationStopped = true;
  }
  stopImmediatePropagation(): void {
    this.#state.isPropagationStopped = true;
    this.#state.isStopped = true;
  }
  preventDefault(): void {
    const state = this.#state;
    if (state.isCancelable && !state.isPassive) state.isCancelled = true;
  }
}

/** `Event` of the isolate. There is no tree: an event is only ever at its target. */
export const Event = asInterface('Event', WebEvent);
defineConstant(Event, 'NONE', 0);
defineConstant(Event, 'CAPTURING_PHASE', 1);
defineConstant(Event, 'AT_TARGET', 2);
defineConstant(Event, 'BUBBLING_PHASE', 3);
