import type { AdaptedHook, Adapter, AdapterInput, HandlerEntry } from './adapter.ts';
import type { Decision } from '../decisions.ts';
import { isPoint, type Point } from '../points.ts';
import { coordinatorOf, type Coordinator } from './amplifier/coordinator.ts';
import { decisionOf } from './amplifier/decision.ts';
import { assertCustom, collectFrom, emitTo, type RunHandler } from './amplifier/emit.ts';
import { dataOf, isFiredBy, pointOf } from './amplifier/events.ts';
import { INVALID_RESPONSE, makeHookResult, readHookResult } from './amplifier/hook-result.ts';
import { plain } from './amplifier/plain-data.ts';
import { HookRegistry, isStillDue, type Registration } from './amplifier/registry.ts';

type Data = Record<string, unknown>;

/** What a handler may use besides the event, as far as the manifest's capabilities go. */
interface RunContext {
  readonly log?: (line: string) => void;
  readonly session?: { readonly id?: string };
  readonly emit?: (event: string, data: Data) => Promise<unknown>;
}

/** The handler that runs now. */
interface CurrentRun {
  readonly registration: Registration;
  readonly point: Point;
  readonly requestId: unknown;
  readonly ctx: RunContext;
}

/**
 * Amplifier's shape: `mount(coordinator, config)`, exported by name or by default, registers handlers `(event, data)`
 * at `coordinator.hooks`. Each becomes an entry of the chain; a third argument is our `ctx`.
 */
export const adaptAmplifier: Adapter = async (namespace, input) => {
  const mount = mountOf(namespace);
  if (mount === undefined) return 'the module exports no function mount(coordinator, config)';
  const desk = openDesk(input);
  await mount(desk.coordinator, input.config);
  const registrations = HookRegistry.seal(desk.registry);
  if (registrations.length === 0) {
    return 'mount registered no handler: coordinator.hooks.register(event, handler, {priority, name})';
  }
  const byId = new Map(registrations.map((each) => [`${pointOf(each.event)} ${each.id}`, each]));
  const handlers = registrations.map(({ id, event, priority }): HandlerEntry => ({
    name: id,
    point: pointOf(event),
    event,
    priority,
  }));
  const run: AdaptedHook['run'] = (...[point, payload, ctx, handler]) => {
    const registration = byId.get(`${point} ${handler}`);
    if (registration === undefined || !isPoint(point)) {
      throw new Error(`mount registered no handler "${handler}" for ${point}`);
    }
    return desk.handle(registration, { point, payload: payload as Data, ctx });
  };
  return { self: undefined, run, handlers };
};

type Mount = (coordinator: Coordinator, config: AdapterInput['config']) => unknown;

function mountOf(namespace: object): Mount | undefined {
  const { mount, default: standard } = namespace as { mount?: unknown; default?: unknown };
  const inner = (standard as { mount?: unknown } | null | undefined)?.mount;
  const found = [mount, inner, standard].find((each) => typeof each === 'function');
  return found as Mount | undefined;
}

interface Fired {
  readonly point: Point;
  readonly payload: Data;
  readonly ctx: RunContext;
}

/** The registry of one module and what runs its handlers. */
interface Desk {
  readonly registry: HookRegistry;
  readonly coordinator: Coordinator;
  readonly handle: (registration: Registration, fired: Fired) => Decision | Promise<Decision>;
}

function openDesk({ config, timers }: AdapterInput): Desk {
  let current: CurrentRun | undefined;
  let isEmitting = false;

  /** Runs handlers of the module itself for an event of its own, and lets other hooks hear it. */
  async function spread<T>(
    event: string,
    data: Data,
    each: (handlers: readonly Registration[], run: RunHandler) => Promise<T>,
  ): Promise<T> {
    assertCustom(event);
    const run = current;
    if (run === undefined) throw new Error('Events are emitted while a handler runs');
    if (isEmitting || run.point === 'event') {
      throw new Error('No event is emitted while one is handled');
    }
    if (run.ctx.emit === undefined) throw new Error('"emits:events" is not granted');
    isEmitting = true;
    try {
      const handlers = HookRegistry.snapshot(registry, event);
      const result = await each(handlers, ({ handler }, given) => handler(event, given));
      await run.ctx.emit(event, data);
      return result;
    } finally {
      isEmitting = false;
    }
  }

  const registry: HookRegistry = new HookRegistry({
    current: () => current?.registration,
    emit: (event, given) => {
      const data = plain(given);
      const defaults = HookRegistry.defaults(registry) ?? {};
      return spread(event, data, (handlers, run) => emitTo(handlers, { data, defaults, run }));
    },
    collect: (event, given, timeoutMs) => {
      const data = plain(given);
      return spread(event, data, (handlers, run) =>
        collectFrom(handlers, { data, timeoutMs, run, timers }),
      );
    },
  });

  const coordinator = coordinatorOf(registry, {
    config,
    requestId: () => current?.requestId ?? null,
    sessionId: () => current?.ctx.session?.id ?? null,
  });

  return {
    registry,
    coordinator,
    handle(registration, { point, payload, ctx }) {
      const { event } = registration;
      const log = (line: string): void => ctx.log?.(line);
      if (!isFiredBy(event, point, payload) || !isStillDue(registration)) {
        return { action: 'allow' };
      }
      registration.runs += 1;
      const defaults = HookRegistry.defaults(registry);
      const own = dataOf(event, point, payload);
      const data = defaults === undefined ? own : { ...defaults, ...own };
      current = { registration, point, requestId: data['request_id'], ctx };
      isEmitting = false;
      const answer = registration.handler(event, data, ctx);
      const conclude = (value: unknown): Decision => conclusion(value, point, log);
      return isThenable(answer) ? Promise.resolve(answer).then(conclude) : conclude(answer);
    },
  };
}

function conclusion(value: unknown, point: Point, log: (line: string) => void): Decision {
  const result = readHookResult(value);
  if (result !== undefined) return decisionOf(result, point, log);
  const denied = decisionOf(
    makeHookResult({ action: 'deny', reason: INVALID_RESPONSE }),
    point,
    () => undefined,
  );
  // Where nothing can be denied, it is a failure of the handler.
  if (denied.action !== 'block') throw new TypeError(INVALID_RESPONSE);
  return denied;
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}
