import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { PAGES } from '../../scripts/pages.ts';

const ROOT = join(import.meta.dirname, '../..');

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

test.each(Object.entries(PAGES))('%s is what the tables say; npm run docs', (path, write) => {
  expect(read(path)).toBe(write());
});

test.each(Object.keys(PAGES).filter((path) => path.endsWith('.json')))(
  '%s is a JSON Schema that a strict validator takes',
  (path) => {
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
    expect(ajv.compile(JSON.parse(read(path)) as object)({})).toBeTypeOf('boolean');
  },
);

test('the schema of hook.json tells a good manifest from a bad one', () => {
  const check = new Ajv2020().compile(JSON.parse(read('sdk/schemas/hook.schema.json')) as object);
  expect(check({ name: 'guard', points: ['preInput'] })).toBe(true);
  expect(check({ name: 'guard', points: ['preLaunch'] })).toBe(false);
  expect(check({ name: '../guard', points: ['preInput'] })).toBe(false);
});
