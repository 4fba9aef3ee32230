import { relative, sep } from 'node:path';
import { SignalboxError } from '../../../sdk/errors.ts';
import { bundleHook } from '../bundle/bundle.ts';
import { scanHooks, type FoundHook } from '../hook-folders.ts';
import { sha256 } from './cache-folder.ts';
import { storedText, type StoredHook } from './stored-package.ts';

/** A hook of a package, bundled. */
export interface AssembledHook extends StoredHook {
  /** The packages that its bundle holds code of, beside its own. */
  readonly imports: readonly string[];
}

/** What a package comes to once its hooks are bundled. */
export interface Assembly {
  readonly hooks: readonly AssembledHook[];
  /** What is wrong with hooks that are left out. */
  readonly warnings: readonly SignalboxError[];
  /** What the cache keeps, and its SHA-256. */
  readonly text: string;
  readonly hash: string;
}

/** A package on the disk, with its dependencies in its node_modules. */
export interface AssemblySource {
  readonly name: string;
  readonly version: string;
  /** Absolute and real. */
  readonly root: string;
  readonly hoistRoot?: string;
}

/**
 * Bundles every hook of a package. No code of it runs. Throws `package_bundle` for a hook that needs what no sandbox has,
 * and `package_invalid` for a package without any hook.
 */
export async function assemble(source: AssemblySource): Promise<Assembly> {
  const { name, version, root } = source;
  const { found, skipped } = await scanHooks(root, `${name}/`);
  const [first] = skipped;
  if (found.length === 0) {
    const detail = first === undefined ? 'it has no hooks' : first.error.message;
    throw new SignalboxError('package_invalid', { package: name, detail });
  }
  const hooks = await Promise.all(found.map((hook) => assembleHook(hook, source)));
  const text = storedText({ name, version, hooks });
  return { hooks, warnings: skipped.map(({ error }) => error), text, hash: sha256(text) };
}

async function assembleHook(
  { manifest, handler, handlerFile }: FoundHook,
  { name, root, hoistRoot }: AssemblySource,
): Promise<AssembledHook> {
  const request = {
    root,
    ...(hoistRoot !== undefined && { hoistRoot }),
    file: handlerFile,
    place: handler,
    contract: manifest.contract,
  };
  const bundle = await bundleHook(request);
  if (!bundle.ok) {
    const { detail } = bundle;
    throw new SignalboxError('package_bundle', { package: name, hook: manifest.name, detail });
  }
  const imports = new Set<string>();
  for (const path of bundle.files.keys()) {
    const owner = ownerOf(relative(hoistRoot ?? root, path), hoistRoot !== undefined);
    if (owner !== undefined && owner !== name) imports.add(owner);
  }
  return { manifest, place: handler, code: bundle.code, imports: [...imports].sort() };
}

/** The package that a file is of, by the last node_modules in its path; `undefined` for the root's own. */
function ownerOf(path: string, isBelowModules: boolean): string | undefined {
  // The only files that a bundle may have from elsewhere are those of the host's own sdk.
  if (path.startsWith(`..${sep}`)) return '@signalbox/sdk';
  const parts = (isBelowModules ? `node_modules${sep}${path}` : path).split(sep);
  const at = parts.lastIndexOf('node_modules');
  if (at === -1) return undefined;
  const [scope = '', name = ''] = parts.slice(at + 1);
  return scope.startsWith('@') ? `${scope}/${name}` : scope;
}
