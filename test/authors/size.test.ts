import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

/** Bytes, compressed, that a hook brings into its bundle by what it imports of the sdk. */
async function weigh(source: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: ROOT, loader: 'ts' },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'neutral',
    minify: true,
    logLevel: 'error',
    conditions: ['@signalbox/source', 'import'],
  });
  return gzipSync(outputFiles[0]?.contents ?? '').length;
}

test('defineHook and the builders weigh next to nothing', async () => {
  const names = 'defineHook, allow, ask, block, modify, result, rework, suppress';
  const bytes = await weigh(
    `import { ${names} } from '@signalbox/sdk'; globalThis.kept = [${names}];`,
  );
  expect(bytes).toBeLessThan(1024);
});

test('the whole entry is below 20 KB, so that no import can cost more', async () => {
  expect(await weigh(`import * as sdk from '@signalbox/sdk'; globalThis.kept = sdk;`)).toBeLessThan(
    20 * 1024,
  );
});

test('what is not imported is not in the bundle', async () => {
  expect(await weigh(`import '@signalbox/sdk';`)).toBeLessThan(100);
});
