import { readFile, realpath, stat } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, extname, join } from 'node:path';
import type {
  Loader,
  OnLoadResult,
  OnResolveArgs,
  OnResolveResult,
  PartialMessage,
  Plugin,
} from 'esbuild';
import { moduleFile } from '../../../host/home.ts';
import { LIMITS } from '../../../sdk/limits.ts';
import { printable } from '../../config/printable.ts';
import { isWithin } from '../install/contained-file.ts';

/** The folders that a bundle may be made from; absolute and real. */
export interface Boundary {
  /** The package, or the tree of the local hooks. */
  readonly root: string;
  /** The `node_modules` that the package was installed in: its declared dependencies lie beside it. */
  readonly hoistRoot?: string;
}

const MAX_FILES = 2000;
const LOADERS: Readonly<Record<string, Loader>> = {
  '.js': 'js',
  '.mjs': 'js',
  '.cjs': 'js',
  '.ts': 'ts',
  '.mts': 'ts',
  '.cts': 'ts',
  '.json': 'json',
};

/** Told of what a bundle is made from. */
export interface BundleWatch {
  onFile(path: string, contents: Buffer): void;
  /** A place where an optional package was looked for, and is not. */
  onAbsent(path: string): void;
}

/**
 * Keeps a bundle inside its boundary: every import is resolved and every file read here, links followed. What leads out,
 * needs Node.js or is no source text becomes an error at the import. An optional package that is not there is one when the
 * hook gets to its `require` or `import()`.
 */
export function boundaryPlugin(boundary: Boundary, { onFile, onAbsent }: BundleWatch): Plugin {
  const isAsked = {};
  let files = 0;
  let bytes = 0;
  return {
    name: 'boundary',
    setup(build) {
      build.onResolve({ filter: /.*/ }, async (args): Promise<OnResolveResult | undefined> => {
        if (args.kind === 'entry-point' || args.pluginData === isAsked) return undefined;
        const refusal = refuse(args.path);
        if (refusal !== undefined) return fail(`imports "${show(args.path)}", ${refusal}`);
        const { kind, importer, resolveDir } = args;
        const found = await build.resolve(args.path, {
          kind,
          importer,
          resolveDir,
          pluginData: isAsked,
        });
        const isFound = found.errors.length === 0 && !found.external;
        const path = isFound ? await realpath(found.path).catch(() => undefined) : undefined;
        const isOwn = path !== undefined && (await isAllowed(boundary, path, args));
        if (!isOwn && args.path === SDK)
          return { path: await realpath(OWN_SDK), sideEffects: false };
        if (path === undefined) {
          const places = await placesOfOptional(boundary, args);
          if (places.length === 0) return fail(notFound(args.path));
          for (const place of places) onAbsent(place);
          return { path: args.path, namespace: ABSENT };
        }
        if (!isOwn && !(await isInOwnSdk(path, importer))) {
          return fail(`imports "${show(args.path)}", which is not in the package`);
        }
        return { path, sideEffects: found.sideEffects };
      });
      build.onLoad({ filter: /.*/, namespace: ABSENT }, ({ path }) => ({
        contents: `throw Object.assign(new Error(${JSON.stringify(`Cannot find package "${show(path)}", which is optional and was not installed`)}), { code: 'MODULE_NOT_FOUND' });`,
      }));
      build.onLoad({ filter: /.*/ }, async (args): Promise<OnLoadResult> => {
        const loader = LOADERS[extname(args.path).toLowerCase()];
        if (args.namespace !== 'file' || loader === undefined) {
          return fail('a file that is neither JavaScript, TypeScript nor JSON cannot be imported');
        }
        const facts = await stat(args.path);
        if (!facts.isFile()) return fail('what is imported is not a file');
        files++;
        bytes += facts.size;
        if (files > MAX_FILES) return fail(`the hook imports more than ${MAX_FILES} files`);
        if (bytes > LIMITS.sourceBytes) {
          return fail(`the hook's files are larger than ${LIMITS.sourceBytes} bytes`);
        }
        const contents = await readFile(args.path);
        onFile(args.path, contents);
        return { contents: withoutMark(contents), loader };
      });
    },
  };
}

/** The authors' kit, which needs no authority: where a package brings none, it gets the one of this host. */
const SDK = '@signalbox/sdk';
const OWN_SDK = moduleFile('sdk/index');

async function isInOwnSdk(path: string, importer: string): Promise<boolean> {
  const folder = dirname(await realpath(OWN_SDK));
  return isWithin(folder, importer) && isWithin(folder, path);
}

