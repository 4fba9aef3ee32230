import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { parseConfig } from '../../src/config/load-config.ts';
import type { RuntimeConfig } from '../../src/config/runtime-config.ts';
import { buildCatalog } from '../../src/packages/build-catalog.ts';
import type { Catalog, HookEntry } from '../../src/packages/catalog.ts';

/** Files by path; a value that is no text is written as JSON. */
export type Tree = Readonly<Record<string, string | Buffer | object>>;

/** A handler that allows everything. */
export const HANDLER = 'export const createHook = () => ({ run: () => ({ action: "allow" }) });\n';

/** Makes a folder of its own for a test; it is removed after it. */
export async function makeFolder(tree: Tree = {}): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'signalbox-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeTree(folder, tree);
  return folder;
}

/** Writes files below a folder. */
export async function writeTree(folder: string, tree: Tree): Promise<void> {
  for (const [path, content] of Object.entries(tree)) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    const isData = typeof content === 'string' || Buffer.isBuffer(content);
    await writeFile(file, isData ? content : JSON.stringify(content, null, 2));
  }
}

/** The two files of a hook in `hooks/<folder>`. */
export function hookAt(folder: string, manifest: object = {}, handler = HANDLER): Tree {
  return {
    [`hooks/${folder}/hook.json`]: { name: folder, points: ['preToolUse'], ...manifest },
    [`hooks/${folder}/index.mjs`]: handler,
  };
}

/** A package below `at` that holds the files of `tree`. */
export function packageAt(at: string, name: string, tree: Tree): Tree {
  const files = Object.entries({ 'package.json': { name, version: '1.2.3' }, ...tree });
  return Object.fromEntries(files.map(([path, content]) => [`${at}/${path}`, content]));
}

/** Reads a configuration for a folder, as if it lay there in runtime.json. */
export function configFor(folder: string, config: object = {}): RuntimeConfig {
  return parseConfig(JSON.stringify(config), join(folder, 'runtime.json'));
}

/** The catalog of a folder under a configuration. */
export async function catalogOf(folder: string, config: object = {}): Promise<Catalog> {
  return buildCatalog(configFor(folder, config));
}

/** The catalog of a new folder that holds `tree`. */
export async function catalogFor(tree: Tree, config: object = {}): Promise<Catalog> {
  return catalogOf(await makeFolder(tree), config);
}

/** The hook of a name. Throws when there is none. */
export function hookOf(catalog: Catalog, name: string): HookEntry {
  const hook = catalog.hooks.find((item) => item.name === name);
  if (hook === undefined) throw new Error(`No hook "${name}" in ${namesOf(catalog).join(', ')}`);
  return hook;
}

/** The names of the hooks in the chain, in registration order. */
export function namesOf(catalog: Catalog): readonly string[] {
  return catalog.hooks.map(({ name }) => name);
}

/** The codes of the warnings. */
export function codesOf(catalog: Catalog): readonly string[] {
  return catalog.warnings.map(({ code }) => code);
}
