import {
  arrayBufferByteLength,
  dateGetTime,
  dateToISOString,
  bare,
  mapEntries,
  mapSize,
  nextOfMap,
  nextOfSet,
  regExpSource,
  setSize,
  setValues,
  typedArrayLength,
  typedArrayTag,
} from '../intrinsics.ts';
import { brandOf, regExpFlags, type Brand } from './brand.ts';
import { put, putVisible, type Line } from './line.ts';

/** How many members of one value are shown. */
export const MAX_ENTRIES = 64;

/** The objects that are being shown, innermost first. */
export interface Trail {
  readonly value: object;
  readonly depth: number;
  readonly outer: Trail | undefined;
}

interface View {
  readonly trail: Trail;
  readonly show: (line: Line, value: unknown, trail: Trail) => void;
}

/** Adds a value whose content is in no property, such as a date or map. Says whether it was one. */
export function putBuiltin(line: Line, value: object, view: View): boolean {
  const brand = brandOf(value);
  const show = brand === undefined ? undefined : SHOWN[brand];
  show?.(line, value as never, view);
  return show !== undefined;
}

type Show = (line: Line, value: never, view: View) => void;

const SHOWN: Readonly<Partial<Record<Brand, Show>>> = bare({
  __proto__: null,
  ArrayBuffer: putBuffer,
  Date: putDate,
  Map: putMap,
  RegExp: putRegExp,
  Set: putSet,
  TypedArray: putTypedArray,
});

/** Says how many of a value's members are left out. */
export function putMore(line: Line, length: number): void {
  if (length > MAX_ENTRIES) put(line, `, … ${length - MAX_ENTRIES} more`);
}

function putTypedArray(line: Line, value: Uint8Array): void {
  const length = typedArrayLength(value);
  put(line, `${typedArrayTag(value) as string}(${length}) [`);
  for (let index = 0; index < length && index < MAX_ENTRIES; index += 1) {
    put(line, index === 0 ? `${value[index]}` : `, ${value[index]}`);
  }
  putMore(line, length);
  put(line, ']');
}

function putMap(line: Line, value: Map<unknown, unknown>, view: View): void {
  const size = mapSize(value);
  put(line, `Map(${size}) {`);
  const entries = mapEntries(value);
  for (let index = 0; index < size && index < MAX_ENTRIES && line.left > 0; index += 1) {
    const entry = nextOfMap(entries).value as [unknown, unknown] | undefined;
    if (entry === undefined) break;
    put(line, index === 0 ? ' ' : ', ');
    view.show(line, entry[0], view.trail);
    put(line, ' => ');
    view.show(line, entry[1], view.trail);
  }
  putMore(line, size);
  put(line, size === 0 ? '}' : ' }');
}

function putSet(line: Line, value: Set<unknown>, view: View): void {
  const size = setSize(value);
  put(line, `Set(${size}) {`);
  const values = setValues(value);
  for (let index = 0; index < size && index < MAX_ENTRIES && line.left > 0; index += 1) {
    put(line, index === 0 ? ' ' : ', ');
    view.show(line, nextOfSet(values).value, view.trail);
  }
  putMore(line, size);
  put(line, size === 0 ? '}' : ' }');
}

function putDate(line: Line, value: Date): void {
  const ms = dateGetTime(value);
  put(line, ms === ms ? dateToISOString(value) : 'Invalid Date');
}

function putRegExp(line: Line, value: RegExp): void {
  const source = regExpSource(value);
  put(line, '/');
  putVisible(line, source);
  put(line, '/');
  put(line, regExpFlags(value));
}

function putBuffer(line: Line, value: ArrayBuffer): void {
  put(line, `ArrayBuffer { byteLength: ${arrayBufferByteLength(value)} }`);
}
