/**
 * Built-ins of the isolate's realm, captured before hook code exists.
 *
 * Everything that must hold against a hook which rewrites its own realm (bridge, answers, console, timers)
 * goes through these names and never through a method call on a value: `x.slice()` asks a prototype that a
 * hook may have replaced. The same holds for `for…of`, spread and destructuring of arrays (they ask
 * `Array.prototype[Symbol.iterator]`), for template strings with objects, for assignment to a property that
 * `Object.prototype` may have given a setter, and for reading an optional key of a literal, which finds what
 * a hook put on `Object.prototype`: see {@link record}.
 */

/** Any function, of which nothing is known. */
export type Callable = (...args: never[]) => unknown;

const { bind, call } = Function.prototype;

/** Turns a method into a function of its receiver. The result asks no prototype when called. */
// A cast, because `bind` loses the type of a function that it gets as a value.
export const uncurryThis = bind.bind(call) as <Self, Args extends unknown[], Result>(
  method: (this: Self, ...args: Args) => Result,
) => (self: Self, ...args: Args) => Result;

export const { apply, construct, ownKeys, getPrototypeOf, setPrototypeOf, deleteProperty } =
  Reflect;
export const { getOwnPropertyDescriptor, defineProperty } = Reflect;
/** `Reflect.get`: runs getters and proxy traps, so never on a value that is only to be looked at. */
export const getProperty = Reflect.get;
export const { create, freeze, is, keys: enumerableKeys } = Object;
export const { isArray } = Array;
export const { isView } = ArrayBuffer;
export const { parse, stringify } = JSON;
export const { now } = Date;
export const fromCharCode = String.fromCharCode;

export const ObjectCtor = Object;
export const PromiseCtor = Promise;
export const MapCtor = Map;
export const SetCtor = Set;
export const DateCtor = Date;
export const RegExpCtor = RegExp;
export const Uint8ArrayCtor = Uint8Array;
export const ArrayBufferCtor = ArrayBuffer;
export const DataViewCtor = DataView;
export const ErrorCtor = Error;
export const TypeErrorCtor = TypeError;
export const RangeErrorCtor = RangeError;

export const ObjectPrototype = Object.prototype;
export const ErrorPrototype = Error.prototype;

export const hasOwn = uncurryThis(Object.prototype.hasOwnProperty);
export const isPrototypeOf = uncurryThis(Object.prototype.isPrototypeOf);
export const objectToString = uncurryThis(Object.prototype.toString);
export const numberToString = uncurryThis(Number.prototype.toString);
export const symbolToString = uncurryThis(Symbol.prototype.toString);
export const dateToISOString = uncurryThis(Date.prototype.toISOString);
export const dateGetTime = uncurryThis(Date.prototype.getTime);

const TypedArrayPrototype = getPrototypeOf(Uint8Array.prototype) as object;
/** The kind of a typed array, such as `Uint8Array`; `undefined` for all else. Cannot be forged. */
export const typedArrayTag = uncurryThis(
  getterOf(TypedArrayPrototype, Symbol.toStringTag) as (this: unknown) => string | undefined,
);
export const typedArraySet = uncurryThis(Uint8Array.prototype.set);
export const typedArrayLength = uncurryThis(
  getterOf(TypedArrayPrototype, 'length') as (this: Uint8Array) => number,
);
export const typedArrayBuffer = uncurryThis(
  getterOf(TypedArrayPrototype, 'buffer') as (this: Uint8Array) => ArrayBuffer,
);
export const typedArrayByteLength = uncurryThis(
  getterOf(TypedArrayPrototype, 'byteLength') as (this: Uint8Array) => number,
);
export const typedArrayByteOffset = uncurryThis(
  getterOf(TypedArrayPrototype, 'byteOffset') as (this: Uint8Array) => number,
);
export const arrayBufferByteLength = uncurryThis(
  getterOf(ArrayBuffer.prototype, 'byteLength') as (this: ArrayBuffer) => number,
);

export const arrayBufferDetached = uncurryThis(
  getterOf(ArrayBuffer.prototype, 'detached') as (this: ArrayBuffer) => boolean,
);
export const arrayBufferTransfer = uncurryThis(ArrayBuffer.prototype.transfer);
export const dataViewBuffer = uncurryThis(
  getterOf(DataView.prototype, 'buffer') as (this: DataView) => ArrayBuffer,
);
export const dataViewByteLength = uncurryThis(
  getterOf(DataView.prototype, 'byteLength') as (this: DataView) => number,
);
export const dataViewByteOffset = uncurryThis(
  getterOf(DataView.prototype, 'byteOffset') as (this: DataView) => number,
);
export const booleanValueOf = uncurryThis(Boolean.prototype.valueOf);
export const numberValueOf = uncurryThis(Number.prototype.valueOf);
export const stringValueOf = uncurryThis(String.prototype.valueOf);
export const bigintValueOf = uncurryThis(BigInt.prototype.valueOf);
export const symbolValueOf = uncurryThis(Symbol.prototype.valueOf);
export const regExpSource = uncurryThis(
  getterOf(RegExp.prototype, 'source') as (this: RegExp) => string,
);

