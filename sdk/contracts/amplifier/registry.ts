import { EVENT_CONSTANTS, isEventName, pointOf } from './events.ts';

type Data = Record<string, unknown>;

/** A handler as a module writes it. */
export type Handler = (event: string, data: Data, ctx?: object) => unknown;

/** A handler that a module registered. */
export interface Registration {
  /** Unique among the handlers of one point. */
  readonly id: string;
  readonly event: string;
  readonly name: string;
  readonly handler: Handler;
  readonly priority: number;
  /** How often it was asked to run. */
  runs: number;
  removal?: Removal;
}

/** When a handler was removed, told by what ran then: the event in progress still has it. */
interface Removal {
  readonly during: Registration | undefined;
  readonly runs: number;
  readonly ownRuns: number;
}

/** How the sandbox carries out what a registry alone cannot. */
export interface RegistryPorts {
  /** Emits a custom event and resolves to the result of its handlers. */
  readonly emit: (event: string, data: Data) => Promise<object>;
  readonly collect: (event: string, data: Data, timeoutMs: number) => Promise<Data[]>;
  /** The handler that runs now. */
  readonly current: () => Registration | undefined;
}

interface Options {
  readonly priority?: unknown;
  readonly name?: unknown;
}

const NAME = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,119}$/;

/** What `coordinator.hooks` is. Handlers are registered while `mount` runs: the chain is made from them then. */
export class HookRegistry {
  // Its own, so that a bundler that shortens names does not change it.
  static readonly name = 'HookRegistry';
  static readonly SESSION_START = EVENT_CONSTANTS.SESSION_START;
  static readonly SESSION_END = EVENT_CONSTANTS.SESSION_END;
  static readonly PROMPT_SUBMIT = EVENT_CONSTANTS.PROMPT_SUBMIT;
  static readonly TOOL_PRE = EVENT_CONSTANTS.TOOL_PRE;
  static readonly TOOL_POST = EVENT_CONSTANTS.TOOL_POST;
  static readonly CONTEXT_PRE_COMPACT = EVENT_CONSTANTS.CONTEXT_PRE_COMPACT;
  static readonly ORCHESTRATOR_COMPLETE = EVENT_CONSTANTS.ORCHESTRATOR_COMPLETE;
  static readonly USER_NOTIFICATION = EVENT_CONSTANTS.USER_NOTIFICATION;

  readonly #ports: RegistryPorts;
  #registrations: readonly Registration[] = [];
  #defaults: Data | undefined;
  #isMounted = false;

  constructor(ports: RegistryPorts) {
    this.#ports = ports;
    Object.assign(this, EVENT_CONSTANTS);
  }

