import { readdir, readFile, readlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { BUNDLER_VERSION, bundleHook, type Bundle, type BundleRequest } from './bundle.ts';
import { sha256, writeCacheFile } from '../install/cache-folder.ts';
import { isWithin } from '../install/contained-file.ts';

/** What a cached bundle was made from: paths relative to the package, with their hashes. */
interface BundleRecord {
  readonly code: string;
  readonly inputs: Readonly<Record<string, string>>;
}

/**
 * Bundles a hook, or takes the bundle from the cache when every file and folder that it was made from is unchanged. What is
 * read from the cache is held against its hash. A cache that cannot be written only costs time.
 */
export async function loadBundle(cacheFolder: string, request: BundleRequest): Promise<Bundle> {
  const { root, hoistRoot = '', place, contract } = request;
  const id = sha256(JSON.stringify([BUNDLER_VERSION, root, hoistRoot, place, contract]));
  const cached = await readCached(cacheFolder, id, request);
  if (cached !== undefined) return { ok: true, code: cached, files: [] };
  const bundle = await bundleHook(request);
  if (bundle.ok) await keep(cacheFolder, { id, request, bundle }).catch(() => undefined);
  return bundle;
}

async function readCached(
  cacheFolder: string,
  id: string,
  { root }: BundleRequest,
): Promise<string | undefined> {
  try {
    const record = readRecord(await readFile(join(cacheFolder, recordPath(id)), 'utf8'));
    if (record === undefined) return undefined;
    const hashes = await Promise.all(
      Object.entries(record.inputs).map(
        async ([path, hash]) => (await hashInput(join(root, path))) === hash,
      ),
    );
    if (!hashes.every(Boolean)) return undefined;
    const code = await readFile(join(cacheFolder, codePath(record.code)), 'utf8');
    return sha256(code) === record.code ? code : undefined;
  } catch {
    return undefined;
  }
}

function readRecord(text: string): BundleRecord | undefined {
  const value = JSON.parse(text) as Partial<BundleRecord> | null;
  if (typeof value?.code !== 'string' || !/^[0-9a-f]{64}$/.test(value.code)) return undefined;
  if (typeof value.inputs !== 'object' || value.inputs === null) return undefined;
  return { code: value.code, inputs: value.inputs };
}

interface Fresh {
  readonly id: string;
  readonly request: BundleRequest;
  readonly bundle: Bundle & { readonly ok: true };
}

async function keep(cacheFolder: string, { id, request, bundle }: Fresh): Promise<void> {
  const inputs: Record<string, string> = {};
  const paths = inputsOf(request, bundle.files);
  await Promise.all(
    paths.map(async (path) => {
      inputs[relative(request.root, path)] = await hashInput(path);
    }),
  );
  const code = sha256(bundle.code);
  await writeCacheFile(cacheFolder, codePath(code), bundle.code);
  await writeCacheFile(cacheFolder, recordPath(id), JSON.stringify({ code, inputs }));
}

/**
 * The files of a bundle, the folders that its imports were looked for in (a new file there can take the place of another),
 * and the package.json of each, which direct imports.
 */
function inputsOf({ root, hoistRoot }: BundleRequest, files: readonly string[]): readonly string[] {
  const inputs = new Set<string>(files);
  for (const file of files) {
    const top = isWithin(root, file) ? root : (hoistRoot ?? root);
    for (let folder = dirname(file); isWithin(top, folder); folder = dirname(folder)) {
      inputs.add(folder);
      inputs.add(join(folder, 'package.json'));
    }
  }
  if (hoistRoot !== undefined) inputs.add(hoistRoot);
  return [...inputs];
}

/** The hash of a file's bytes, or of a folder's names with what its links point to; `absent` where nothing is. */
async function hashInput(path: string): Promise<string> {
  try {
    return sha256(await readFile(path));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'absent';
    if (code !== 'EISDIR') throw error;
  }
  const entries = await readdir(path, { withFileTypes: true });
  const lines = await Promise.all(
    entries.map(async (entry) => {
      const target = entry.isSymbolicLink() ? await readlink(join(path, entry.name)) : '';
      return JSON.stringify([entry.name, entry.isDirectory(), target]);
    }),
  );
  return sha256(lines.sort().join('\n'));
}

function recordPath(id: string): string {
  return join('bundles', `${id}.json`);
}

function codePath(hash: string): string {
  return join('bundles', `${hash}.mjs`);
}
