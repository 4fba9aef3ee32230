import { relative, resolve, sep } from 'node:path';
import type { BuildFailure, BuildOptions, BuildResult, Message } from 'esbuild';
import esbuildPackage from 'esbuild/package.json' with { type: 'json' };
import { withBundler } from '../../../host/bundler.ts';
import { IS_CHECKOUT } from '../../../host/home.ts';
import type { Manifest } from '../../../sdk/manifest.ts';
import { LIMITS } from '../../../sdk/limits.ts';
import { printable } from '../../config/printable.ts';
import { sha256 } from '../install/cache-folder.ts';
import { boundaryPlugin, type Boundary } from './boundary.ts';
import { specModulePlugin } from './spec-module.ts';
import { WEB_DEFINES, WEB_NAMES, webNamesPlugin } from './web-names.ts';

/** A hook to bundle. */
export interface BundleRequest extends Boundary {
  /** Absolute, real path of the handler, inside `root`. */
  readonly file: string;
  /** The handler relative to the package, with `/`, as messages name it. */
  readonly place: string;
  readonly contract: Manifest['contract'];
}

/**
 * One ESM text without imports, the hashes of the files that it was made from, by real path, and the places where optional
 * packages were looked for in vain; or why there is none, without host paths.
 */
export type Bundle =
  | {
      readonly ok: true;
      readonly code: string;
      readonly files: ReadonlyMap<string, string>;
      readonly absent: ReadonlySet<string>;
    }
  | { readonly ok: false; readonly detail: string };

/** Changes when the same files could give another text. */
export const BUNDLER_VERSION = `2-esbuild-${esbuildPackage.version}`;

/**
 * Bundles a handler and what it imports to one module for an isolate. No code of the package runs. CommonJS handlers,
 * imports of Node.js modules, imports that lead nowhere or out of the boundary, and syntax errors are told in `detail`.
 */
export async function bundleHook(request: BundleRequest): Promise<Bundle> {
  const files = new Map<string, string>();
  const absent = new Set<string>();
  try {
    const plugins = [
      webNamesPlugin(),
      ...(request.contract === 'standard-agents' ? [specModulePlugin()] : []),
      boundaryPlugin(request, {
        onFile: (path, contents) => void files.set(path, sha256(contents)),
        onAbsent: (path) => void absent.add(path),
      }),
    ];
    const result = await withBundler((build) =>
      build({ ...OPTIONS, absWorkingDir: request.root, entryPoints: [request.file], plugins }),
    );
    return readResult(request, result, { files, absent });
  } catch (error) {
    const [first] = (error as Partial<BuildFailure>).errors ?? [];
    if (first !== undefined) return { ok: false, detail: describe(request, first) };
    return { ok: false, detail: 'the bundler could not read the module' };
  }
}

/** The source map of a bundle as JSON, its sources relative to the package; `undefined` when there is no bundle. */
export async function mapBundle(request: BundleRequest): Promise<string | undefined> {
  const unwatched = { onFile: () => undefined, onAbsent: () => undefined };
  const plugins = [webNamesPlugin(), boundaryPlugin(request, unwatched)];
  const { root, file } = request;
  const options = { ...OPTIONS, absWorkingDir: root, entryPoints: [file], plugins };
  try {
    const { outputFiles } = await withBundler((build) =>
      build({ ...options, sourcemap: 'external', sourcesContent: false }),
    );
    const text = outputFiles.find(({ path }) => path.endsWith('.map'))?.text;
    if (text === undefined) return undefined;
    const map = JSON.parse(text) as { sources: string[] };
    map.sources = map.sources.map((source) => relative(root, resolve(OPTIONS.outdir, source)));
    return JSON.stringify(map);
  } catch {
    return undefined;
  }
}

const OPTIONS = {
  bundle: true,
  write: false,
  metafile: true,
  outdir: '/bundle',
  format: 'esm',
  platform: 'neutral',
  target: 'es2024',
  charset: 'utf8',
  mainFields: ['module', 'main'],
  // In the checkout the sdk is its sources; a published one has none.
  conditions: IS_CHECKOUT ? ['@signalbox/source', 'import'] : ['import'],
  // No tsconfig.json of a package or of a folder above it is read.
  tsconfigRaw: {},
  legalComments: 'none',
  logLevel: 'silent',
  inject: [WEB_NAMES] as string[],
  define: { 'process.env.NODE_ENV': '"production"', ...WEB_DEFINES },
} as const satisfies BuildOptions;

function readResult(
  { place, contract }: BundleRequest,
  { metafile, outputFiles, warnings }: BuildResult<typeof OPTIONS>,
  sources: Pick<Bundle & { ok: true }, 'files' | 'absent'>,
): Bundle {
  const [output] = Object.values(metafile.outputs);
  const [code] = outputFiles;
  if (output?.entryPoint === undefined || code === undefined) {
    return { ok: false, detail: `${place} gives no module` };
  }
  const isNative = contract === 'signalbox';
  const names = isNative ? ['createHook', 'default', 'run'] : output.exports;
  const isHook = output.exports.some((name) => names.includes(name));
  const isCommonJs =
    metafile.inputs[output.entryPoint]?.format === 'cjs' ||
    (!isHook && warnings.some(({ id }) => id === 'commonjs-variable-in-esm'));
  if (isCommonJs) {
    const shape = isNative ? 'an ES module that exports createHook' : 'an ES module';
    return { ok: false, detail: `${place} is CommonJS: a hook is ${shape}` };
  }
  // What another contract misses it says in its own words, when the module is loaded.
  if (!isHook && isNative)
    return { ok: false, detail: `${place} exports none of createHook, default and run` };
  if (code.contents.length > LIMITS.sourceBytes) {
    return { ok: false, detail: `the bundle is larger than ${LIMITS.sourceBytes} bytes` };
  }
  return { ok: true, code: code.text, ...sources };
}

/** An error of the bundler with its place in the package. */
function describe({ root, place }: BundleRequest, { text, location }: Message): string {
  const plain = printable(text.replaceAll(root + sep, '').replaceAll(root, '.'));
  if (location === null) return `${place}: ${plain}`;
  const file = location.file.startsWith('/') ? relative(root, location.file) : location.file;
  const verb = plain.startsWith('imports ') ? ' ' : ': ';
  return `${printable(file, 200)}:${location.line}${verb}${plain}`;
}
