import {
  append,
  arrayBufferDetached,
  arrayBufferTransfer,
  bare,
  defineProperty,
  enumerableKeys,
  ErrorPrototype,
  getProperty,
  getPrototypeOf,
  hasOwn,
  isArray,
  isPrototypeOf,
  MapCtor,
  mapGet,
  mapSet,
  ObjectPrototype,
  setAdd,
  SetCtor,
  setHas,
  TypeErrorCtor,
} from '../intrinsics.ts';
import { brandOf, isActive } from './brand.ts';
import { cloneBuiltin, cloneError, uncloneable, type Cloner } from './clone-builtin.ts';

/**
 * `structuredClone` of the isolate. Written here, because what the registries have makes maps and sets of classes of
 * its own, or loses holes, shared buffers and the kinds of errors.
 */
export function structuredClone(...args: readonly unknown[]): unknown {
  if (args.length === 0) throw new TypeErrorCtor('structuredClone needs a value');
  const transferred = transferList(args[1]);
  const cloned = clone(args[0], new MapCtor());
  // The clone holds a copy: what the caller may no longer use is let go.
  for (let index = 0; index < transferred.length; index += 1) {
    arrayBufferTransfer(transferred[index] as ArrayBuffer);
  }
  return cloned;
}

function transferList(options: unknown): readonly ArrayBuffer[] {
  const list: ArrayBuffer[] = [];
  if (options === undefined || options === null) return list;
  if (typeof options !== 'object' && typeof options !== 'function') {
    throw new TypeErrorCtor('The options of structuredClone must be an object');
  }
  const { transfer } = options as { readonly transfer?: Iterable<unknown> };
  if (transfer === undefined) return list;
  const seen = new SetCtor<object>();
  // The caller's own iterable, asked as the web has it.
  for (const item of transfer) {
    if (typeof item !== 'object' || item === null) {
      throw new TypeErrorCtor('The transfer list must hold objects');
    }
    const isBuffer = brandOf(item) === 'ArrayBuffer';
    if (!isBuffer || setHas(seen, item) || arrayBufferDetached(item as ArrayBuffer)) {
      throw uncloneable('Value in the transfer list');
    }
    setAdd(seen, item);
    append(list, item as ArrayBuffer);
  }
  return list;
}

function clone(value: unknown, memory: Map<object, object>): unknown {
  if (typeof value === 'symbol' || typeof value === 'function')
    throw uncloneable(`A ${typeof value}`);
  if (typeof value !== 'object' || value === null) return value;
  const known = mapGet(memory, value);
  if (known !== undefined) return known;
  const cloner: Cloner = {
    clone: (part) => clone(part, memory),
    remember(copy) {
      mapSet(memory, value, copy);
      return copy;
    },
  };
  if (isArray(value)) return cloneArray(value, cloner);
  const prototype = getPrototypeOf(value);
  if (prototype === ObjectPrototype || prototype === null) return cloneObject(value, cloner);
  if (isPrototypeOf(ErrorPrototype, value)) return cloneError(value, cloner);
  const brand = brandOf(value);
  if (brand !== undefined) return cloneBuiltin(brand, value, cloner);
  if (isActive(value)) throw uncloneable('A promise or generator');
  return cloneObject(value, cloner);
}

function cloneArray(value: readonly unknown[], cloner: Cloner): object {
  const copy: unknown[] = [];
  copy.length = value.length;
  return copyProperties(value, cloner.remember(copy), cloner);
}

function cloneObject(value: object, cloner: Cloner): object {
  return copyProperties(value, cloner.remember({}), cloner);
}

function copyProperties(from: object, to: object, cloner: Cloner): object {
  const keys = enumerableKeys(from);
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index] as string;
    // A getter of one may have removed another.
    if (!hasOwn(from, key)) continue;
    const value = cloner.clone(getProperty(from, key));

    defineProperty(
      to,
      key,
      bare({ __proto__: null, value, writable: true, configurable: true, enumerable: true }),
    );
  }
  return to;
}
