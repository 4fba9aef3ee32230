import { readdir, readFile, readlink, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { BUNDLER_VERSION, bundleHook, type Bundle, type BundleRequest } from './bundle.ts';
import { sha256, writeCacheFile } from '../install/cache-folder.ts';
import { isWithin } from '../install/contained-file.ts';

/** What a cached bundle was made from: paths relative to the package, with their hashes. */
interface BundleRecord {
  readonly code: string;
  readonly inputs: Readonly<Record<string, string>>;
}

/** The bundles of one start. */
export interface BundleCache {
  readonly folder: string;
  /** Hashes that are known, by path: the hooks of a package share folders. */
  readonly hashes: Map<string, Promise<string>>;
}

/** Opens the bundles of a cache folder for one start. */
export function openBundleCache(folder: string): BundleCache {
  return { folder, hashes: new Map() };
}

/**
 * Bundles a hook, or takes the bundle from the cache when every file and folder that it was made from is unchanged. What is
 * read from the cache is held against its hash. A cache that cannot be written only costs time.
 */
export async function loadBundle(cache: BundleCache, request: BundleRequest): Promise<Bundle> {
  const { root, hoistRoot = '', place, contract } = request;
  const id = sha256(JSON.stringify([BUNDLER_VERSION, root, hoistRoot, place, contract]));
  const cached = await readCached(cache, id, request);
  if (cached !== undefined) return { ok: true, code: cached, files: new Map(), absent: new Set() };
  const bundle = await bundleHook(request);
  if (bundle.ok) await keep(cache.folder, { id, request, bundle }).catch(() => undefined);
  return bundle;
}

async function readCached(
  { folder, hashes }: BundleCache,
  id: string,
  { root }: BundleRequest,
): Promise<string | undefined> {
  const hashOnce = (path: string): Promise<string> => {
    const hash = hashes.get(path) ?? hashInput(path);
    hashes.set(path, hash);
    return hash;
  };
  try {
    const record = readRecord(await readFile(join(folder, recordPath(id)), 'utf8'));
    if (record === undefined) return undefined;
    const inputs = Object.entries(record.inputs);
    const isSame = await Promise.all(
      inputs.map(async ([path, hash]) => (await hashOnce(join(root, path))) === hash),
    );
    if (!isSame.every(Boolean)) return undefined;
    const code = await readFile(join(folder, codePath(record.code)), 'utf8');
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
  // Of files the hash is that of the bytes that were bundled: they may have changed since.
  for (const [path, hash] of bundle.files) inputs[relative(request.root, path)] = hash;
  for (const path of bundle.absent) inputs[relative(request.root, path)] = ABSENT;
  await Promise.all(
    surroundings(request, bundle.files.keys()).map(async (path) => {
      inputs[relative(request.root, path)] ??= await hashInput(path);
    }),
  );
  const code = sha256(bundle.code);
  await writeCacheFile(cacheFolder, codePath(code), bundle.code);
  await writeCacheFile(cacheFolder, recordPath(id), JSON.stringify({ code, inputs }));
}

/**
 * The folders that the imports of a bundle were looked for in (a new file there can take the place of another), and the
 * package.json of each, which direct imports.
 */
function surroundings(
  { root, hoistRoot }: BundleRequest,
  files: Iterable<string>,
): readonly string[] {
  const paths = new Set<string>(hoistRoot === undefined ? [] : [hoistRoot]);
  for (const file of files) {
    const top = isWithin(root, file) ? root : (hoistRoot ?? root);
    for (let folder = dirname(file); isWithin(top, folder); folder = dirname(folder)) {
      paths.add(folder);
      paths.add(join(folder, 'package.json'));
    }
  }
  return [...paths];
}

const ABSENT = 'absent';

/** The hash of a file's bytes, or of a folder's names with what its links point to; {@link ABSENT} where neither is. */
async function hashInput(path: string): Promise<string> {
  const facts = await stat(path).catch(() => undefined);
  if (facts?.isFile()) return sha256(await readFile(path));
  if (!facts?.isDirectory()) return ABSENT;
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
