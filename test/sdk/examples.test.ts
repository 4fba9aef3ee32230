import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as sdk from '../../sdk/index.ts';
import { ROOT, sourceFiles } from '../house/imports.ts';

const SDK = pathToFileURL(join(ROOT, 'sdk/index.ts')).href;

/** The examples in the docstrings of the sdk, with the file each stands in. */
const EXAMPLES = sourceFiles('sdk').flatMap((file) => {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return [...text.matchAll(/@example\n \* ```ts\n(.*?) \* ```/gs)].map((match, index) => ({
    name: `${file} #${index + 1}`,
    code: (match[1] ?? '').replaceAll(/^ \* ?/gm, ''),
  }));
});

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-examples-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('there are examples', () => {
  expect(EXAMPLES.length).toBeGreaterThan(10);
});

test.each(EXAMPLES)('the example of $name does what its comments say', async ({ name, code }) => {
  const file = join(folder, `${name.replaceAll(/\W+/g, '-')}.ts`);
  writeFileSync(file, asModule(code));
  const { claims } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as {
    claims: [actual: unknown, claimed: unknown][];
  };
  expect(claims.length > 0 || code.includes('export default')).toBe(true);
  for (const [actual, claimed] of claims) expect(actual).toEqual(claimed);
});

/** The example as a module that keeps what each `expression; // value` came to, and what it should come to. */
function asModule(code: string): string {
  const names = Object.keys(sdk).filter((name) => new RegExp(`\\b${name}\\b`).test(code));
  const body = code.replaceAll(/^(?!const )(.+); \/\/ (.+)$/gm, 'claims.push([$1, ($2)]);');
  return [
    `import { ${names.join(', ')} } from ${JSON.stringify(SDK)};`,
    'export const claims: [unknown, unknown][] = [];',
    body,
  ].join('\n');
}
