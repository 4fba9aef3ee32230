import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import semver from 'semver';
import { SignalboxError } from '../../sdk/errors.ts';
import { parseManifest, type Manifest } from '../../sdk/manifest.ts';
import { isPoint, POINT_NAMES } from '../../sdk/points.ts';
import { readJsonText, type JsonPath, type Place } from '../config/json-text.ts';
import { suggestion } from '../config/nearest.ts';
import { printable } from '../config/printable.ts';
import { locate, readContained } from './install/contained-file.ts';

/** A hook.json is a page; what is larger is no manifest. */
const MAX_MANIFEST_BYTES = 64 * 1024;
/** Each hook costs reads, a bundle and an isolate at the start. */
const MAX_HOOKS = 500;
/** The names of a hook's module, in the order that they are looked for. */
export const HANDLERS = ['index.mjs', 'index.js', 'index.ts'];

/** A hook on disk whose manifest is valid and whose handler is there. */
export interface FoundHook {
  readonly manifest: Manifest;
  /** The manifest relative to the root, with `/`. */
  readonly place: string;
  /** The handler relative to the root, with `/`. */
  readonly handler: string;
  /** The handler's real, absolute path. */
  readonly handlerFile: string;
}

/** The hooks of one tree in code-unit order of their folders, and those that are wrong without running code. */
export interface HookScan {
  readonly found: readonly FoundHook[];
  readonly skipped: readonly { readonly name: string; readonly error: SignalboxError }[];
}

/**
 * Reads every sub-folder of `hooks/` in `root`, a real path. `label` stands before the places in messages, such as
 * `@acme/guards/`. A hook that is wrong is skipped with `hook_skipped`; the others go on.
 */
