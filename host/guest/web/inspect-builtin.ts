import {
  arrayBufferByteLength,
  dateGetTime,
  dateToISOString,
  mapEntries,
  mapSize,
  nextOfMap,
  nextOfSet,
  getterOf,
  uncurryThis,
  regExpSource,
  setSize,
  setValues,
  typedArrayLength,
  typedArrayTag,
} from '../intrinsics.ts';
import { put, putVisible, type Line } from './line.ts';

/** How many members of one value are shown. */
export const MAX_ENTRIES = 64;

/** The objects that are being shown, innermost first. */
export interface Trail {
  readonly value: object;
  readonly depth: number;
  readonly outer: Trail | undefined;
}

interface Flag {
  readonly letter: string;
  readonly isSet: (pattern: RegExp) => boolean;
}

const FLAGS: readonly Flag[] = [
  flag('d', 'hasIndices'),
  flag('g', 'global'),
  flag('i', 'ignoreCase'),
  flag('m', 'multiline'),
  flag('s', 'dotAll'),
  flag('u', 'unicode'),
  flag('v', 'unicodeSets'),
  flag('y', 'sticky'),
];

function flag(letter: string, property: keyof RegExp): Flag {
  const getter = getterOf(RegExp.prototype, property) as (this: RegExp) => boolean;
  return { letter, isSet: uncurryThis(getter) };
}

interface View {
  /** The name of the value's class, as far as it can be known. */
  readonly name: string;
  readonly trail: Trail;
  readonly show: (line: Line, value: unknown, trail: Trail) => void;
}

/**
 * Adds a value whose content is in no property: a date, map, set, buffer, typed array or regular expression. Each is
 * known by a getter of its own that refuses all else. Says whether it was one.
 */
export function putBuiltin(line: Line, value: object, view: View): boolean {
  return (
    putTypedArray(line, value as Uint8Array) ||
    attempt(() => putMap(line, value as Map<unknown, unknown>, view)) ||
    attempt(() => putSet(line, value as Set<unknown>, view)) ||
    attempt(() => putDate(line, value as Date)) ||
    attempt(() => putRegExp(line, value as RegExp)) ||
    attempt(() => putBuffer(line, value as ArrayBuffer))
  );
}

/** Says how many of a value's members are left out. */
export function putMore(line: Line, length: number): void {
  if (length > MAX_ENTRIES) put(line, `, … ${length - MAX_ENTRIES} more`);
}

/** The first step of each asks for the brand and throws, before anything is added, if it is another's. */
function attempt(step: () => void): boolean {
  try {
    step();
    return true;
  } catch {
    return false;
  }
}

function putTypedArray(line: Line, value: Uint8Array): boolean {
  const kind = typedArrayTag(value);
  if (kind === undefined) return false;
  const length = typedArrayLength(value);
  put(line, `${kind}(${length}) [`);
  for (let index = 0; index < length && index < MAX_ENTRIES; index += 1) {
    put(line, index === 0 ? `${value[index]}` : `, ${value[index]}`);
  }
  putMore(line, length);
  put(line, ']');
  return true;
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
  for (let index = 0; index < FLAGS.length; index += 1) {
    const flag = FLAGS[index] as Flag;
    if (flag.isSet(value)) put(line, flag.letter);
  }
}

function putBuffer(line: Line, value: ArrayBuffer): void {
  put(line, `ArrayBuffer { byteLength: ${arrayBufferByteLength(value)} }`);
}