function fail(text: string): { errors: PartialMessage[] } {
  return { errors: [{ text }] };
}

/** A byte order mark is no part of the source. */
function withoutMark(contents: Buffer): Buffer {
  return contents.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf]))
    ? contents.subarray(3)
    : contents;
}

const ABSENT = 'signalbox-absent';
const LATE_KINDS: readonly string[] = ['require-call', 'dynamic-import'];

/** Where a package would be that its importer declares to be optional, and that it asks for when it runs; else nothing. */
async function placesOfOptional(
  { root, hoistRoot }: Boundary,
  { path: specifier, kind, importer }: OnResolveArgs,
): Promise<readonly string[]> {
  if (!LATE_KINDS.includes(kind) || specifier.startsWith('.') || specifier.startsWith('#'))
    return [];
  const name = packageName(specifier);
  const owner = await packageOf(importer, isWithin(root, importer) ? root : (hoistRoot ?? root));
  if (owner?.optional.has(name) !== true) return [];
  const top = hoistRoot === undefined ? root : dirname(hoistRoot);
  const places: string[] = [];
  for (let folder = dirname(importer); isWithin(top, folder); folder = dirname(folder)) {
    places.push(join(folder, 'node_modules', name));
  }
  return places;
}

/** Why a specifier is refused without a look at the disk. */
function refuse(specifier: string): string | undefined {
  if (specifier.startsWith('node:')) return NO_NODE;
  if (/^[A-Za-z][A-Za-z0-9+.-]*:/.test(specifier))
    return 'and only files of the package can be imported';
  if (specifier.startsWith('/') || specifier.startsWith('\\')) return 'which is an absolute path';
  if (/%2e|%2f|%5c|[\\\u0000]/i.test(specifier)) return 'which is not a plain path';
  return undefined;
}

const NO_NODE = 'which no sandbox has; what a hook may do it does through ctx';

function notFound(specifier: string): string {
  const name = show(specifier);
  if (isBuiltin(specifier)) return `imports "${name}", ${NO_NODE}`;
  const isOwn = specifier.startsWith('.') || specifier.startsWith('#');
  return `imports "${name}", which ${isOwn ? 'does not exist' : 'is not installed in the package'}`;
}

function show(specifier: string): string {
  return printable(specifier, 120);
}

async function isAllowed(
  { root, hoistRoot }: Boundary,
  path: string,
  { path: specifier, importer }: OnResolveArgs,
): Promise<boolean> {
  if (isWithin(root, path)) return true;
  if (hoistRoot === undefined || !isWithin(hoistRoot, path)) return false;
  if (specifier.startsWith('.') || specifier.startsWith('#')) {
    // Inside a dependency its own files are free; from one package into another there is only the declared way.
    const own = await packageOf(importer, hoistRoot);
    return own !== undefined && own.folder === (await packageOf(path, hoistRoot))?.folder;
  }
  const declaring = isWithin(root, importer) ? root : hoistRoot;
  return (await packageOf(importer, declaring))?.dependencies.has(packageName(specifier)) === true;
}

interface Neighbour {
  readonly folder: string;
  readonly dependencies: ReadonlySet<string>;
  /** Those of them that it can do without. */
  readonly optional: ReadonlySet<string>;
}

/** The nearest package.json with a name, from a file up to `top`. */
async function packageOf(file: string, top: string): Promise<Neighbour | undefined> {
  for (let folder = dirname(file); isWithin(top, folder); folder = dirname(folder)) {
    const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => undefined);
    const manifest = text === undefined ? undefined : parseObject(text);
    if (typeof manifest?.['name'] === 'string')
      return { folder, dependencies: namesIn(manifest), optional: optionalIn(manifest) };
  }
  return undefined;
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

function namesIn(manifest: Readonly<Record<string, unknown>>): ReadonlySet<string> {
  const kinds = ['dependencies', 'peerDependencies', 'optionalDependencies'];
  return new Set(kinds.flatMap((kind) => Object.keys((manifest[kind] ?? {}) as object)));
}

function optionalIn(manifest: Readonly<Record<string, unknown>>): ReadonlySet<string> {
  const peers = Object.entries((manifest['peerDependenciesMeta'] ?? {}) as object).filter(
    ([, meta]) => (meta as { readonly optional?: unknown } | null)?.optional === true,
  );
  const own = Object.keys((manifest['optionalDependencies'] ?? {}) as object);
  return new Set([...own, ...peers.map(([name]) => name)]);
}

/** `@scope/name` or `name` of a bare specifier. */
function packageName(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}
