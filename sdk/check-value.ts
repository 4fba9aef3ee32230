import type { Schema } from './json-schema.ts';

/**
 * Why a JSON value does not fit a schema, or `undefined` when it does. Reads the keywords that the tables of this
 * package use, runs inside a sandbox as well as outside, and never echoes the value.
 */
export function misfit(value: unknown, schema: Schema, at: string): string | undefined {
  if (schema.enum !== undefined) {
    const isListed = schema.enum.some((item) => item === value);
    return isListed ? undefined : `${at} must be one of ${schema.enum.join(', ')}`;
  }
  if (schema.type !== undefined && !hasType(value, schema.type)) {
    return `${at} must be ${schema.type === 'integer' ? 'an' : 'a'} ${schema.type}`;
  }
  if (typeof value === 'string') return misfitString(value, schema, at);
  if (typeof value === 'number') return misfitNumber(value, schema, at);
  if (Array.isArray(value)) return misfitArray(value, schema, at);
  if (schema.properties !== undefined) return misfitObject(value as object, schema, at);
  return undefined;
}

function hasType(value: unknown, type: NonNullable<Schema['type']>): boolean {
  switch (type) {
    case 'string':
    case 'boolean':
    case 'number':
      return typeof value === type;
    case 'integer':
      return Number.isInteger(value);
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
  }
}

function misfitString(value: string, schema: Schema, at: string): string | undefined {
  const { minLength = 0, maxLength = Infinity } = schema;
  if (value.length < minLength)
    return minLength === 1 ? `${at} must not be empty` : `${at} is too short`;
  return value.length > maxLength ? `${at} is longer than ${maxLength} characters` : undefined;
}

function misfitNumber(value: number, schema: Schema, at: string): string | undefined {
  const { minimum = -Infinity, maximum = Infinity } = schema;
  if (value < minimum) return `${at} must be at least ${minimum}`;
  return value > maximum ? `${at} must be at most ${maximum}` : undefined;
}

function misfitArray(value: readonly unknown[], schema: Schema, at: string): string | undefined {
  const { minItems = 0, maxItems = Infinity, items } = schema;
  if (value.length < minItems) return `${at} must have at least ${minItems} items`;
  if (value.length > maxItems) return `${at} must have at most ${maxItems} items`;
  if (schema.uniqueItems === true && new Set(value).size < value.length)
    return `${at} has an item twice`;
  if (items === undefined) return undefined;
  for (const [index, item] of value.entries()) {
    const problem = misfit(item, items, `${at}[${index}]`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function misfitObject(value: object, schema: Schema, at: string): string | undefined {
  const properties = schema.properties ?? {};
  for (const key of schema.required ?? []) {
    if (!Object.hasOwn(value, key)) return `${at} lacks "${key}"`;
  }
  for (const [key, item] of Object.entries(value)) {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (property === undefined) {
      if (schema.additionalProperties === false)
        return `${at} has the unknown key "${shorten(key)}"`;
      continue;
    }
    const problem = misfit(item, property, `${at}.${key}`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** A key as it may be shown: printable, at most 40 characters. */
export function shorten(key: string): string {
  const plain = key.replace(/[^\x20-\x7e]/g, '?');
  return plain.length > 40 ? `${plain.slice(0, 40)}…` : plain;
}
