import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { keyOf } from '../../config/json-text.ts';
import { suggestion } from '../../config/nearest.ts';
import { printable } from '../../config/printable.ts';
import { openLinearPatterns } from './linear-patterns.ts';
import { openMetaSchema } from './meta-schema.ts';
import { findSchemaFault } from './schema-caps.ts';

/** A compiled `configSchema`, or why it is none. `check` tells what is wrong with a config, without its values. */
export type ConfigSchema =
  | { readonly ok: true; readonly check: (config: unknown) => string | undefined }
  | { readonly ok: false; readonly detail: string };

/**
 * Makes a compiler for the `configSchema` of manifests. Packages write them, so that each is capped, its regular
 * expressions run in linear time, and it neither fetches nor fills in anything.
 */
export function openConfigSchemas(): (schema: object) => ConfigSchema {
  const patterns = openLinearPatterns();
  const findMetaFault = openMetaSchema();
  const ajv = new Ajv2020({
    strict: true,
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
    allowUnionTypes: true,
    validateFormats: false,
    meta: false,
    validateSchema: false,
    useDefaults: false,
    addUsedSchema: false,
    logger: false,
    verbose: true,
    code: { regExp: patterns.engine, optimize: false },
  });
  return (schema) => {
    const fault = findSchemaFault(schema);
    if (fault !== undefined) return { ok: false, detail: fault };
    // ajv would keep an identifier, and two packages may have the same one; nothing refers to it.
    const { $id: _, $schema: __, ...plain } = schema as Readonly<Record<string, unknown>>;
    try {
      const metaFault = findMetaFault(plain);
      if (metaFault !== undefined) return { ok: false, detail: printable(metaFault) };
      patterns.refill();
      const validate = ajv.compile(plain);
      return {
        ok: true,
        check: (config) => {
          patterns.refill();
          return checkConfig(validate, config);
        },
      };
    } catch (error) {
      return { ok: false, detail: printable(error instanceof Error ? error.message : 'no schema') };
    }
  };
}

interface Validate {
  (value: unknown): unknown;
  errors?: ErrorObject[] | null;
}

function checkConfig(validate: Validate, config: unknown): string | undefined {
  try {
    if (validate(config) === true) return undefined;
  } catch {
    return 'config cannot be checked against configSchema within its budget';
  }
  const [error] = validate.errors ?? [];
  if (error === undefined) return 'config does not fit configSchema';
  const path = error.instancePath.split('/').slice(1);
  const keys = path.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const at = keyOf(['config', ...keys]);
  if (error.keyword === 'additionalProperties') {
    const key = String(error.params['additionalProperty']);
    const known = Object.keys((error.parentSchema?.['properties'] ?? {}) as object);
    return printable(`${at} has the unknown key "${printable(key, 80)}"${suggestion(key, known)}`);
  }
  return printable(`${at} ${error.message ?? 'does not fit configSchema'}`);
}
