import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';

import { createConsoleFiles } from '../../src/console/console-files.ts';

let folder: string;
beforeAll(async () => {
  folder = await createConsoleFiles()();
}, 120_000);

test('all of the console is at most 250 KB, compressed', async () => {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.includes('.'));
  const files = await Promise.all(names.map((name) => readFile(join(folder, name))));
  const bytes = files.reduce((total, file) => total + gzipSync(file).length, 0);
  process.stdout.write(`console: ${Math.round(bytes / 1024)} KB compressed\n`);
  expect(bytes).toBeLessThan(250 * 1024);
});

test('its page holds no script or style of its own text and nothing of elsewhere', async () => {
  const page = await readFile(join(folder, 'index.html'), 'utf8');
  expect(page.match(/<script(?![^>]*\ssrc=)/g)).toBeNull();
  expect(page).not.toMatch(/<style|\sstyle=|\son\w+=|https?:/);
  const linked = [...page.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address);
  expect(linked.every((address) => address?.startsWith('/assets/'))).toBe(true);
});

test('it is found where it was built, without building it again', async () => {
  expect(await createConsoleFiles()()).toBe(folder);
});
