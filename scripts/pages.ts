import type { ObjectSchema } from '../sdk/json-schema.ts';
import { MANIFEST_SCHEMA, RUNTIME_SCHEMA } from '../sdk/schemas.ts';
import { contractsPage } from './docs-contracts.ts';
import { errorsPage } from './docs-errors.ts';
import { pointsPage } from './docs-points.ts';
import { settingsPage } from './docs-settings.ts';
import { turnPage } from './docs-turn.ts';

/** The files that tables write, by path in the checkout. */
export const PAGES: Readonly<Record<string, () => string>> = {
  'docs/points.md': pointsPage,
  'docs/errors.md': errorsPage,
  'docs/settings.md': settingsPage,
  'docs/turn.md': turnPage,
  'docs/contracts.md': contractsPage,
  'sdk/schemas/hook.schema.json': () => schemaFile(MANIFEST_SCHEMA),
  'sdk/schemas/runtime.schema.json': () => schemaFile(RUNTIME_SCHEMA),
};

function schemaFile(schema: ObjectSchema): string {
  const dialect = { $schema: 'https://json-schema.org/draft/2020-12/schema' };
  return `${JSON.stringify({ ...dialect, ...schema }, undefined, 2)}\n`;
}
