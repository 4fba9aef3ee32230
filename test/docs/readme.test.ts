import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseManifest } from '../../sdk/manifest.ts';
import { RUNTIME_SCHEMA } from '../../sdk/runtime-schema.ts';
import { openRuntime } from '../../src/open-runtime.ts';

const ROOT = join(import.meta.dirname, '../..');
const PAGES = ['README.md', 'docs/operators.md', 'sdk/README.md'];

interface Block {
  readonly page: string;
  readonly language: string;
  readonly text: string;
}

function blocksOf(page: string): Block[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map((match) => ({
    page,
    language: match[1] ?? '',
    text: match[2] ?? '',
  }));
}

const BLOCKS = PAGES.flatMap((page) => blocksOf(page));
const JSON_BLOCKS = BLOCKS.filter(({ language }) => language === 'json');

/** The files that the README shows: a path in backquotes and a colon, then a block. */
const FILES = [
  ...readFileSync(join(ROOT, 'README.md'), 'utf8').matchAll(
    /^`(hooks\/[\w/.-]+)`:\n\n```\w+\n(.*?)^```$/gms,
  ),
].map((match) => ({ path: match[1] ?? '', text: match[2] ?? '' }));

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-readme-'));
  for (const { path, text } of FILES) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each(JSON_BLOCKS)('the JSON that $page shows is JSON', ({ text }) => {
  expect(() => JSON.parse(text) as unknown).not.toThrow();
});

test('the JSON that is sent in the README is JSON', () => {
  const sent = BLOCKS.filter(({ language }) => language === 'sh').flatMap(({ text }) =>
    [...text.matchAll(/(?:-d|echo) '(.*?)'/gs)].map((match) => match[1] ?? ''),
  );
  expect(sent.length).toBeGreaterThanOrEqual(3);
  for (const text of sent) expect(() => JSON.parse(text) as unknown).not.toThrow();
});

test('the README shows a hook with its manifest', () => {
  expect(FILES.map(({ path }) => path)).toEqual([
    'hooks/no-wipe/hook.json',
    'hooks/no-wipe/index.mjs',
  ]);
});

test('the manifest that the README shows is valid', () => {
  expect(parseManifest(JSON.parse(FILES[0]?.text ?? ''))).toMatchObject({ ok: true });
});

test('the runtime.json that the operators read has known keys alone', () => {
  const shown = JSON.parse(
    JSON_BLOCKS.find(({ page }) => page.includes('operators'))?.text ?? '',
  ) as {
    hooks: object;
  };
  expect(Object.keys(RUNTIME_SCHEMA.properties)).toEqual(
    expect.arrayContaining(Object.keys(shown)),
  );
  expect(Object.keys(RUNTIME_SCHEMA.properties.hooks.properties)).toEqual(
    expect.arrayContaining(Object.keys(shown.hooks)),
  );
});

test('the hook that the README shows decides as it says', async () => {
  const runtime = await openRuntime({ config: {}, folder, log: { level: 'silent' } });
  try {
    const decide = (command: string) =>
      runtime.test({
        point: 'preToolUse',
        hookName: 'no-wipe',
        payload: { toolName: 'shell', args: { command } },
      });
    expect(await decide('ls')).toMatchObject({ action: 'allow', blocked: false });
    expect(await decide('rm -rf /')).toMatchObject({
      action: 'block',
      reason: 'Commands with "rm -rf" are not run here',
      logs: [{ hook: 'no-wipe', line: 'refused in shell' }],
    });
  } finally {
    await runtime.close();
  }
});

test('every page that a page links to is there', () => {
  for (const page of PAGES) {
    const links = readFileSync(join(ROOT, page), 'utf8').matchAll(/\]\((?!https?:)([^)#]+)\)/g);
    for (const [, link = ''] of links) {
      expect(existsSync(join(ROOT, dirname(page), link)), `${page}: ${link}`).toBe(true);
    }
  }
});
