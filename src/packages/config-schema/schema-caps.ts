const MAX_PARTS = 2000;
const MAX_DEPTH = 32;
/** Parts that a value is held against once every reference is followed; a short schema can double with each step. */
const MAX_UNFOLDED = 10_000;

/** Keywords that reach out of the schema or change how it is read. */
const REFUSED = [
  '$async',
  '$dynamicRef',
  '$dynamicAnchor',
  '$recursiveRef',
  '$recursiveAnchor',
  '$anchor',
  '$vocabulary',
];
/** Keywords whose keys are names, each with a schema. */
const MAPS = ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'];
/** Keywords that hold data. */
const DATA = ['enum', 'const', 'default', 'examples', 'required'];
const SCALARS = ['string', 'number', 'integer', 'boolean'];

/**
 * Why a schema that somebody else wrote must not be compiled, or `undefined`. References go to the schema's own `$defs` or
 * `definitions`, and not in circles.
 */
export function findSchemaFault(schema: object): string | undefined {
  const survey: Survey = { root: schema, parts: 0, sizes: new Map(), open: new Set() };
  try {
    inspect(survey, schema, { depth: 0, isMap: false, isData: false });
    const size = unfoldedSize(survey, schema, false);
    return size > MAX_UNFOLDED ? `it unfolds to more than ${MAX_UNFOLDED} parts` : undefined;
  } catch (error) {
    if (error instanceof SchemaFault) return error.message;
    throw error;
  }
}

interface Survey {
  readonly root: object;
  parts: number;
  readonly sizes: Map<object, number>;
  readonly open: Set<object>;
}

interface Position {
  readonly depth: number;
  readonly isMap: boolean;
  readonly isData: boolean;
}

class SchemaFault extends Error {}

function inspect(survey: Survey, node: unknown, position: Position): void {
  const { depth, isMap, isData } = position;
  if (depth > MAX_DEPTH) throw new SchemaFault(`it is nested more than ${MAX_DEPTH} deep`);
  if (typeof node !== 'object' || node === null) return;
  if (++survey.parts > MAX_PARTS) throw new SchemaFault(`it has more than ${MAX_PARTS} parts`);
  const isSchema = !isMap && !isData && !Array.isArray(node);
  if (isSchema) inspectKeywords(node as Readonly<Record<string, unknown>>, depth);
  for (const [key, value] of Object.entries(node)) {
    inspect(survey, value, {
      depth: depth + 1,
      isMap: isSchema && MAPS.includes(key),
      isData: isData || (isSchema && DATA.includes(key)),
    });
  }
}

function inspectKeywords(schema: Readonly<Record<string, unknown>>, depth: number): void {
  const refused = REFUSED.find((keyword) => Object.hasOwn(schema, keyword));
  if (refused !== undefined) throw new SchemaFault(`it uses "${refused}"`);
  if (depth > 0 && Object.hasOwn(schema, '$id'))
    throw new SchemaFault('it uses "$id" below the root');
  const { $ref, items, uniqueItems } = schema;
  const isOwn = typeof $ref === 'string' && /^#\/(?:\$defs|definitions)\/[^/]+$/.test($ref);
  if ($ref !== undefined && !isOwn) {
    throw new SchemaFault('it refers to something else than its own "$defs"');
  }
  // Comparing objects with each other takes quadratic time.
  if (
    uniqueItems === true &&
    !SCALARS.includes(String((items as { type?: unknown } | undefined)?.type))
  ) {
    throw new SchemaFault('it uses "uniqueItems" on items that are no strings or numbers');
  }
}

function unfoldedSize(survey: Survey, node: unknown, isMap: boolean): number {
  if (typeof node !== 'object' || node === null) return 0;
  const known = survey.sizes.get(node);
  if (known !== undefined) return known;
  if (survey.open.has(node)) throw new SchemaFault('its references go round in a circle');
  survey.open.add(node);
  const isSchema = !isMap && !Array.isArray(node);
  let size = 1;
  for (const [key, value] of Object.entries(node)) {
    // Definitions count where they are referred to.
    if (isSchema && (key === '$defs' || key === 'definitions' || DATA.includes(key))) continue;
    const isReference = isSchema && key === '$ref';
    size += isReference
      ? unfoldedSize(survey, definition(survey, String(value)), false)
      : unfoldedSize(survey, value, isSchema && MAPS.includes(key));
  }
  survey.open.delete(node);
  survey.sizes.set(node, size);
  return size;
}

function definition(survey: Survey, reference: string): unknown {
  const [, group = '', written = ''] = reference.split('/');
  const definitions = (survey.root as Readonly<Record<string, unknown>>)[group];
  const name = unescape(written);
  if (
    typeof definitions !== 'object' ||
    definitions === null ||
    !Object.hasOwn(definitions, name)
  ) {
    throw new SchemaFault('it refers to a definition that is not there');
  }
  return (definitions as Readonly<Record<string, unknown>>)[name];
}

function unescape(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    throw new SchemaFault('it has a reference that cannot be read');
  }
}
