import { createHash } from 'node:crypto';
import { statSync, type Stats } from 'node:fs';
import { chmod, mkdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import esbuildPackage from 'esbuild/package.json' with { type: 'json' };
import { bundleEntries, ENTRY_NAMES, withHash, type ByEntry } from './bundle-entries.ts';
import { openCaches, type GuestCaches } from './guest-caches.ts';
import { HOME } from './home.ts';
import { writeWhole } from './whole-file.ts';

/** The files that the child processes run, by absolute path. */
export interface ChildEntries extends ByEntry {
  /** Names what they were made from; each child says it in its first message. */
  readonly buildHash: string;
  readonly caches: GuestCaches;
}

/**
 * Bundles the child entries to plain `.mjs` in `folder`: a `.ts` entry costs a child 40 ms at start and doubles its memory.
 * What was bundled before is taken as it is while no file that it was made from has changed.
 */
export async function buildChildEntries(folder: string): Promise<ChildEntries> {
  return (await findChildEntries(folder)) ?? (await buildAnew(folder));
}

/** The child entries of a folder, where they need not be bundled first. */
export async function findChildEntries(folder: string): Promise<ChildEntries | undefined> {
  await openFolder(folder);
  return readBuilt(folder);
}

/** Children have user ids of their own: they go through the folder to their entry, but cannot list what else it holds. */
async function openFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o711 });
  const { mode } = await stat(folder);
  // Another owner's folder stays as it is; children then run without that layer.
  if ((mode & 0o111) !== 0o111) await chmod(folder, mode | 0o111).catch(() => undefined);
}

/** What a build leaves beside the entries, to be recognised by. */
interface BuildRecord {
  readonly bundler: string;
  /** Folder of the sources: another installation's entries are not this one's. */
  readonly home: string;
  readonly buildHash: string;
  /** Time of change and size of each file that went in, by absolute path. */
  readonly inputs: Readonly<Record<string, string>>;
  /** SHA-256 of each entry, by name. */
  readonly entries: Readonly<Record<string, string>>;
}

async function readBuilt(folder: string): Promise<ChildEntries | undefined> {
  try {
    const text = await readFile(path.join(folder, 'entries.json'), 'utf8');
    const record = JSON.parse(text) as BuildRecord;
    if (record.bundler !== esbuildPackage.version || record.home !== HOME) return undefined;
    const inputs = Object.entries(record.inputs);
    const marks = await Promise.all(inputs.map(async ([file]) => markOf(await stat(file))));
    if (!inputs.every(([, mark], at) => mark === marks[at])) return undefined;
    const built = entriesIn(folder, record.buildHash);
    const hashes = await Promise.all(
      ENTRY_NAMES.map(async (name) => hashOf(await readFile(built[name]))),
    );
    return ENTRY_NAMES.every((name, at) => record.entries[name] === hashes[at]) ? built : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Everything is bundled at once, and kept without letting go of the thread: at a start, whoever lets go of it waits until
 * the imports of the program do.
 */
async function buildAnew(folder: string): Promise<ChildEntries> {
  const startedAt = Date.now();
  const bundled = await bundleEntries();
  const buildHash = hashOf(Object.values(bundled.entries).join('\0')).slice(0, 16);
  const built = entriesIn(folder, buildHash);
  const texts = withHash(bundled.entries, buildHash);
  for (const name of ENTRY_NAMES) writeWhole(built[name], texts[name]);
  const inputs = bundled.inputs.map((file) => [file, markOf(statSync(file), startedAt)] as const);
  const record: BuildRecord = {
    bundler: esbuildPackage.version,
    home: HOME,
    buildHash,
    inputs: Object.fromEntries(inputs),
    entries: Object.fromEntries(ENTRY_NAMES.map((name) => [name, hashOf(texts[name])])),
  };
  writeWhole(path.join(folder, 'entries.json'), JSON.stringify(record));
  return built;
}

function entriesIn(folder: string, buildHash: string): ChildEntries {
  const file = (name: string): string => path.join(folder, `${name}-${buildHash}.mjs`);
  return {
    isolate: file('isolate'),
    worker: file('worker'),
    thread: file('thread'),
    sdk: file('sdk'),
    buildHash,
    caches: openCaches(folder, buildHash),
  };
}

/** What changed after `until` may not be in what was bundled. */
function markOf({ mtimeMs, size }: Stats, until = Infinity): string {
  return mtimeMs < until ? `${mtimeMs} ${size}` : 'changed meanwhile';
}

function hashOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
