import { LIMITS } from '../../sdk/limits.ts';
import {
  create,
  defineProperty,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  isArray,
  ObjectPrototype,
  ownKeys,
  record,
  stringify,
} from './intrinsics.ts';
import { describe } from './describe.ts';
import { seal } from './native.ts';

/** More keys than any decision has; a proxy may report a million. */
const MAX_KEYS = 32;

/**
 * Turns what a hook returned into sealed JSON text, inside the sandbox and under its cap.
 * Only plain data is an answer. Accessors, `toJSON` and class instances are run once, so that one which loops or
 * throws shows as what it is, and are refused then: what they gave could differ the next time.
 */
export function sealAnswer(value: unknown): string {
  try {
    if (typeof value !== 'object' || value === null) {
      return seal(
        'invalid',
        `the answer is ${value === null ? 'null' : typeof value}, not an object`,
      );
    }
    if (isArray(value)) return seal('invalid', 'the answer is an array');
    const snapshot = snapshotOf(value);
    if (snapshot === undefined) {
      stringify(value);
      return seal('invalid', 'the answer is no plain object of data');
    }
    const problem = misshapen(snapshot);
    if (problem !== undefined) return seal('invalid', problem);
    // A null-prototype copy: no toJSON and no setter of the realm takes part.
    const text = stringify(snapshot);
    return text.length > LIMITS.answerBytes ? seal('size', '') : seal('answer', text);
  } catch (error) {
    return seal('thrown', describe(error));
  }
}

function snapshotOf(value: object): Record<string, unknown> | undefined {
  const prototype = getPrototypeOf(value);
  const isPlain = prototype === ObjectPrototype || prototype === null;
  const keys = ownKeys(value);
  if (!isPlain || keys.length > MAX_KEYS) return undefined;
  const snapshot = create(null) as Record<string, unknown>;
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index] as PropertyKey;
    const property = getOwnPropertyDescriptor(value, key);
    if (property === undefined || typeof key === 'symbol') return undefined;
    const isData =
      property.get === undefined && property.set === undefined && property.enumerable === true;
    if (!isData || typeof property.value === 'function') return undefined;
    // What JSON would drop anyway; a missing action or payload is found below.
    if (property.value === undefined) continue;
    defineProperty(
      snapshot,
      key,
      record({
        value: property.value as unknown,
        enumerable: true,
        configurable: true,
        writable: true,
      }),
    );
  }
  return snapshot;
}

/** What JSON text would hide: a boxed action, a payload whose field vanishes. */
function misshapen(snapshot: Record<string, unknown>): string | undefined {
  // A missing action is told by the parser, which names the keys that are there.
  const action = snapshot['action'];
  if (action !== undefined && typeof action !== 'string') return 'the action is no text';
  const payload = snapshot['payload'];
  if (typeof payload !== 'object' || payload === null || isArray(payload)) return undefined;
  const keys = ownKeys(payload);
  for (let index = 0; index < keys.length; index += 1) {
    const property = getOwnPropertyDescriptor(payload, keys[index] as PropertyKey);
    const isGone = property !== undefined && 'value' in property && vanishes(property.value);
    if (isGone) return 'a field of the payload is undefined; use null to remove an optional one';
  }
  return undefined;
}

function vanishes(value: unknown): boolean {
  return value === undefined || typeof value === 'function' || typeof value === 'symbol';
}
