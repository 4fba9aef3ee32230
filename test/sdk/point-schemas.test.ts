import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { POINTS } from '../../sdk/points.ts';

// The runtime compiles these schemas without a look at the meta-schema, which takes ten times as long.
test.each(Object.entries(POINTS))('the payload schema of %s is a JSON Schema', (_, { payload }) => {
  const ajv = new Ajv({ strictTypes: false });
  expect(ajv.validateSchema(payload), ajv.errorsText()).toBe(true);
});
