import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join, relative, sep } from 'node:path';
import { SignalboxError } from '../../sdk/errors.ts';
import type { Manifest } from '../../sdk/manifest.ts';
import { printable } from '../config/printable.ts';
import { sha256 } from '../packages/install/cache-folder.ts';
import { locate, readContained } from '../packages/install/contained-file.ts';
import { parseYamlManifest } from './yaml-manifest.ts';
import { readYaml } from './yaml-text.ts';

/** Where a YAML manifest is, and how it is read. */
export interface YamlFile {
  /** The tree that it and its script must lie in; a real path. */
  readonly root: string;
  /** Absolute path of the manifest. */
  readonly file: string;
  /** Stands before places in messages. */
  readonly label: string;
  /** It holds for all processes, whatever it says. */
  readonly isGlobal?: boolean;
  /** Whether the script may stand in the manifest: it is then written to a file of its own. */
  readonly mayInline: boolean;
}

/** A hook as its YAML manifest has it, or why it is none. */
export type YamlHook =
  | {
      readonly ok: true;
      readonly hook: {
        readonly manifest: Manifest;
        readonly place: string;
        readonly handler: string;
        readonly handlerFile: string;
      };
    }
  | { readonly ok: false; readonly name: string; readonly error: SignalboxError };

/** A manifest is a page, with its script some pages. */
const MAX_YAML_BYTES = 64 * 1024;
const ENDINGS = ['.mjs', '.js', '.ts'];
const FOLDER_NAMES = ['hook.yaml', 'hook.yml'];

/** Reads a hook of agent-os: the manifest, and the script that it names, holds, or that lies beside it. */
export async function readYamlHook(source: YamlFile): Promise<YamlHook> {
  const { root, file } = source;
  const place = relative(root, file).split(sep).join('/');
  const own = basename(file);
  const stem = FOLDER_NAMES.includes(own) ? basename(dirname(file)) : basename(own, extname(own));
  const skip = (fault: Fault): YamlHook =>
    skipped({ stem, place: `${source.label}${place}` }, fault);
  const text = await readContained(root, file, MAX_YAML_BYTES);
  if (!text.ok) return skip({ detail: `${own} ${text.detail}` });
  const yaml = readYaml(text.text);
  if (!yaml.ok) return skip(yaml);
  const parsed = parseYamlManifest(yaml.value, { name: stem, isGlobal: source.isGlobal === true });
  if (!parsed.ok) {
    const line = yaml.lineOf(parsed.key);
    const detail = parsed.detail.startsWith('unknown key')
      ? `${parsed.detail}; settings of the script go under "config"`
      : parsed.detail;
    return skip({ detail, key: parsed.key, ...(line !== undefined && { line }) });
  }
  const { manifest, script } = parsed;
  const handler = await findScript(source, script, stem);
  if ('detail' in handler)
    return skip({ detail: handler.detail, key: 'script', name: manifest.name });
  const handlerPlace = relative(root, handler.path).split(sep).join('/');
  return {
    ok: true,
    hook: { manifest, place, handler: handlerPlace, handlerFile: handler.path },
  };
}

type Script = { readonly path: string } | { readonly detail: string };

async function findScript(
  { root, file, mayInline }: YamlFile,
  script: string | undefined,
  stem: string,
): Promise<Script> {
  const folder = dirname(file);
  if (script?.includes('\n') === true) {
    if (!mayInline) return { detail: 'a package keeps its script in a file' };
    return { path: await keepScript(root, script) };
  }
  const isFolder = FOLDER_NAMES.includes(basename(file));
  const beside = ENDINGS.map((ending) => `${isFolder ? 'index' : stem}${ending}`);
  for (const name of script === undefined ? beside : [script]) {
    const place = await locate(root, join(folder, name));
    if (place === 'outside')
      return { detail: `the script ${printable(name, 80)} leads out of the tree` };
    if (place === 'missing') continue;
    if (!ENDINGS.includes(extname(place.path)) || !(await stat(place.path)).isFile()) {
      return { detail: `the script ${printable(name, 80)} is not a JavaScript or TypeScript file` };
    }
    return place;
  }
  const sought = script === undefined ? beside.join(', ') : printable(script, 80);
  return { detail: `it has no script: ${sought} is missing` };
}

/** Writes a script of a manifest to a file, named by its content, that a sandbox can load. */
async function keepScript(root: string, script: string): Promise<string> {
  const folder = join(root, '.signalbox', 'scripts');
  const path = join(folder, `${sha256(script)}.mjs`);
  const before = await readFile(path, 'utf8').catch(() => undefined);
  if (before !== script) {
    await mkdir(folder, { recursive: true });
    await writeFile(path, script);
  }
  return path;
}

interface Fault {
  readonly detail: string;
  readonly line?: number;
  readonly key?: string;
  readonly name?: string;
}

function skipped(
  { stem, place }: { readonly stem: string; readonly place: string },
  { detail, line, key = '', name = printable(stem, 128) }: Fault,
): YamlHook {
  const file = printable(place);
  const parts = [
    file,
    ...(line === undefined ? [] : [`line ${line}`]),
    ...(key === '' ? [] : [`key "${printable(key, 80)}"`]),
  ];
  const data = {
    hook: name,
    file,
    detail: `${parts.join(', ')}: ${printable(detail)}`,
    ...(line !== undefined && { line }),
    ...(key !== '' && { key: printable(key, 80) }),
  };
  return { ok: false, name, error: new SignalboxError('hook_skipped', data) };
}
