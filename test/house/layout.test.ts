import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { importsOf, ROOT, SOURCE_FOLDERS, sourceFiles } from './imports.ts';

const FILES = SOURCE_FOLDERS.flatMap((folder) => sourceFiles(folder));

/** Libraries that may be replaced one day, and how many files may know each. */
const PLACES = {
  'isolated-vm': 1,
  piscina: 1,
  pacote: 1,
  tar: 1,
  re2js: 1,
  'node:sqlite': 1,
  // Our own entries are bundled in host/, packages in src/.
  esbuild: 2,
};

const MEANINGLESS = /^(utils?|helpers?|common|misc|managers?)\b|[-.](utils?|helpers?|manager)\./;

test.each(Object.entries(PLACES))('%s is imported in %i files at most', (library, most) => {
  const users = FILES.filter((file) => importsOf(file).includes(library));
  expect(users.length, users.join(', ')).toBeLessThanOrEqual(most);
});

test('SQL is written in src/sql alone', () => {
  const users = FILES.filter((file) => importsOf(file).includes('kysely'));
  expect(users.filter((file) => !file.startsWith('src/sql/'))).toEqual([]);
});

test('the sdk has no dependency', () => {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'sdk/package.json'), 'utf8')) as object;
  expect(manifest).not.toHaveProperty('dependencies');
  expect(manifest).not.toHaveProperty('peerDependencies');
});

test('a file is named after what it owns', () => {
  expect(FILES.filter((file) => MEANINGLESS.test(basename(file)))).toEqual([]);
});

test('a folder of sources holds no more than 24 files', () => {
  const counts = new Map<string, number>();
  for (const file of FILES) {
    const folder = file.slice(0, file.lastIndexOf('/'));
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  expect([...counts].filter(([, count]) => count > 24)).toEqual([]);
});

// The globals of an isolate reach private fields of their classes through a variable that a static block sets once.
test('no module keeps state that changes, but for classes of the isolate that share a secret', () => {
  const changing = FILES.filter((file) => !file.startsWith('host/guest/web/')).filter((file) =>
    /^(export )?(let|var) /m.test(readFileSync(join(ROOT, file), 'utf8')),
  );
  expect(changing).toEqual([]);
});
