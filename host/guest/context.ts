import { LIMITS } from '../../sdk/limits.ts';
import {
  apply,
  defineProperty,
  deferred,
  enumerableKeys,
  ErrorCtor,
  freeze,
  isArray,
  mapClear,
  mapDelete,
  mapGet,
  mapSet,
  MapCtor,
  parse,
  record,
  stringIndexOf,
  stringify,
  stringSlice,
  type Deferred,
} from './intrinsics.ts';
import type { Native } from './native.ts';
import { fetchWith } from './response.ts';

/** One run or load in progress: what it waits for, and whether it may still act. */
export interface Activity {
  isOpen: boolean;
  logLines: number;
  readonly waiting: Map<number, Deferred<unknown> | (() => void)>;
}

/** A fresh activity. */
export function openActivity(): Activity {
  return { isOpen: true, logLines: 0, waiting: new MapCtor() };
}

/** Ends an activity: what it waits for never comes, and its `ctx` does nothing more. */
export function closeActivity(activity: Activity): void {
  activity.isOpen = false;
  mapClear(activity.waiting);
}

/** Hands an answer of the host to what waits for it. */
export function deliverTo(activity: Activity, seq: number, text: string): void {
  const waiter = mapGet(activity.waiting, seq);
  if (waiter === undefined) return;
  mapDelete(activity.waiting, seq);
  if (typeof waiter === 'function') return waiter();
  const answer = parse(text) as {
    ok?: unknown;
    value?: unknown;
    code?: unknown;
    message?: unknown;
  };
  if (answer.ok === true) waiter.resolve(answer.value ?? null);
  else waiter.reject(bridgeError(String(answer.code), String(answer.message)));
}

/** Names of bridge methods by the object of `ctx` that holds them; `''` for methods of `ctx` itself. */
const METHODS: Readonly<Record<string, readonly string[]>> = {
  store: ['get', 'query', 'put', 'delete'],
};
const FUNCTIONS = ['fetch', 'secret', 'llm', 'emit', 'loadAgent'] as const;
const GROUPS = enumerableKeys(METHODS);

/** The way from a run's `ctx` to the sandbox. */
export interface ContextPort {
  readonly activity: Activity;
  readonly native: Native;
  readonly nextSeq: () => number;
}

/** Makes the frozen `ctx` of one run: data of the host, `log`, and the bridges that `ops` (comma-separated) names. */
export function makeContext(
  port: ContextPort,
  data: Readonly<Record<string, unknown>>,
  ops: string,
): object {
  const listed = `,${ops},`;
  const call =
    (op: string) =>
    (...args: unknown[]): Promise<unknown> =>
      startCall(port, op, args);
  const ctx: Record<string, unknown> = {
    ...data,
    log: (...parts: unknown[]): void => writeLog(port, parts),
  };
  for (let index = 0; index < FUNCTIONS.length; index += 1) {
    const name = FUNCTIONS[index] as string;
    if (stringIndexOf(listed, `,${name},`) < 0) continue;
    define(ctx, name, name === 'fetch' ? fetchWith(call(name)) : call(name));
  }
  for (let index = 0; index < GROUPS.length; index += 1) {
    const group = GROUPS[index] as string;
    if (stringIndexOf(listed, `,${group}.`) < 0) continue;
    const methods = METHODS[group] as readonly string[];
    const bridge: Record<string, unknown> = {};
    // Every method of the group is there: one that is not granted is refused by name, not by a TypeError.
    for (let at = 0; at < methods.length; at += 1) {
      define(bridge, methods[at] as string, call(`${group}.${methods[at] as string}`));
    }
    define(ctx, group, freeze(bridge));
  }
  return freeze(ctx);
}

function define(target: object, name: string, value: unknown): void {
  defineProperty(
    target,
    name,
    record({ value, enumerable: true, writable: false, configurable: false }),
  );
}

function startCall(
  { activity, native, nextSeq }: ContextPort,
  op: string,
  args: readonly unknown[],
): Promise<unknown> {
  const { promise, resolve, reject } = deferred<unknown>();
  const text = activity.isOpen ? argumentText(op, args) : undefined;
  if (text === undefined) {
    reject(
      activity.isOpen
        ? bridgeError(
            'invalid',
            `The arguments of ${op} must be text and plain JSON of a moderate size`,
          )
        : bridgeError('unavailable', 'This ctx belongs to a run that is over'),
    );
    return promise;
  }
  const seq = nextSeq();
  mapSet(activity.waiting, seq, record({ promise, resolve, reject }));
  apply(native.bridge, undefined, [seq, text]);
  return promise;
}

/** Bytes of arguments that may cross; the bridge on the other side has tighter limits by op. */
const ARGUMENT_CHARS = LIMITS.storeValueBytes + 4096;

/** The arguments as JSON text, made once, here; `undefined` when one is no plain data. */
function argumentText(op: string, args: readonly unknown[]): string | undefined {
  try {
    let text = stringify(op);
    for (let index = 0; index < args.length && index < 4; index += 1) {
      const part = isPlainArgument(args[index])
        ? (stringify(args[index]) as string | undefined)
        : undefined;
      text += `,${part ?? 'null'}`;
      if (text.length > ARGUMENT_CHARS) return undefined;
    }
    return `[${text}]`;
  } catch {
    return undefined;
  }
}

function isPlainArgument(value: unknown): boolean {
  return typeof value === 'string' ? value.length <= ARGUMENT_CHARS : typeof value !== 'function';
}

function writeLog({ activity, native }: ContextPort, parts: readonly unknown[]): void {
  if (!activity.isOpen || activity.logLines > LIMITS.logLines) return;
  activity.logLines += 1;
  if (activity.logLines > LIMITS.logLines) {
    return apply(native.log, undefined, [
      `(more than ${LIMITS.logLines} lines: the rest is dropped)`,
    ]);
  }
  let line = '';
  for (let index = 0; index < parts.length && line.length < LIMITS.logLineBytes; index += 1) {
    line += `${index === 0 ? '' : ' '}${plainText(parts[index])}`;
  }
  apply(native.log, undefined, [stringSlice(line, 0, LIMITS.logLineBytes)]);
}

/** A logged value as text. Objects show as JSON where they have one; nothing thrown by a value comes out. */
function plainText(value: unknown): string {
  if (typeof value === 'string') return stringSlice(value, 0, LIMITS.logLineBytes);
  if (typeof value === 'number' || typeof value === 'boolean' || value === undefined)
    return `${value}`;
  if (typeof value !== 'object') return `(${typeof value})`;
  try {
    return stringify(value) ?? '(object)';
  } catch {
    return isArray(value) ? '(array)' : '(object)';
  }
}

function bridgeError(code: string, message: string): Error {
  const error = new ErrorCtor(message);
  defineProperty(
    error,
    'code',
    record({ value: code, enumerable: true, writable: true, configurable: true }),
  );
  return error;
}
