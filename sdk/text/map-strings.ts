import { mapJsonText, placeOf, type ChangeString, type StringPlace } from './json-text.ts';

/** What is visited besides the values; both are on unless switched off. */
export interface MapStringsOptions {
  /** Object keys. Two keys that become equal are told apart by a number. */
  readonly keys?: boolean;
  /** Strings inside a string that is a JSON text itself. */
  readonly json?: boolean;
}

/**
 * Changes every string of a JSON value at any depth and keeps its shape. Whatever has no changed string in it comes
 * back as the same object, so `===` tells whether anything changed.
 *
 * @example
 * ```ts
 * mapStrings({ to: ['a'], n: 42.5 }, (text) => text.toUpperCase(), { keys: false }); // { to: ['A'], n: 42.5 }
 * ```
 */
export function mapStrings<T>(value: T, change: ChangeString, options: MapStringsOptions = {}): T {
  const { keys = true, json = true } = options;
  const changeText = (text: string, place: StringPlace): string => {
    if (place.isKey && !keys) return text;
    return (json ? mapJsonText(text, changeText, place.key) : undefined) ?? change(text, place);
  };
  // The shape is kept: strings become strings, arrays arrays, objects objects.
  return mapValue(value, changeText, undefined) as T;
}

function mapValue(value: unknown, change: ChangeString, key: string | undefined): unknown {
  if (typeof value === 'string') return change(value, placeOf(key, false));
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => mapValue(item, change, key));
    return items.every((item, index) => Object.is(item, value[index])) ? value : items;
  }
  return mapObject(value as Readonly<Record<string, unknown>>, change, key);
}

function mapObject(
  value: Readonly<Record<string, unknown>>,
  change: ChangeString,
  key: string | undefined,
): object {
  const entries: [string, unknown][] = [];
  const taken = new Set<string>();
  let isChanged = false;
  for (const [name, item] of Object.entries(value)) {
    const changedName = unique(change(name, placeOf(key, true)), taken);
    const changed = mapValue(item, change, name);
    isChanged ||= changedName !== name || !Object.is(changed, item);
    entries.push([changedName, changed]);
  }
  // fromEntries defines properties, so that a key "__proto__" stays a plain key.
  return isChanged ? Object.fromEntries(entries) : value;
}

function unique(name: string, taken: Set<string>): string {
  let free = name;
  for (let count = 2; taken.has(free); count += 1) free = `${name} (${count})`;
  taken.add(free);
  return free;
}
