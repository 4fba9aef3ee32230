import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import esbuildPackage from 'esbuild/package.json' with { type: 'json' };
import { withBundler } from './bundler.ts';

/** The bundled entries of the child processes. */
export interface ChildEntries {
  /** Entry of a package's process. */
  readonly isolate: string;
  /** Entry of the local hooks' process, and of each thread in it. */
  readonly worker: string;
  readonly thread: string;
  /** Names what they were made from; each child says it in its first message. */
  readonly buildHash: string;
}

const HERE = path.dirname(fileURLToPath(import.meta.url));
const EXTENSION = path.extname(fileURLToPath(import.meta.url));
const COMMON = {
  bundle: true,
  write: false,
  metafile: true,
  target: 'es2024',
  logLevel: 'silent',
  legalComments: 'none',
} as const;
const NAMES = ['isolate', 'worker', 'thread'] as const;

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
    if (record.bundler !== esbuildPackage.version || record.home !== HERE) return undefined;
    const inputs = Object.entries(record.inputs);
    const marks = await Promise.all(inputs.map(([file]) => markOf(file)));
    if (!inputs.every(([, mark], at) => mark === marks[at])) return undefined;
    const built = entriesIn(folder, record.buildHash);
    const hashes = await Promise.all(
      NAMES.map(async (name) => hashOf(await readFile(built[name]))),
    );
    return NAMES.every((name, at) => record.entries[name] === hashes[at]) ? built : undefined;
  } catch {
    return undefined;
  }
}

async function buildAnew(folder: string): Promise<ChildEntries> {
  const inputs = new Set<string>();
  const [prelude, web, contracts] = await Promise.all([
    bundleGuest('isolate-entry', 'boot', inputs),
    bundleGuest('web-entry', 'makeWeb', inputs),
    bundleGuest('contracts-entry', 'contracts', inputs),
  ]);
  const texts = await Promise.all(
    ['isolate/child', 'worker/child', 'worker/thread'].map((name) =>
      bundleNode(name, { prelude, web, contracts }, inputs),
    ),
  );
  const buildHash = hashOf(texts.join('\0')).slice(0, 16);
  const built = entriesIn(folder, buildHash);
  const write = async (name: (typeof NAMES)[number], at: number): Promise<[string, string]> => {
    const text = (texts[at] ?? '').replaceAll(HASH_MARK, buildHash);
    await writeWhole(built[name], text);
    return [name, hashOf(text)];
  };
  const [entries, marks] = await Promise.all([
    Promise.all(NAMES.map(write)),
    Promise.all([...inputs].map(async (file) => [file, await markOf(file)] as const)),
  ]);
  const record: BuildRecord = {
    bundler: esbuildPackage.version,
    home: HERE,
    buildHash,
    inputs: Object.fromEntries(marks),
    entries: Object.fromEntries(entries),
  };
  await writeWhole(path.join(folder, 'entries.json'), JSON.stringify(record));
  return built;
}

function entriesIn(folder: string, buildHash: string): ChildEntries {
  const file = (name: string): string => path.join(folder, `${name}-${buildHash}.mjs`);
  return { isolate: file('isolate'), worker: file('worker'), thread: file('thread'), buildHash };
}

/** The guest scripts that a child carries as text. */
interface GuestTexts {
  readonly prelude: string;
  readonly web: string;
  readonly contracts: string;
}

/** Stands in the bundles for the hash that is taken over them. */
const HASH_MARK = '@signalbox-build-hash@';

/** Guest code as a script whose value is one export of it. */
function bundleGuest(name: string, value: string, inputs: Set<string>): Promise<string> {
  return bundle(inputs, {
    entryPoints: [entryFile(`guest/${name}`)],
    format: 'iife',
    globalName: 'guest',
    platform: 'neutral',
    inject: [entryFile('guest/web/own-atob')],
    minify: true,
    banner: { js: '(() => {"use strict";' },
    footer: { js: `return guest.${value}})()` },
  });
}

function bundleNode(name: string, guest: GuestTexts, inputs: Set<string>): Promise<string> {
  return bundle(inputs, {
    entryPoints: [entryFile(name)],
    format: 'esm',
    platform: 'node',
    external: ['isolated-vm', 'piscina'],
    minifySyntax: true,
    // Constants of host/isolate/built.d.ts.
    define: {
      PRELUDE: JSON.stringify(guest.prelude),
      WEB_NAMES: JSON.stringify(guest.web),
      CONTRACTS: JSON.stringify(guest.contracts),
      BUILD_HASH: JSON.stringify(HASH_MARK),
    },
  });
}

async function bundle(
  inputs: Set<string>,
  options: Parameters<typeof import('esbuild').build>[0],
): Promise<string> {
  const { outputFiles, metafile } = await withBundler((build) =>
    build({ ...COMMON, absWorkingDir: HERE, ...options }),
  );
  for (const file of Object.keys(metafile?.inputs ?? {})) inputs.add(path.resolve(HERE, file));
  return outputFiles?.[0]?.text ?? '';
}

function entryFile(name: string): string {
  return path.join(HERE, `${name}${EXTENSION}`);
}

async function markOf(file: string): Promise<string> {
  const { mtimeMs, size } = await stat(file);
  return `${mtimeMs} ${size}`;
}

function hashOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Another process may write the same file at the same time: whole files appear by rename, and the last one wins. */
async function writeWhole(file: string, text: string): Promise<void> {
  const draft = `${file}.${process.pid}.tmp`;
  await writeFile(draft, text, { mode: 0o644 });
  await rename(draft, file);
}
