import swagger from '@fastify/swagger';
import type { FastifyInstance, FastifySchema } from 'fastify';

import { POINT_NAMES } from '../../sdk/points.ts';
import { ANSWERS } from './answer-schemas.ts';
import { EXAMPLES } from './examples.ts';
import {
  ERROR_SCHEMA,
  HEALTH_SCHEMA,
  INVENTORY_SCHEMA,
  payloadName,
  payloadSchema,
  TEST_REPORT_SCHEMA,
  VERDICT_SCHEMA,
} from './schemas.ts';

const SHARED = [
  VERDICT_SCHEMA,
  TEST_REPORT_SCHEMA,
  INVENTORY_SCHEMA,
  HEALTH_SCHEMA,
  ERROR_SCHEMA,
  ...Object.entries(ANSWERS).map(([name, schema]) => ({ ...schema, $id: name })),
];

/** Makes the OpenAPI document out of the schemas of the routes that are added after it. */
export async function registerOpenApi(app: FastifyInstance, version: string): Promise<void> {
  for (const schema of [...SHARED, ...POINT_NAMES.map(payloadSchema)]) app.addSchema(schema);
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Signalbox',
        version,
        description:
          'Asks the hooks of an agent. "x-role" is what a token must be of to call a route. An answer that is not 200 means that nothing was decided: the caller must then not do what it asked about.',
      },
      components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
      security: [{ token: [] }],
    },
    transformObject: (document) => {
      if (!('openapiObject' in document)) return document.swaggerObject;
      withExamples(document.openapiObject.paths);
      return document.openapiObject;
    },
    refResolver: { buildLocalReference: ({ $id }) => (typeof $id === 'string' ? $id : 'Unnamed') },
    transform: ({ schema, url, route }) => {
      const { role = 'admin' } = route.config ?? {};
      return { schema: { ...withPayloads(schema ?? {}), 'x-role': role }, url };
    },
  });
}

interface DocumentedOperation {
  readonly operationId?: string;
  readonly requestBody?: { readonly content?: Content };
  readonly responses?: Readonly<Record<string, { readonly content?: Content }>>;
}
type Content = Readonly<Record<string, { example?: unknown }>>;

/** Puts the example of each operation beside its schemas. */
function withExamples(paths: Readonly<Record<string, object | undefined>> = {}): void {
  for (const path of Object.values(paths)) {
    for (const operation of Object.values(path ?? {}) as DocumentedOperation[]) {
      const { body, answer } = EXAMPLES[operation.operationId ?? ''] ?? {};
      for (const media of Object.values(operation.requestBody?.content ?? {})) {
        if (body !== undefined) media.example = body;
      }
      for (const media of Object.values(operation.responses?.['200']?.content ?? {})) {
        media.example = answer;
      }
    }
  }
}

/** The runtime holds payloads against their points itself, so that the routes only say that there is one. */
function withPayloads(schema: FastifySchema): FastifySchema {
  const body = schema.body as { properties?: { payload?: unknown } } | undefined;
  if (body?.properties?.payload === undefined) return schema;
  const payload = { anyOf: POINT_NAMES.map((point) => ({ $ref: `${payloadName(point)}#` })) };
  return { ...schema, body: { ...body, properties: { ...body.properties, payload } } };
}

/** The answers of a route: what it answers with 200, and the statuses of its errors. */
export function answers(name: string, ...errors: readonly number[]): Record<number, object> {
  return { 200: { $ref: `${name}#` }, ...failures(errors) };
}

/** The answers of a route that does not answer in JSON. */
export function textAnswers(type: string, ...errors: readonly number[]): Record<number, object> {
  const content = { [type]: { schema: { type: 'string' } } };
  return { 200: { description: 'Text', content }, ...failures(errors) };
}

function failures(errors: readonly number[]): Record<number, object> {
  const listed: Record<number, object> = {};
  for (const status of errors) listed[status] = { $ref: 'Error#' };
  return listed;
}
