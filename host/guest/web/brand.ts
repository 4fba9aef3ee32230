import {
  arrayBufferByteLength,
  bigintValueOf,
  booleanValueOf,
  dataViewBuffer,
  dateGetTime,
  getterOf,
  mapSize,
  numberValueOf,
  objectToString,
  regExpSource,
  setSize,
  stringValueOf,
  symbolValueOf,
  typedArrayTag,
  uncurryThis,
  weakMapHas,
  weakSetHas,
} from '../intrinsics.ts';

/** What a value is underneath, whatever its prototype says. */
export type Brand =
  | 'ArrayBuffer'
  | 'BigInt'
  | 'Boolean'
  | 'DataView'
  | 'Date'
  | 'Map'
  | 'Number'
  | 'RegExp'
  | 'Set'
  | 'String'
  | 'Symbol'
  | 'TypedArray'
  | 'WeakMap'
  | 'WeakSet';

type Probe = readonly [brand: Brand, ask: (value: never) => unknown];

const KEY = {};

/** Each getter or method refuses, by throwing, what is not of its kind, and runs no code of the value. */
const PROBES: readonly Probe[] = [
  ['Map', mapSize],
  ['Set', setSize],
  ['Date', dateGetTime],
  ['RegExp', regExpSource],
  ['ArrayBuffer', arrayBufferByteLength],
  ['DataView', dataViewBuffer],
  ['Boolean', booleanValueOf],
  ['Number', numberValueOf],
  ['String', stringValueOf],
  ['BigInt', bigintValueOf],
  ['Symbol', symbolValueOf],
  ['WeakMap', (value: WeakMap<object, unknown>) => weakMapHas(value, KEY)],
  ['WeakSet', (value: WeakSet<object>) => weakSetHas(value, KEY)],
];

/** The brand of an object; `undefined` where it is ordinary or has none that can be told. */
export function brandOf(value: object): Brand | undefined {
  if (typedArrayTag(value) !== undefined) return 'TypedArray';
  for (let index = 0; index < PROBES.length; index += 1) {
    const probe = PROBES[index] as Probe;
    try {
      const ask = probe[1];
      ask(value as never);
      return probe[0];
    } catch {
      // Of another kind.
    }
  }
  return undefined;
}

/** Whether a value says that it is a promise or generator: nothing tells for sure without touching it. */
export function isActive(value: object): boolean {
  const text = objectToString(value);
  return (
    text === '[object Promise]' ||
    text === '[object Generator]' ||
    text === '[object AsyncGenerator]'
  );
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

/** The flags of a regular expression, past a `flags` that it may have of its own. */
export function regExpFlags(value: RegExp): string {
  let flags = '';
  for (let index = 0; index < FLAGS.length; index += 1) {
    const { letter, isSet } = FLAGS[index] as Flag;
    if (isSet(value)) flags += letter;
  }
  return flags;
}
