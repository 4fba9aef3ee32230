import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { parseDecision } from '../../sdk/parse-decision.ts';
import { parseManifest } from '../../sdk/manifest.ts';
import type { Point } from '../../sdk/points.ts';
import { ROOT } from '../house/imports.ts';

/** Every hook that this checkout ships, by the folder of its tree. */
const HOOKS = ['.', 'examples/packages/spend-guard', 'examples/packages/airline-policy'].flatMap(
  (root) => readdirSync(join(ROOT, root, 'hooks')).map((name) => join(root, 'hooks', name)),
);

interface Fixture {
  readonly point: Point;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly expect: { readonly action: string; readonly reason?: string; readonly payload?: object };
}

type Run = (point: string, payload: object, ctx: object) => unknown;

const CTX = { log: () => {}, store: { get: async () => null }, caller: { source: 'chat' } };

function read(folder: string, file: string): unknown {
  return JSON.parse(readFileSync(join(ROOT, folder, file), 'utf8'));
}

async function load(folder: string): Promise<Run> {
  const handler = readdirSync(join(ROOT, folder)).find((file) => /^index\.(mjs|js|ts)$/.test(file));
  const module = (await import(pathToFileURL(join(ROOT, folder, handler ?? '')).href)) as {
    createHook?: (config: unknown) => { run: Run };
    default?: { run: Run };
  };
  const { config = {} } = read(folder, 'hook.json') as { config?: object };
  const hook = module.createHook?.(config) ?? module.default;
  return (point, payload, ctx) => hook?.run(point, payload, ctx);
}

test.each(HOOKS)('the manifest of %s is valid', (folder) => {
  expect(parseManifest(read(folder, 'hook.json'))).toMatchObject({ ok: true });
});

test.each(HOOKS)('%s is tried at every point that it binds to', (folder) => {
  const { points } = read(folder, 'hook.json') as { points: string[] };
  const tried = readdirSync(join(ROOT, folder, 'fixtures')).map(
    (file) => (read(folder, `fixtures/${file}`) as Fixture).point,
  );
  expect([...new Set(tried)].sort()).toEqual([...points].sort());
});

const FIXTURES = HOOKS.flatMap((folder) =>
  readdirSync(join(ROOT, folder, 'fixtures')).map((file) => ({ folder, file })),
);

test.each(FIXTURES)('$folder decides as $file expects', async ({ folder, file }) => {
  const { point, payload, expect: expected } = read(folder, `fixtures/${file}`) as Fixture;
  const { capabilities: granted } = read(folder, 'hook.json') as { capabilities: string[] };
  const run = await load(folder);
  const answer = JSON.stringify(await run(point, payload, CTX));
  const parsed = parseDecision(answer, { point, delivered: payload, granted });
  const { payload: after, ...decision } = expected;
  expect(parsed).toMatchObject({ ok: true, decision });
  // The expected payload is the whole one, with the defaults of the point.
  const changes = parsed.ok && parsed.decision.action === 'modify' ? parsed.decision.payload : {};
  if (after !== undefined) expect(after).toMatchObject({ ...payload, ...changes });
});
