import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROOT } from './imports.ts';

/** What must not pass: the file it is written in, its text, and the rule that refuses it. */
const BAD: readonly (readonly [file: string, text: string, rule: string])[] = [
  ['sdk/npm.ts', "export * from 'semver';", 'no-restricted-imports'],
  ['sdk/node.ts', "export { join } from 'node:path';", 'no-restricted-imports'],
  ['sdk/host.ts', "export type { A } from '../host/a.ts';", 'no-restricted-imports'],
  ['sdk/contracts/src.ts', "export type { A } from '../../src/a.ts';", 'no-restricted-imports'],
  ['sdk/lazy.ts', "export const lazy = () => import('semver');", 'no-restricted-imports'],
  ['sdk/global.ts', 'export const now = () => process.uptime();', 'no-restricted-globals'],
  ['host/guest/global.ts', "export const a = Buffer.from('a');", 'no-restricted-globals'],
  ['host/src.ts', "export type { A } from '../src/a.ts';", 'no-restricted-imports'],
  ['host/guest/test.ts', "export type { A } from '../../test/a.ts';", 'no-restricted-imports'],
  ['src/hooks.ts', "export type { A } from '../hooks/a.ts';", 'no-restricted-imports'],
  ['src/cli/test.ts', "export type { A } from '../../test/a.ts';", 'no-restricted-imports'],
  ['src/chain/node.ts', "export { join } from 'node:path';", 'no-restricted-imports'],
  ['src/chain/clock.ts', 'export const now = () => Date.now();', 'no-restricted-globals'],
  ['hooks/a/index.mjs', "export * from '../../src/a.ts';", 'no-restricted-imports'],
  ['hooks/b/index.mjs', "export * from '../../host/a.ts';", 'no-restricted-imports'],
  ['src/round.ts', "import { b } from './trip.ts';\nexport const a = () => b;", 'no-cycle'],
  ['src/any.ts', 'export const a = (b: any): void => b;', 'no-explicit-any'],
  ['src/print.ts', "console.log('a');\nexport const a = 1;", 'no-console'],
  ['src/evaluate.ts', "export const a = eval('1') as number;", 'no-eval'],
  ['src/construct.ts', "export const a = new Function('return 1');", 'no-new-func'],
  ['src/default.ts', 'export default 1;', 'no-default-export'],
  ['src/params.ts', 'export const a = (b: 1, c: 1, d: 1, e: 1) => [b, c, d, e];', 'max-params'],
  [
    'src/long.ts',
    Array.from({ length: 301 }, (_, i) => `export const a${i} = ${i};`).join('\n'),
    'max-lines',
  ],
  ['src/kebabCase.ts', 'export const a = 1;', 'filename-case'],
  [
    'src/floating.ts',
    'const a = (): Promise<void> => Promise.resolve();\nexport const b = (): void => {\n  a();\n};',
    'no-floating-promises',
  ],
  [
    'host/message.ts',
    "export function a(b: 'c' | 'd'): number {\n  switch (b) {\n    case 'c':\n      return 1;\n    default:\n      return 2;\n  }\n}",
    'switch-exhaustiveness-check',
  ],
  [
    'src/exhaustive.ts',
    "export function a(b: 'c' | 'd'): number | undefined {\n  switch (b) {\n    case 'c':\n      return 1;\n  }\n  return undefined;\n}",
    'switch-exhaustiveness-check',
  ],
];

/** What must pass, so that the rules are not merely refusing everything. */
const GOOD = {
  'src/trip.ts': "import { a } from './round.ts';\nexport const b = () => a;",
  'sdk/points/rows.ts': Array.from({ length: 301 }, (_, i) => `export const a${i} = ${i};`).join(
    '\n',
  ),
  'sdk/contracts/own.ts': "export type { A } from '../own.ts';",
  'host/sdk.ts': "export type { A } from '../sdk/a.ts';\nexport { join } from 'node:path';",
  'src/chain/pure.ts': "export type { A } from '../../sdk/a.ts';",
  'hooks/c/index.mjs': "export { POINTS } from '@signalbox/sdk';\nexport default 1;",
};

let folder: string;
let found: ReadonlyMap<string, string>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-lint-'));
  copyFileSync(join(ROOT, '.oxlintrc.json'), join(folder, '.oxlintrc.json'));
  write(
    'tsconfig.json',
    '{"compilerOptions":{"strict":true,"module":"nodenext","types":[],"noEmit":true,"allowImportingTsExtensions":true}}',
  );
  for (const [file, text] of BAD) write(file, text);
  for (const [file, text] of Object.entries(GOOD)) write(file, text);
  found = await lint();
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each(BAD)('the linter refuses %s', (file, _, rule) => {
  expect(found.get(file)).toContain(rule);
});

test.each(Object.keys(GOOD).filter((file) => file !== 'src/trip.ts'))('it lets %s pass', (file) => {
  expect(found.get(file)).toBeUndefined();
});

function write(file: string, text: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), `${text}\n`);
}

/** The rules that were broken, by file. */
async function lint(): Promise<Map<string, string>> {
  const oxlint = join(ROOT, 'node_modules/.bin/oxlint');
  const output = await new Promise<string>((resolve) => {
    // It exits with 1 since there is something to find.
    execFile(oxlint, ['--type-aware', '-f', 'json'], { cwd: folder }, (_, stdout) =>
      resolve(stdout),
    );
  });
  const { diagnostics } = JSON.parse(output) as {
    diagnostics: { filename: string; code: string }[];
  };
  const byFile = Map.groupBy(diagnostics, (diagnostic) => diagnostic.filename);
  return new Map([...byFile].map(([file, list]) => [file, list.map(({ code }) => code).join(' ')]));
}
