import { LIMITS } from '../../sdk/limits.ts';
import { isTooDeep } from '../../sdk/parse-decision.ts';

/** Equality comparisons by field; a dot steps into an object. */
export type Filter = Readonly<Record<string, string | number | boolean | null>>;

/** Checks say what is wrong with an argument, or `undefined`; they never echo it. */
export type Problem = string | undefined;

/** Fields that one filter may compare. */
const MAX_FIELDS = 32;

/** A collection is named as a capability's scope is, so that every collection can be granted. */
export function collectionProblem(value: unknown): Problem {
  if (typeof value !== 'string') return 'the collection must be a string';
  const isPlain = value.length <= 253 && /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(value);
  return isPlain ? undefined : 'the collection must be a plain name';
}

/** Keys are any text that comes back from the database as it went in. */
export function keyProblem(value: unknown): Problem {
  if (typeof value !== 'string') return 'the key must be a string';
  if (value === '') return 'the key must not be empty';
  // The length first: bytes are counted only for what can be short enough.
  if (value.length > LIMITS.storeKeyBytes || Buffer.byteLength(value) > LIMITS.storeKeyBytes) {
    return `the key is longer than ${LIMITS.storeKeyBytes} bytes`;
  }
  return isStorable(value) ? undefined : 'the key holds characters that cannot be stored';
}

/** Whether SQLite gives a text back unchanged: lone surrogates become U+FFFD there, NUL ends some functions' texts. */
function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** A filter is a flat object of plain field names and scalars. */
export function filterProblem(value: unknown): Problem {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return 'the filter must be an object';
  const entries = Object.entries(value);
  if (entries.length > MAX_FIELDS) return `the filter has more than ${MAX_FIELDS} fields`;
  let bytes = 2;
  for (const [field, item] of entries) {
    const problem = fieldProblem(field) ?? scalarProblem(item);
    if (problem !== undefined) return problem;
    // Scalars alone come here, so that the text is no longer than the message it came in.
    bytes += Buffer.byteLength(JSON.stringify(item)) + field.length + 4;
    if (bytes > LIMITS.filterBytes) return `the filter is longer than ${LIMITS.filterBytes} bytes`;
  }
  return undefined;
}

/** A field path: at most 8 names of letters, digits, `_` and `-`, joined by dots. */
export function fieldProblem(field: string): Problem {
  const isPlain = field.length <= 256 && /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+){0,7}$/.test(field);
  return isPlain ? undefined : 'a field of the filter is no plain name';
}

function scalarProblem(value: unknown): Problem {
  if (value === null || typeof value === 'boolean') return undefined;
  if (typeof value === 'number') {
    return Number.isFinite(value) ? undefined : 'a value of the filter is no finite number';
  }
  if (typeof value !== 'string') {
    return 'a value of the filter must be a string, number, boolean or null';
  }
  return isStorable(value)
    ? undefined
    : 'a value of the filter holds characters that cannot be stored';
}

/** A row is any JSON value that is neither too deep nor too large. */
export function valueProblem(value: unknown): Problem {
  if (value === undefined) return 'the value is missing';
  // SQLite reads JSON 1000 deep; one deeper row would fail every query of its collection.
  if (isTooDeep(value, LIMITS.nesting)) return `the value is nested deeper than ${LIMITS.nesting}`;
  const text = JSON.stringify(value);
  if (text === undefined) return 'the value has no JSON form';
  const isLarge =
    text.length > LIMITS.storeValueBytes || Buffer.byteLength(text) > LIMITS.storeValueBytes;
  return isLarge ? `the value is longer than ${LIMITS.storeValueBytes} bytes` : undefined;
}
