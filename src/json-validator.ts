import { Ajv, type Options, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { RE2JS } from 're2js';
import type { Schema } from '../sdk/json-schema.ts';

/** Says why a value does not fit, naming the place and never the value; `undefined` when it fits. */
export type Validator = (value: unknown) => string | undefined;

/**
 * A validator of a schema of our own. It writes the defaults of the schema's top level into the value that it is given
 * and looks at own properties alone.
 */
export function compileOwnSchema(schema: Schema): Validator {
  const ajv = new Ajv({ useDefaults: true, ownProperties: true, strictTypes: false });
  return describing(ajv.compile(schema));
}

/**
 * A validator of a schema that others wrote: no defaults, no remote `$ref`, regular expressions in linear time. Throws
 * when the schema cannot be compiled.
 */
export function compileForeignSchema(schema: object): Validator {
  const { $schema } = schema as { readonly $schema?: unknown };
  const isNew = typeof $schema === 'string' && /20(19-09|20-12)/.test($schema);
  const ajv = isNew ? new Ajv2020(FOREIGN) : new Ajv(FOREIGN);
  // The built-in keyword compares each item with each other one.
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    errors: false,
    validate: (isWanted: boolean, items: readonly unknown[]) => !isWanted || areUnique(items),
  });
  return describing(ajv.compile(schema));
}

const FOREIGN: Options = {
  strict: false,
  // A meta-schema would be one more schema to trust and load; an unknown one is no reason to refuse a tool.
  meta: false,
  validateSchema: false,
  validateFormats: false,
  addUsedSchema: false,
  inlineRefs: false,
  ownProperties: true,
  logger: false,
  code: { regExp: Object.assign(linearRegExp, { code: 'linearRegExp' }) },
};

/** A regular expression whose time grows with the text alone: https://github.com/google/re2/wiki/WhyRE2. */
function linearRegExp(pattern: string): { test(text: string): boolean } {
  const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
  return { test: (text) => compiled.test(text) };
}

function areUnique(items: readonly unknown[]): boolean {
  return new Set(items.map((item) => JSON.stringify(item, sortKeys))).size === items.length;
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function describing(validate: ValidateFunction): Validator {
  return (value) => {
    if (validate(value) === true) return undefined;
    const [error] = validate.errors ?? [];
    const place = error?.instancePath ? `${error.instancePath} ` : '';
    return `${place}${error?.message ?? 'does not fit'}`;
  };
}
