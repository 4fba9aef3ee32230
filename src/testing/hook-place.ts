import {
  access,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SignalboxError } from '../../sdk/errors.ts';
import { parseManifest, type Manifest } from '../../sdk/manifest.ts';
import { readJsonText } from '../config/json-text.ts';
import { HANDLERS } from '../packages/hook-folders.ts';

/** A hook written in a test itself: its manifest and the text of its module. */
export interface InlineHook {
  readonly manifest: Readonly<Record<string, unknown>> & { readonly name: string };
  /** An ES module without imports, as it would stand in index.mjs. */
  readonly module: string;
}

/** Where a hook under test stands. */
export interface HookPlace {
  /** The package, or the folder of runtime.json; absolute and real. */
  readonly root: string;
  readonly manifest: Manifest;
  /** Absolute path of its module; `undefined` where there is none. */
  readonly handler: string | undefined;
  /** `local` where a runtime.json lies beside `hooks/`, or no package.json does. */
  readonly kind: 'package' | 'local';
  /** Where its runtime starts from: local hooks are found beside it, and what it builds is kept there from run to run. */
  readonly runtimeFolder: string;
  /** An empty folder of this test host alone. */
  readonly workFolder: string;
  /** Removes what was made for the test. */
  remove(): Promise<void>;
}

/**
 * Finds a hook: the folder of its hook.json, as a path or a URL, or a package or checkout with one hook; or writes an inline
 * one to a temporary package. Throws `test_setup`.
 */
export async function findHook(hook: string | URL | InlineHook): Promise<HookPlace> {
  const workFolder = await realpath(await mkdtemp(join(tmpdir(), 'signalbox-test-')));
  const remove = (): Promise<void> => rm(workFolder, { recursive: true, force: true });
  try {
    const isPath = typeof hook === 'string' || hook instanceof URL;
    const folder = isPath
      ? await hookFolder(typeof hook === 'string' ? resolve(hook) : fileURLToPath(hook))
      : await writeInline(workFolder, hook);
    const root = dirname(dirname(folder));
    const isPackage =
      (await isThere(join(root, 'package.json'))) && !(await isThere(join(root, 'runtime.json')));
    const manifest = await readManifest(folder);
    const handler = await findHandler(folder);
    const common = { root, manifest, handler, workFolder, remove };
    if (!isPackage) return { ...common, kind: 'local', runtimeFolder: root };
    const runtimeFolder = isPath ? join(root, '.signalbox', 'testing') : workFolder;
    return { ...common, kind: 'package', runtimeFolder };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function hookFolder(path: string): Promise<string> {
  const start = await realpath(path).catch(() => undefined);
  if (start === undefined) throw unfit(`there is no folder "${path}"`);
  if (await isThere(join(start, 'hook.json'))) {
    if (basename(dirname(start)) === 'hooks') return start;
    throw unfit(`"${basename(start)}" must lie in a folder named hooks, as it will for users`);
  }
  const names = await readdir(join(start, 'hooks')).catch(() => []);
  const found: string[] = [];
  for (const name of names) {
    if (await isThere(join(start, 'hooks', name, 'hook.json'))) found.push(name);
  }
  const [only] = found;
  if (only === undefined) throw unfit(`"${basename(start)}" has no hook.json`);
  if (found.length > 1) {
    throw unfit(`"${basename(start)}" has the hooks ${found.join(', ')}: name the folder of one`);
  }
  return join(start, 'hooks', only);
}

async function findHandler(folder: string): Promise<string | undefined> {
  for (const name of HANDLERS) {
    if (await isThere(join(folder, name))) return realpath(join(folder, name));
  }
  return undefined;
}

async function writeInline(root: string, { manifest, module }: InlineHook): Promise<string> {
  const folder = join(root, 'package', 'hooks', 'inline');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'hook.json'), JSON.stringify(manifest));
  await writeFile(join(folder, 'index.mjs'), module);
  await writeFile(
    join(dirname(dirname(folder)), 'package.json'),
    JSON.stringify({ name: 'inline', version: '0.0.0', type: 'module' }),
  );
  return folder;
}

async function readManifest(folder: string): Promise<Manifest> {
  const place = `hooks/${basename(folder)}/hook.json`;
  const json = readJsonText(await readFile(join(folder, 'hook.json'), 'utf8'));
  if (!json.ok) throw unfit(`${place}, line ${json.line}: ${json.detail}`);
  const parsed = parseManifest(json.value);
  if (parsed.ok) return parsed.manifest;
  const { line } = json.placeOf(parsed.key === '' ? [] : [parsed.key]);
  throw unfit(`${place}, line ${line}: ${parsed.detail}`);
}

function unfit(detail: string): SignalboxError {
  return new SignalboxError('test_setup', { detail });
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
