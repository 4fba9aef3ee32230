import {
  ErrorPrototype,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  hasOwn,
  is,
  isArray,
  isPrototypeOf,
  ObjectPrototype,
  ownKeys,
  stringCharCodeAt,
  symbolToString,
} from '../intrinsics.ts';
import { exceptionParts } from './dom-exception.ts';
import { MAX_ENTRIES, putBuiltin, putMore, type Trail } from './inspect-builtin.ts';
import { put, putQuoted, putVisible, type Line } from './line.ts';

const MAX_DEPTH = 4;

/**
 * Adds a value in the notation of a literal. No getter, `toString`, `toJSON` or inspection hook of the value is
 * called; traps of a proxy are, as nothing tells a proxy apart. Never throws.
 */
export function putValue(line: Line, value: unknown, outer?: Trail): void {
  if (line.left <= 0) return;
  if (typeof value === 'string') return putQuoted(line, value);
  if (typeof value === 'symbol') return putVisible(line, symbolToString(value));
  if (typeof value === 'bigint') return put(line, bigintText(value));
  if (is(value, -0)) return put(line, '-0');
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) {
    return put(line, `${value as null | undefined | boolean | number}`);
  }
  try {
    if (typeof value === 'function') putFunction(line, value);
    else putObject(line, value, outer);
  } catch {
    put(line, '[unreadable]');
  }
}

/** Digits of a longer one take the engine time that no limit interrupts. */
const MAX_BIGINT = 10n ** 100n;

function bigintText(value: bigint): string {
  return value < MAX_BIGINT && value > -MAX_BIGINT ? `${value}n` : '[long bigint]';
}

function putFunction(line: Line, value: object): void {
  const name = ownData(value, 'name');
  put(line, '[Function: ');
  putVisible(line, typeof name === 'string' && name !== '' ? name : '(anonymous)');
  put(line, ']');
}

function putObject(line: Line, value: object, outer: Trail | undefined): void {
  for (let at = outer; at !== undefined; at = at.outer) {
    if (at.value === value) return put(line, '[Circular]');
  }
  const trail: Trail = { value, depth: (outer?.depth ?? 0) + 1, outer };
  if (trail.depth > MAX_DEPTH) return put(line, isArray(value) ? '[…]' : '{…}');
  if (isArray(value)) return putElements(line, value, trail);
  const prototype = getPrototypeOf(value);
  if (prototype === null) put(line, '[null prototype] ');
  else if (prototype !== ObjectPrototype) {
    if (isPrototypeOf(ErrorPrototype, value)) return putError(line, value, trail);
    if (putBuiltin(line, value, { trail, show: putValue })) return;
    putVisible(line, `${className(prototype)} `);
  }
  putProperties(line, value, trail);
}

function putElements(line: Line, value: object, trail: Trail): void {
  const length = ownData(value, 'length') as number;
  put(line, '[');
  for (let index = 0; index < length && index < MAX_ENTRIES && line.left > 0; index += 1) {
    if (index > 0) put(line, ', ');
    putMember(line, getOwnPropertyDescriptor(value, index), trail);
  }
  putMore(line, length);
  put(line, ']');
}

function putProperties(line: Line, value: object, trail: Trail): void {
  const keys = ownKeys(value);
  let shown = 0;
  put(line, '{');
  for (let index = 0; index < keys.length && shown < MAX_ENTRIES && line.left > 0; index += 1) {
    const key = keys[index] as PropertyKey;
    const descriptor = getOwnPropertyDescriptor(value, key);
    if (typeof key !== 'string' || descriptor?.enumerable !== true) continue;
    put(line, shown === 0 ? ' ' : ', ');
    if (isIdentifier(key)) put(line, key);
    else putQuoted(line, key);
    put(line, ': ');
    putMember(line, descriptor, trail);
    shown += 1;
  }
  if (shown === MAX_ENTRIES && keys.length > shown) put(line, ', …');
  put(line, shown === 0 ? '}' : ' }');
}

function putMember(line: Line, member: PropertyDescriptor | undefined, trail: Trail): void {
  if (member === undefined) put(line, '<empty>');
  // Own, as `Object.prototype` may have a `value` by now.
  else if (hasOwn(member, 'value')) putValue(line, member.value, trail);
  else put(line, member.get === undefined ? '[Setter]' : '[Getter]');
}

function putError(line: Line, value: object, trail: Trail): void {
  const parts = exceptionParts(value);
  const name = parts?.name ?? inheritedData(value, 'name');
  const message = parts?.message ?? inheritedData(value, 'message');
  put(line, '[');
  putVisible(line, typeof name === 'string' && name !== '' ? name : 'Error');
  if (typeof message === 'string' && message !== '') {
    put(line, ': ');
    putVisible(line, message);
  }
  const cause = ownData(value, 'cause');
  if (cause !== undefined) {
    put(line, ', cause: ');
    putValue(line, cause, trail);
  }
  put(line, ']');
}

/** The value of an own data property; `undefined` for an accessor. */
function ownData(owner: object, key: PropertyKey): unknown {
  const descriptor = getOwnPropertyDescriptor(owner, key);
  return descriptor !== undefined && hasOwn(descriptor, 'value') ? descriptor.value : undefined;
}

/** Classes above a value that are asked for a name or a property. */
const MAX_CHAIN = 8;

function inheritedData(value: object, key: PropertyKey): unknown {
  let owner: object | null = value;
  for (let step = 0; owner !== null && step < MAX_CHAIN; step += 1) {
    const found = ownData(owner, key);
    if (found !== undefined) return found;
    owner = getPrototypeOf(owner);
  }
  return undefined;
}

function className(prototype: object): string {
  const made = inheritedData(prototype, 'constructor');
  const name = typeof made === 'function' ? ownData(made, 'name') : undefined;
  return typeof name === 'string' && name !== '' ? name : 'Object';
}

function isIdentifier(key: string): boolean {
  if (key === '' || key.length > 64) return false;
  for (let index = 0; index < key.length; index += 1) {
    const code = stringCharCodeAt(key, index);
    const isLetter = (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
    const isDigit = code >= 48 && code <= 57 && index > 0;
    if (!isLetter && !isDigit && code !== 95 && code !== 36) return false;
  }
  return true;
}
