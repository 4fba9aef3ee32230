import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PAGES } from '../../scripts/docs.ts';

const DOCS = join(import.meta.dirname, '../../docs');

test.each(Object.entries(PAGES))('docs/%s is what the tables say; npm run docs', (name, write) => {
  expect(readFileSync(join(DOCS, name), 'utf8')).toBe(write());
});
