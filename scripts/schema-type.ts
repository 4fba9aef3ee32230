import type { Schema } from '../sdk/json-schema.ts';
import { code, codes } from './markdown.ts';

/** A longer list of values has a table of its own. */
const MANY = 12;

/** What a schema accepts, in the words of the docs. */
export function typeOf(schema: Schema): string {
  if (schema.anyOf !== undefined) return schema.anyOf.map((choice) => typeOf(choice)).join(' or ');
  if (schema.enum !== undefined && schema.enum.length > MANY) return 'a name of their table';
  if (schema.enum !== undefined) return codes(schema.enum.map((value) => JSON.stringify(value)));
  if (schema.type === 'array') {
    const items = schema.items === undefined ? 'any value' : typeOf(schema.items);
    return `array of ${items}`;
  }
  if (schema.type === 'null') return code('null');
  if (schema.type !== 'object') return schema.type ?? 'any value';
  if (schema.properties === undefined) return 'object';
  const keys = Object.keys(schema.properties).map((key) =>
    schema.required?.includes(key) === true ? key : `${key}?`,
  );
  return `object ${code(`{${keys.join(', ')}}`)}`;
}