  /**
   * Registers a handler and returns what removes it again. Takes `(event, handler, priority, name)`,
   * `(event, handler, {priority, name})` or `{event, handler, priority, name}`. Throws outside of `mount`.
   */
  register(...call: readonly unknown[]): () => void {
    const { event, handler, priority, name } = argumentsOf(call);
    if (this.#isMounted) throw new Error('Handlers are registered while mount runs');
    if (typeof event !== 'string' || !isEventName(event)) {
      throw new TypeError(`"${String(event)}" is no event: a name is "namespace:action"`);
    }
    if (typeof handler !== 'function') {
      throw new TypeError(`The handler of "${event}" is not a function (event, data)`);
    }
    if (typeof priority !== 'number' || !Number.isFinite(priority)) {
      throw new TypeError(`The priority of the handler of "${event}" is no number`);
    }
    if (name !== undefined && name !== null && (typeof name !== 'string' || !NAME.test(name))) {
      throw new TypeError(`The name of the handler of "${event}" must be a plain word`);
    }
    const known = this.#registrations;
    const chosen = typeof name === 'string' ? name : nameOf(handler as Handler, known.length + 1);
    const registration: Registration = {
      id: freeId(chosen, event, known),
      event,
      name: chosen,
      handler: handler as Handler,
      priority,
      runs: 0,
    };
    this.#registrations = [...known, registration];
    return () => this.#remove(registration);
  }

  /** The same as {@link register}. */
  on(...call: readonly unknown[]): () => void {
    return this.register(...call);
  }

  /** Removes every handler of a name. */
  unregister(name: string): void {
    for (const each of this.#registrations) if (each.name === name) this.#remove(each);
  }

  /** Event → names of its handlers in the order they run; with an event, that key alone. */
  list_handlers(event?: string): Record<string, string[]> {
    const listed: Record<string, string[]> = event === undefined ? {} : { [event]: [] };
    for (const each of byPriority(this.#registrations)) {
      if (each.removal !== undefined || (event !== undefined && each.event !== event)) continue;
      (listed[each.event] ??= []).push(each.name);
    }
    return listed;
  }

  /** Values that every event's data starts from; replaces those set before. */
  set_default_fields(defaults: Data = {}): void {
    this.#defaults = { ...defaults };
  }

  async emit(event: string, data: Data = {}): Promise<object> {
    return this.#ports.emit(event, data);
  }

  /** The data that each of the hook's own handlers of a custom event answers with; `timeout` in seconds, of each. */
  async emit_and_collect(event: string, data: Data = {}, timeout: unknown = 1): Promise<Data[]> {
    const given = typeof timeout === 'object' && timeout !== null ? timeout : { timeout };
    const seconds = Number((given as { timeout?: unknown }).timeout ?? 1);
    return this.#ports.collect(event, data, Math.max(0, seconds) * 1000);
  }

  /** For the sandbox: ends registering, and gives what is registered. */
  static seal(registry: HookRegistry): readonly Registration[] {
    registry.#isMounted = true;
    return registry.#registrations.filter(({ removal }) => removal === undefined);
  }

  /** For the sandbox: the handlers that an event starts with, in the order they run. */
  static snapshot(registry: HookRegistry, event: string): readonly Registration[] {
    return byPriority(registry.#registrations).filter(
      (each) => each.event === event && each.removal === undefined,
    );
  }

  /** For the sandbox: what every event's data starts from, if anything was set. */
  static defaults(registry: HookRegistry): Readonly<Data> | undefined {
    return registry.#defaults;
  }

  #remove(registration: Registration): void {
    if (registration.removal !== undefined) return;
    const during = this.#ports.current();
    registration.removal = { during, runs: during?.runs ?? 0, ownRuns: registration.runs };
  }
}

/** Whether a handler runs although it was removed: the one that did so runs before it in the event in progress. */
export function isStillDue({ removal, event, priority, runs }: Registration): boolean {
  if (removal === undefined) return true;
  const { during } = removal;
  return (
    during !== undefined &&
    during.event === event &&
    during.priority <= priority &&
    during.runs === removal.runs &&
    runs === removal.ownRuns
  );
}

function byPriority(registrations: readonly Registration[]): Registration[] {
  return registrations.toSorted((a, b) => a.priority - b.priority);
}

interface Given {
  readonly event?: unknown;
  readonly handler?: unknown;
  readonly priority: unknown;
  readonly name?: unknown;
}

function argumentsOf([event, handler, third, fourth]: readonly unknown[]): Given {
  if (typeof event === 'object' && event !== null) {
    const given = event as Given;
    return { ...given, priority: given.priority ?? 0 };
  }
  if (typeof third === 'object' && third !== null) {
    const { priority = 0, name } = third as Options;
    return { event, handler, priority, name };
  }
  return { event, handler, priority: third ?? 0, name: fourth };
}

function nameOf(handler: Handler, count: number): string {
  const own = handler.name.replace(/^bound /, '').replace(/[^A-Za-z0-9._-]/g, '-');
  return NAME.test(own) ? own : `handler-${count}`;
}

/** Two handlers of one name at one point are told apart by a number. */
function freeId(name: string, event: string, known: readonly Registration[]): string {
  const taken = new Set(
    known.filter((each) => pointOf(each.event) === pointOf(event)).map(({ id }) => id),
  );
  for (let count = 2, id = name; ; id = `${name}-${count}`, count += 1) {
    if (!taken.has(id)) return id;
  }
}