const MapIteratorPrototype = getPrototypeOf(new Map().entries()) as MapIterator<unknown>;
const SetIteratorPrototype = getPrototypeOf(new Set().values()) as SetIterator<unknown>;
/** One entry of a map after the other, past the iteration protocol: call {@link nextOfMap} on what it returns. */
export const mapEntries = uncurryThis(Map.prototype.entries) as <K, V>(
  m: Map<K, V>,
) => MapIterator<[K, V]>;
export const nextOfMap = uncurryThis(MapIteratorPrototype.next) as <T>(
  iterator: MapIterator<T>,
) => IteratorResult<T, undefined>;
export const setValues = uncurryThis(Set.prototype.values) as <T>(s: Set<T>) => SetIterator<T>;
export const nextOfSet = uncurryThis(SetIteratorPrototype.next) as <T>(
  iterator: SetIterator<T>,
) => IteratorResult<T, undefined>;

export const stringSlice = uncurryThis(String.prototype.slice);
export const stringIndexOf = uncurryThis(String.prototype.indexOf);
export const stringCharCodeAt = uncurryThis(String.prototype.charCodeAt);
export const stringRepeat = uncurryThis(String.prototype.repeat);
export const stringPadStart = uncurryThis(String.prototype.padStart);

export const mapGet = uncurryThis(Map.prototype.get) as <K, V>(
  m: Map<K, V>,
  key: K,
) => V | undefined;
export const mapSet = uncurryThis(Map.prototype.set) as <K, V>(
  m: Map<K, V>,
  key: K,
  value: V,
) => Map<K, V>;
export const mapHas = uncurryThis(Map.prototype.has) as <K, V>(m: Map<K, V>, key: K) => boolean;
export const mapDelete = uncurryThis(Map.prototype.delete) as <K, V>(
  m: Map<K, V>,
  key: K,
) => boolean;
export const mapClear = uncurryThis(Map.prototype.clear) as <K, V>(m: Map<K, V>) => void;
export const mapSize = uncurryThis(
  getterOf(Map.prototype, 'size') as (this: Map<unknown, unknown>) => number,
);
export const setSize = uncurryThis(
  getterOf(Set.prototype, 'size') as (this: Set<unknown>) => number,
);
export const setAdd = uncurryThis(Set.prototype.add) as <T>(s: Set<T>, value: T) => Set<T>;
export const setHas = uncurryThis(Set.prototype.has) as <T>(s: Set<T>, value: T) => boolean;
export const weakMapHas = uncurryThis(WeakMap.prototype.has) as <K extends object, V>(
  m: WeakMap<K, V>,
  key: K,
) => boolean;
export const weakSetHas = uncurryThis(WeakSet.prototype.has) as (
  s: WeakSet<object>,
  value: object,
) => boolean;

/**
 * `Promise.prototype.then`. It makes the promise that it returns with `promise.constructor[Symbol.species]`,
 * which a hook may own: use {@link settle} where nothing is chained on.
 */
export const then = uncurryThis(Promise.prototype.then) as <T>(
  promise: Promise<T>,
  fulfilled: (value: T) => unknown,
  rejected?: (reason: unknown) => unknown,
) => Promise<unknown>;

/** A promise with its two ends. The promise's `constructor` is pinned, so that `then` makes a plain Promise. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (reason: unknown) => void;
}

/** Makes a {@link Deferred}. `resolve` of an object reads its `then`, so resolve with null-prototype data. */
export function deferred<T>(): Deferred<T> {
  let resolve: ((value: T) => void) | undefined;
  let reject: ((reason: unknown) => void) | undefined;
  const promise = new PromiseCtor<T>((onValue, onReason) => {
    resolve = onValue;
    reject = onReason;
  });
  // The executor ran: both are set.
  return record({
    promise,
    resolve: resolve as (value: T) => void,
    reject: reject as (reason: unknown) => void,
  });
}

/** Calls one of two functions when one of our own promises settles, past `constructor` and species tampering. */
export function settle<T>(
  promise: Promise<T>,
  fulfilled: (value: T) => void,
  rejected: (reason: unknown) => void,
): void {
  // An own `constructor` of undefined makes V8 use the intrinsic Promise for the derived one.
  defineProperty(
    promise,
    'constructor',
    bare({ __proto__: null, value: undefined, configurable: true }),
  );
  then(promise, fulfilled, rejected);
  deleteProperty(promise, 'constructor');
}

/** Gives a fresh literal a null prototype, so that no lookup on it reaches what a hook put on `Object.prototype`. */
export function record<T extends object>(literal: T): T {
  setPrototypeOf(literal, null);
  return literal;
}

/** Types a literal that names its null prototype itself: a tenth of the cost of {@link record}. */
export function bare<T extends { readonly __proto__: null }>(literal: T): Omit<T, '__proto__'> {
  return literal;
}

/** Defines a property as Web IDL does for globals: writable, configurable, not enumerable. */
export function defineHidden(target: object, name: PropertyKey, value: unknown): void {
  const isDefined = defineProperty(
    target,
    name,
    bare({ __proto__: null, value, writable: true, configurable: true, enumerable: false }),
  );
  if (!isDefined) throw new TypeErrorCtor('Cannot define a property of the sandbox');
}

/** Adds to the end of an array of ours, past setters and a replaced `push`. */
export function append<T>(list: T[], value: T): void {
  defineProperty(
    list,
    list.length,
    bare({ __proto__: null, value, writable: true, configurable: true, enumerable: true }),
  );
}

/** The getter of an accessor property. Load time only. */
export function getterOf(owner: object, name: PropertyKey): Callable {
  const getter = getOwnPropertyDescriptor(owner, name)?.get;
  if (getter === undefined) throw new TypeErrorCtor(`No getter "${String(name)}"`);
  return getter;
}
