import {
  append,
  arrayBufferByteLength,
  ArrayBufferCtor,
  arrayBufferDetached,
  bigintValueOf,
  booleanValueOf,
  dataViewBuffer,
  dataViewByteLength,
  dataViewByteOffset,
  DataViewCtor,
  DateCtor,
  dateGetTime,
  defineHidden,
  ErrorCtor,
  getOwnPropertyDescriptor,
  getProperty,
  hasOwn,
  mapEntries,
  MapCtor,
  mapSet,
  mapSize,
  nextOfMap,
  nextOfSet,
  numberValueOf,
  ObjectCtor,
  RangeErrorCtor,
  regExpSource,
  RegExpCtor,
  setAdd,
  SetCtor,
  setSize,
  setValues,
  stringValueOf,
  typedArrayBuffer,
  typedArrayByteOffset,
  typedArrayLength,
  typedArraySet,
  typedArrayTag,
  TypeErrorCtor,
  Uint8ArrayCtor,
  bare,
} from '../intrinsics.ts';
import { regExpFlags, type Brand } from './brand.ts';
import { DomException, exceptionParts } from './dom-exception.ts';

/** How a maker of one copy reaches the rest of the clone. */
export interface Cloner {
  readonly clone: (part: unknown) => unknown;
  /** Keeps the copy for other references to the same value; to be called before its parts are cloned. */
  readonly remember: <Copy extends object>(copy: Copy) => Copy;
}

/** The error for a value that has no clone. */
export function uncloneable(what: string): object {
  return new DomException(`${what} could not be cloned`, 'DataCloneError');
}

type Maker = (value: never, cloner: Cloner) => object;

const MAKERS: Readonly<Record<Brand, Maker>> = bare({
  __proto__: null,
  ArrayBuffer: copyBuffer,
  BigInt: (value: object) => ObjectCtor(bigintValueOf(value as never)) as object,
  Boolean: (value: object) => ObjectCtor(booleanValueOf(value as never)) as object,
  DataView: copyView,
  Date: (value: Date) => new DateCtor(dateGetTime(value)),
  Map: copyMap,
  Number: (value: object) => ObjectCtor(numberValueOf(value as never)) as object,
  RegExp: (value: RegExp) => new RegExpCtor(regExpSource(value), regExpFlags(value)),
  Set: copySet,
  String: (value: object) => ObjectCtor(stringValueOf(value as never)) as object,
  Symbol: refuse,
  TypedArray: copyTypedArray,
  WeakMap: refuse,
  WeakSet: refuse,
});

/** The clone of a value of some brand. */
export function cloneBuiltin(brand: Brand, value: object, cloner: Cloner): object {
  const copy = MAKERS[brand](value as never, cloner);
  return brand === 'Map' || brand === 'Set' ? copy : cloner.remember(copy);
}

function refuse(): never {
  throw uncloneable('A weak collection or symbol');
}

function copyBuffer(value: ArrayBuffer): ArrayBuffer {
  if (arrayBufferDetached(value)) throw uncloneable('A detached ArrayBuffer');
  const copy = new ArrayBufferCtor(arrayBufferByteLength(value));
  typedArraySet(new Uint8ArrayCtor(copy), new Uint8ArrayCtor(value));
  return copy;
}

function copyView(value: DataView<ArrayBuffer>, cloner: Cloner): DataView {
  const buffer = cloner.clone(dataViewBuffer(value)) as ArrayBuffer;
  return new DataViewCtor(buffer, dataViewByteOffset(value), dataViewByteLength(value));
}

type ViewClass = new (buffer: ArrayBuffer, byteOffset: number, length: number) => object;

const VIEW_CLASSES: Record<string, ViewClass | undefined> = bare({ __proto__: null });
const VIEW_NAMES =
  'Int8 Uint8 Uint8Clamped Int16 Uint16 Int32 Uint32 Float16 Float32 Float64 BigInt64 BigUint64';
for (const kind of VIEW_NAMES.split(' ')) {
  VIEW_CLASSES[`${kind}Array`] = (globalThis as unknown as Record<string, ViewClass>)[
    `${kind}Array`
  ];
}

function copyTypedArray(value: Uint8Array, cloner: Cloner): object {
  const View = VIEW_CLASSES[typedArrayTag(value) as string];
  if (View === undefined) throw uncloneable('An unknown kind of array');
  const buffer = cloner.clone(typedArrayBuffer(value)) as ArrayBuffer;
  return new View(buffer, typedArrayByteOffset(value), typedArrayLength(value));
}

/** Entries are taken before the first is cloned: a getter may change the map. */
function copyMap(value: Map<unknown, unknown>, cloner: Cloner): object {
  const copy = cloner.remember(new MapCtor<unknown, unknown>());
  const size = mapSize(value);
  const entries = mapEntries(value);
  const taken: unknown[] = [];
  for (let index = 0; index < size; index += 1) {
    const entry = nextOfMap(entries).value as [unknown, unknown];
    append(taken, entry[0]);
    append(taken, entry[1]);
  }
  for (let index = 0; index < taken.length; index += 2) {
    mapSet(copy, cloner.clone(taken[index]), cloner.clone(taken[index + 1]));
  }
  return copy;
}

function copySet(value: Set<unknown>, cloner: Cloner): object {
  const copy = cloner.remember(new SetCtor<unknown>());
  const size = setSize(value);
  const values = setValues(value);
  const taken: unknown[] = [];
  for (let index = 0; index < size; index += 1) append(taken, nextOfSet(values).value);
  for (let index = 0; index < taken.length; index += 1) setAdd(copy, cloner.clone(taken[index]));
  return copy;
}

const ERROR_CLASSES: Readonly<Record<string, ErrorConstructor | undefined>> = bare({
  __proto__: null,
  EvalError,
  RangeError: RangeErrorCtor,
  ReferenceError,
  SyntaxError,
  TypeError: TypeErrorCtor,
  URIError,
});

/** The clone of an error: its kind, message, stack and cause. */
export function cloneError(value: object, cloner: Cloner): object {
  const parts = exceptionParts(value);
  const copy = cloner.remember(
    parts === undefined
      ? new (ERROR_CLASSES[`${getProperty(value, 'name') as string}`] ?? ErrorCtor)()
      : new DomException(parts.message, parts.name),
  );
  const message = ownValue(value, 'message');
  if (message !== undefined) defineHidden(copy, 'message', `${message as string}`);
  const cause = ownValue(value, 'cause');
  if (cause !== undefined) defineHidden(copy, 'cause', cloner.clone(cause));
  const stack: unknown = getProperty(value, 'stack');
  if (typeof stack === 'string') defineHidden(copy, 'stack', stack);
  return copy;
}

function ownValue(owner: object, key: string): unknown {
  const descriptor = getOwnPropertyDescriptor(owner, key);
  return descriptor !== undefined && hasOwn(descriptor, 'value') ? descriptor.value : undefined;
}
