import type { Timers } from '../adapter.ts';
import { AMPLIFIER_EVENTS, isEventName, stampOf } from './events.ts';
import {
  INVALID_RESPONSE,
  makeHookResult,
  readHookResult,
  type HookResult,
} from './hook-result.ts';
import { plain } from './plain-data.ts';
import type { Registration } from './registry.ts';

type Data = Record<string, unknown>;

/** Runs one handler as part of an emit. */
export type RunHandler = (registration: Registration, data: Data) => unknown;

/** Throws for an event that no hook may emit: the loop's own, and what is no event. */
export function assertCustom(event: unknown): asserts event is string {
  if (typeof event !== 'string' || !isEventName(event)) {
    throw new TypeError(`"${String(event)}" is no event: a name is "namespace:action"`);
  }
  if (AMPLIFIER_EVENTS.includes(event)) {
    throw new Error(`"${event}" is the loop's own event: a hook emits custom ones`);
  }
}

/**
 * Runs handlers one after the other and combines what they answer: deny at once, then the first `ask_user`, then the
 * injections, then the data as the last `modify` left it. An error passes to the next handler.
 */
export async function emitTo(
  handlers: readonly Registration[],
  given: { readonly data: Data; readonly defaults: Data; readonly run: RunHandler },
): Promise<HookResult> {
  if (handlers.length === 0) return makeHookResult({ data: given.data });
  let data: Data = { ...given.defaults, ...plain(given.data), timestamp: stampOf(undefined) };
  let ask: HookResult | undefined;
  const injections: HookResult[] = [];
  for (const registration of handlers) {
    let answer: unknown;
    try {
      answer = await given.run(registration, plain(data));
    } catch {
      continue;
    }
    const result = readHookResult(answer);
    if (result === undefined) return makeHookResult({ action: 'deny', reason: INVALID_RESPONSE });
    if (result.action === 'deny') return result;
    if (result.action === 'ask_user') ask ??= result;
    if (result.action === 'inject_context' && result.context_injection !== null) {
      injections.push(result);
    }
    if (result.action === 'modify' && result.data !== null) data = plain(result.data);
  }
  if (ask !== undefined) return { ...ask, data };
  const [first] = injections;
  if (first === undefined) return makeHookResult({ data });
  return { ...merged(first, injections), data };
}

/** The data that handlers answer with, whatever their actions are; what takes longer than `timeoutMs` is left out. */
export async function collectFrom(
  handlers: readonly Registration[],
  given: {
    readonly data: Data;
    readonly timeoutMs: number;
    readonly run: RunHandler;
    readonly timers: Timers;
  },
): Promise<Data[]> {
  const collected: Data[] = [];
  for (const registration of handlers) {
    try {
      const running = given.run(registration, plain(given.data));
      const result = readHookResult(await within(running, given));
      if (result !== undefined && result.data !== null) collected.push(plain(result.data));
    } catch {
      // An error or a timeout: it has nothing to say.
    }
  }
  return collected;
}

/** Several injections as one: their texts a blank line apart, what they say of themselves from the first. */
function merged(first: HookResult, injections: readonly HookResult[]): HookResult {
  return {
    ...first,
    context_injection: injections.map((each) => each.context_injection).join('\n\n'),
    ephemeral: injections.some((each) => each.ephemeral),
    append_to_last_tool_result: injections.some((each) => each.append_to_last_tool_result),
  };
}

async function within(
  running: unknown,
  { timeoutMs, timers }: { readonly timeoutMs: number; readonly timers: Timers },
): Promise<unknown> {
  const late = Promise.withResolvers<never>();
  const timer = timers.set(timeoutMs, () => late.reject(new Error('It took too long')));
  try {
    return await Promise.race([running, late.promise]);
  } finally {
    timers.clear(timer);
  }
}
