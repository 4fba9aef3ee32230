import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findStart } from '../../scripts/start-bundle.mjs';

let cache: string;

beforeAll(async () => {
  cache = await mkdtemp(join(tmpdir(), 'signalbox-start-'));
});

afterAll(() => rm(cache, { recursive: true }));

interface Meta {
  readonly inputs: Readonly<
    Record<string, { readonly imports: readonly { path: string; kind: string; external?: true }[] }>
  >;
}

test('a bundle of start is taken until a source of it has changed', async () => {
  const first = await findStart(cache);
  expect(await findStart(cache)).toBe(first);
  const record = join(cache, 'start.json');
  const text = await readFile(record, 'utf8');
  expect(text).toContain('src/fire/fire.ts');
  await writeFile(record, text.replace(/(src\/fire\/fire\.ts":")[^"]*/, '$1an older mark'));
  const second = await findStart(cache);
  expect(second).not.toBe(first);
  expect(await findStart(cache)).toBe(second);
});

test('a bundle that is gone, or whose record is broken, is made anew', async () => {
  const first = (await findStart(cache)) ?? '';
  await rm(dirname(fileURLToPath(first)), { recursive: true });
  const second = await findStart(cache);
  expect(await readFile(fileURLToPath(second ?? ''), 'utf8')).toContain('import');
  expect(second).not.toBe(first);
  await writeFile(join(cache, 'start.json'), '{"root":');
  const third = await findStart(cache);
  expect(third).not.toBe(second);
  expect(await findStart(cache)).toBe(third);
});

test('a bundle that was copied from another checkout is not taken', async () => {
  const copy = await mkdtemp(join(tmpdir(), 'signalbox-start-'));
  try {
    const first = await findStart(cache);
    await cp(cache, copy, { recursive: true });
    expect(dirname(dirname(fileURLToPath((await findStart(copy)) ?? '')))).toBe(copy);
    const record = join(cache, 'start.json');
    const text = await readFile(record, 'utf8');
    await writeFile(record, text.replace(/"root":"[^"]*"/, '"root":"/elsewhere"'));
    expect(await findStart(cache)).not.toBe(first);
  } finally {
    await rm(copy, { recursive: true });
  }
});

test('what a bundle of start leaves out is only imported when another command runs', async () => {
  const folder = dirname(fileURLToPath((await findStart(cache)) ?? ''));
  const { inputs } = JSON.parse(await readFile(join(folder, 'meta.json'), 'utf8')) as Meta;
  const left = Object.entries(inputs).flatMap(([file, { imports }]) =>
    imports
      .filter(({ path, external }) => external === true && path.startsWith('.'))
      .map(({ kind }) => `${kind} in ${file.replace(/[^/]*$/, '').slice(0, 8)}`),
  );
  expect(new Set(left)).toEqual(new Set(['dynamic-import in src/cli/']));
});

test('where nothing can be written there is no bundle, and the sources start', async () => {
  const file = join(cache, 'a-file');
  await writeFile(file, '');
  expect(await findStart(join(file, 'cache'))).toBeUndefined();
});
