import {
  ArrayBufferCtor,
  construct,
  defineHidden,
  defineProperty,
  deleteProperty,
  isView,
  bare,
  TypeErrorCtor,
} from '../intrinsics.ts';
import { nameFunction } from './interface.ts';

/**
 * Puts a constructor in the place of `ArrayBuffer` that makes buffers of a fixed length only: a growable one takes
 * memory that the limit of an isolate does not count. The original is then reachable by no name and no prototype.
 */
export function fixArrayBuffers(target: object): void {
  const { prototype } = ArrayBufferCtor;
  const Fixed = nameFunction(makeConstructor(), 'ArrayBuffer');
  defineProperty(Fixed, 'length', bare({ __proto__: null, value: 1, configurable: true }));
  defineProperty(Fixed, 'prototype', bare({ __proto__: null, value: prototype, writable: false }));
  defineHidden(Fixed, 'isView', isView);
  // What `slice` asks for the class of its result.
  const species = nameFunction(speciesOf, 'get [Symbol.species]');
  defineProperty(
    Fixed,
    Symbol.species,
    bare({ __proto__: null, get: species, configurable: true }),
  );

  defineHidden(prototype, 'constructor', Fixed);
  deleteProperty(prototype, 'resize');
  defineHidden(target, 'ArrayBuffer', Fixed);
}

function makeConstructor(): object {
  // A function, because the `prototype` of a class cannot be replaced.
  return function (length: unknown, options: unknown): object {
    if (new.target === undefined) throw new TypeErrorCtor("Constructor ArrayBuffer requires 'new'");
    if (typeof options === 'object' && options !== null) {
      const { maxByteLength } = options as { maxByteLength?: unknown };
      if (maxByteLength !== undefined) {
        throw new TypeErrorCtor('ArrayBuffer cannot be resizable in this sandbox');
      }
    }
    return construct(ArrayBufferCtor, [length], new.target) as object;
  };
}

function speciesOf(this: unknown): unknown {
  return this;
}