export async function scanHooks(root: string, label: string): Promise<HookScan> {
  const folder = join(root, 'hooks');
  const place = await locate(root, folder);
  if (place === 'missing') return { found: [], skipped: [] };
  if (place === 'outside') return skipAll(label, 'hooks is a link that leads out of its folder');
  let names: string[];
  try {
    names = await readdir(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return skipAll(label, code === 'ENOTDIR' ? 'hooks is not a folder' : `hooks: ${code ?? '?'}`);
  }
  if (names.length > MAX_HOOKS) return skipAll(label, `hooks holds more than ${MAX_HOOKS} folders`);
  // The default order of sort() is that of code units.
  const scans = await Promise.all(names.sort().map((name) => scanFolder(root, name, label)));
  const found: FoundHook[] = [];
  const skipped: { name: string; error: SignalboxError }[] = [];
  for (const scan of scans) {
    if (scan === undefined) continue;
    if (scan.ok) found.push(scan.hook);
    else skipped.push({ name: scan.name, error: scan.error });
  }
  return { found, skipped };
}

type FolderScan =
  | { readonly ok: true; readonly hook: FoundHook }
  | { readonly ok: false; readonly name: string; readonly error: SignalboxError };

async function scanFolder(
  root: string,
  name: string,
  label: string,
): Promise<FolderScan | undefined> {
  if (name.startsWith('.') || name === 'node_modules') return undefined;
  const folder = join(root, 'hooks', name);
  const isFolder = await stat(folder).then(
    (facts) => facts.isDirectory(),
    () => true,
  );
  if (!isFolder) return undefined;
  const place = `hooks/${name}/hook.json`;
  const skip = skipper({ name, file: printable(`${label}${place}`) });
  const found = await locate(root, folder);
  if (found === 'outside')
    return skip({ detail: 'its folder is a link that leads out of the tree' });
  if (found === 'missing') return skip({ detail: 'its folder is a link that leads nowhere' });
  const file = await readContained(root, join(folder, 'hook.json'), MAX_MANIFEST_BYTES);
  if (!file.ok && file.isMissing) {
    const yaml = await scanYaml({ root, folder, label });
    if (yaml !== undefined) return yaml;
  }
  if (!file.ok) return skip({ detail: `hook.json ${file.detail}` });
  const json = readJsonText(file.text);
  if (!json.ok) return skip({ detail: json.detail, at: json });
  const parsed = parseManifest(json.value);
  if (!parsed.ok) {
    const path = parsed.key === '' ? [] : [parsed.key];
    const detail = findPointFault(json.value, parsed.key) ?? parsed.detail;
    return skip({ detail, path, at: json.placeOf(path), ...nameOf(json.value) });
  }
  const { manifest } = parsed;
  if (manifest.sdk !== undefined && semver.validRange(manifest.sdk) === null) {
    const detail = 'must be a semver range such as "^1"';
    return skip({ detail, path: ['sdk'], at: json.placeOf(['sdk']), hook: manifest.name });
  }
  const handler = await findHandler(root, folder);
  if (typeof handler === 'string') return skip({ detail: handler, hook: manifest.name });
  const handlerPlace = `hooks/${name}/${handler.name}`;
  return {
    ok: true,
    hook: { manifest, place, handler: handlerPlace, handlerFile: handler.path },
  };
}

/** The hook of a folder that has a manifest of agent-os. */
async function scanYaml({ root, folder, label }: YamlFolder): Promise<FolderScan | undefined> {
  for (const name of ['hook.yaml', 'hook.yml']) {
    const file = join(folder, name);
    if ((await locate(root, file)) === 'missing') continue;
    // Most runtimes have no YAML, and do not pay for its parser.
    const { readYamlHook } = await import('../agent-os/yaml-hook.ts');
    return readYamlHook({ root, file, label, mayInline: label === '' });
  }
  return undefined;
}

interface YamlFolder {
  readonly root: string;
  readonly folder: string;
  readonly label: string;
}

async function findHandler(
  root: string,
  folder: string,
): Promise<{ readonly name: string; readonly path: string } | string> {
  for (const name of HANDLERS) {
    const place = await locate(root, join(folder, name));
    if (place === 'outside') return `${name} is a link that leads out of the tree`;
    if (place === 'missing') continue;
    if (!(await stat(place.path)).isFile()) return `${name} is not a file`;
    return { name, path: place.path };
  }
  return `it has no handler: ${HANDLERS.join(', ')} are missing`;
}

interface Fault {
  readonly detail: string;
  readonly path?: JsonPath;
  readonly at?: Place;
  /** The hook's own name where it is known; else that of its folder. */
  readonly hook?: string;
}

function skipper({ name, file }: { name: string; file: string }): (fault: Fault) => FolderScan {
  return ({ detail, path = [], at, hook = printable(name, 128) }) => {
    const key = path.join('.');
    const place = [
      file,
      ...(at ? [`line ${at.line}`] : []),
      ...(key ? [`key "${printable(key, 80)}"`] : []),
    ];
    const data = { hook, file, detail: `${place.join(', ')}: ${printable(detail)}` };
    const known = {
      ...(at && { line: at.line, column: at.column }),
      ...(key && { key: printable(key, 80) }),
    };
    return {
      ok: false,
      name: hook,
      error: new SignalboxError('hook_skipped', { ...data, ...known }),
    };
  };
}

function skipAll(label: string, detail: string): HookScan {
  const data = { hook: '*', file: `${label}hooks`, detail };
  return { found: [], skipped: [{ name: '*', error: new SignalboxError('hook_skipped', data) }] };
}

/** The name in a manifest that is wrong elsewhere: operators look for it rather than for the folder. */
function nameOf(manifest: unknown): { readonly hook?: string } {
  const parsed = parseManifest({
    name: (manifest as { name?: unknown } | null)?.name,
    points: ['event'],
  });
  return parsed.ok ? { hook: parsed.manifest.name } : {};
}

/** A misspelt point is the commonest fault of a manifest, and the list of all points is no help with it. */
function findPointFault(manifest: unknown, key: string): string | undefined {
  if (key !== 'points') return undefined;
  const { points } = manifest as { readonly points?: unknown };
  if (!Array.isArray(points)) return undefined;
  const unknown: unknown = points.find((point) => typeof point === 'string' && !isPoint(point));
  if (typeof unknown !== 'string') return undefined;
  return `unknown point "${printable(unknown, 80)}"${suggestion(unknown, POINT_NAMES)}`;
}
