import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { requireOwn } from '../../../host/home.ts';

/** The meta-schema of JSON Schema 2020-12 in its parts, as ajv brings it. */
const PARTS = [
  'schema',
  'meta/core',
  'meta/applicator',
  'meta/unevaluated',
  'meta/validation',
  'meta/meta-data',
  'meta/format-annotation',
  'meta/content',
];

interface Part {
  readonly properties: Readonly<Record<string, object>>;
  readonly $defs?: Readonly<Record<string, object>>;
}

/**
 * Makes a check of schemas against the meta-schema, for the keywords that a schema has: to compile all of it takes longer
 * than everything else at a start. Gives what is wrong.
 */
export function openMetaSchema(): (schema: object) => string | undefined {
  const ajv = new Ajv2020({
    meta: false,
    validateSchema: false,
    validateFormats: false,
    addUsedSchema: false,
    strict: false,
    code: { optimize: false },
  });
  const parts = PARTS.map(readPart);
  const rows = Object.assign(
    {},
    ...parts.map(({ properties }) => properties),
  ) as Part['properties'];
  const $defs: object = Object.assign({}, ...parts.map((part) => part.$defs)) as object;
  const used = new Set<string>();
  let validate: ValidateFunction | undefined;
  return (schema) => {
    const before = used.size;
    forEachKey(schema, (key) => Object.hasOwn(rows, key) && used.add(key));
    if (validate === undefined || used.size > before) {
      const properties = Object.fromEntries(Object.entries(rows).filter(([key]) => used.has(key)));
      const schemaOfSchemas = { type: ['object', 'boolean'], properties };
      validate = ajv.compile({
        $ref: '#/$defs/schema',
        $defs: { ...$defs, schema: schemaOfSchemas },
      });
    }
    if (validate(schema)) return undefined;
    return `schema is invalid: ${ajv.errorsText(validate.errors, { dataVar: 'schema' })}`;
  };
}

/** In one schema, where its parts referred to each other. */
function readPart(name: string): Part {
  const text = JSON.stringify(requireOwn(`ajv/dist/refs/json-schema-2020-12/${name}.json`))
    .replaceAll('"$dynamicRef":"#meta"', '"$ref":"#/$defs/schema"')
    .replaceAll(/"meta\/(?:core|validation)#/g, '"#');
  return JSON.parse(text) as Part;
}

/** Tells of every key; a property may have the name of a keyword. */
function forEachKey(value: unknown, onKey: (key: string) => void): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, child] of Object.entries(value)) {
    if (!Array.isArray(value)) onKey(key);
    forEachKey(child, onKey);
  }
}
