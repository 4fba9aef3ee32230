/** Where a string stands. */
export interface StringPlace {
  /** The nearest object key above it; of a key, the key above the object. */
  readonly key?: string;
  readonly isKey: boolean;
}

/** Answers a string with what shall stand in its place. */
export type ChangeString = (text: string, place: StringPlace) => string;

/**
 * Changes the strings inside a JSON text and leaves every other character as it was written, white space and the
 * spelling of numbers included; `undefined` when the text is not a JSON object, array or string.
 *
 * @example
 * ```ts
 * mapJsonText('{"a": 1.0, "b": "x"}', (text, { isKey }) => (isKey ? text : text.toUpperCase())); // '{"a": 1.0, "b": "X"}'
 * ```
 */
export function mapJsonText(text: string, change: ChangeString, key?: string): string | undefined {
  if (!isJsonContainer(text)) return undefined;
  const containers: (string | undefined)[] = [];
  let nearest = key;
  let result = '';
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '{' || char === '[') containers.push(nearest);
    else if (char === '}' || char === ']') nearest = containers.pop();
    else if (char === '"') {
      const end = endOfLiteral(text, at);
      const decoded = JSON.parse(text.slice(at, end)) as string;
      const isKey = isColonAhead(text, end);
      const changed = change(decoded, placeOf(isKey ? containers.at(-1) : nearest, isKey));
      if (isKey) nearest = decoded;
      if (changed !== decoded) {
        result += text.slice(from, at) + JSON.stringify(changed);
        from = end;
      }
      at = end - 1;
    }
  }
  return from === 0 ? text : result + text.slice(from);
}

/** A place; the field `key` is absent where there is no key. */
export function placeOf(key: string | undefined, isKey: boolean): StringPlace {
  return key === undefined ? { isKey } : { key, isKey };
}

function isJsonContainer(text: string): boolean {
  if (!/^\s{0,64}[[{"]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The index behind a string literal of a valid JSON text. A loop: a regular expression may run out of stack here. */
function endOfLiteral(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

function isColonAhead(text: string, from: number): boolean {
  for (let at = from; at < text.length; at += 1) {
    const char = text[at];
    if (char !== ' ' && char !== '\n' && char !== '\r' && char !== '\t') return char === ':';
  }
  return false;
}
