import { Ajv, type Options, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Schema } from '../sdk/json-schema.ts';
import { openLinearPatterns } from './packages/config-schema/linear-patterns.ts';
import { findSchemaFault } from './packages/config-schema/schema-caps.ts';

/** Says why a value does not fit, naming the place and never the value; `undefined` when it fits. */
export type Validator = (value: unknown) => string | undefined;

/** A validator, or why a schema cannot be used. */
export type CompiledSchema =
  | { readonly ok: true; readonly misfit: Validator }
  | { readonly ok: false; readonly detail: string };

/**
 * A validator of a schema of our own. It writes the defaults of the schema's top level into the value that it is given
 * and looks at own properties alone.
 */
export function compileOwnSchema(schema: Schema): Validator {
  return describing(new Ajv(OWN).compile(schema));
}

const OWN: Options = {
  useDefaults: true,
  ownProperties: true,
  strictTypes: false,
  // Tests hold our schemas against the meta-schema; to compile it for each would take most of a start.
  meta: false,
  validateSchema: false,
  code: { optimize: false },
};

/**
 * A validator of a schema that others wrote: capped, without defaults or remote `$ref`, with regular expressions that
 * run in linear time under a budget.
 */
export function compileForeignSchema(schema: object): CompiledSchema {
  const fault = findSchemaFault(schema);
  if (fault !== undefined) return { ok: false, detail: fault };
  const patterns = openLinearPatterns();
  const options = { ...FOREIGN, code: { regExp: patterns.engine } };
  // A list of `items` means another thing in each draft; a schema that names none is read by the older one.
  const { $schema, $id: _, ...plain } = schema as Readonly<Record<string, unknown>>;
  const isNew = typeof $schema === 'string' && /20(19-09|20-12)/.test($schema);
  const ajv = isNew ? new Ajv2020(options) : new Ajv(options);
  try {
    const misfit = describing(ajv.compile(plain));
    return { ok: true, misfit: (value) => checkWithin(patterns.refill, misfit, value) };
  } catch {
    return { ok: false, detail: 'it is no JSON Schema' };
  }
}

const FOREIGN: Options = {
  strict: false,
  // A meta-schema would be one more schema to trust; an unknown one is no reason to refuse a tool.
  meta: false,
  validateSchema: false,
  validateFormats: false,
  addUsedSchema: false,
  inlineRefs: false,
  ownProperties: true,
  logger: false,
};

function checkWithin(refill: () => void, misfit: Validator, value: unknown): string | undefined {
  refill();
  try {
    return misfit(value);
  } catch {
    return 'they cannot be checked within the budget of a schema';
  }
}

function describing(validate: ValidateFunction): Validator {
  return (value) => {
    if (validate(value) === true) return undefined;
    const [error] = validate.errors ?? [];
    const place = error?.instancePath ? `${error.instancePath} ` : '';
    return `${place}${error?.message ?? 'does not fit'}`;
  };
}
