import { createHash } from 'node:crypto';
import { renameSync, statSync, writeFileSync, type Stats } from 'node:fs';
import { chmod, mkdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { BuildOptions, OutputFile } from 'esbuild';
import esbuildPackage from 'esbuild/package.json' with { type: 'json' };
import { withBundler } from './bundler.ts';
import { HOME, moduleFile } from './home.ts';

/** The bundled entries of the child processes. */
export interface ChildEntries {
  /** Entry of a package's process. */
  readonly isolate: string;
  /** Entry of the local hooks' process, and of each thread in it. */
  readonly worker: string;
  readonly thread: string;
  /** The authors' kit as its own sources give it, for hooks that import these. */
  readonly sdk: string;
  /** Names what they were made from; each child says it in its first message. */
  readonly buildHash: string;
}

const HERE = path.join(HOME, 'host');
const COMMON = {
  bundle: true,
  // Nothing is written there.
  outdir: 'entries',
  write: false,
  metafile: true,
  target: 'es2024',
  logLevel: 'silent',
  legalComments: 'none',
} as const;
const NAMES = ['isolate', 'worker', 'thread', 'sdk'] as const;

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
    const marks = await Promise.all(inputs.map(async ([file]) => markOf(await stat(file))));
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

/**
 * Everything is bundled at once, and kept without letting go of the thread: at a start, whoever lets go of it waits until
 * the imports of the program do.
 */
async function buildAnew(folder: string): Promise<ChildEntries> {
  const startedAt = Date.now();
  const inputs = new Set<string>();
  const [node, prelude, web, contracts] = await Promise.all([
    bundleNode(inputs),
    bundleGuest('isolate-entry', 'boot', inputs),
    bundleGuest('web-entry', 'makeWeb', inputs),
    bundleGuest('contracts-entry', 'contracts', inputs),
  ]);
  const texts = NAMES.map((name) =>
    fill(node.get(name) ?? '', { PRELUDE: prelude, WEB_NAMES: web, CONTRACTS: contracts }),
  );
  const buildHash = hashOf(texts.join('\0')).slice(0, 16);
  const built = entriesIn(folder, buildHash);
  const entries = NAMES.map((name, at) => {
    const text = fill(texts[at] ?? '', { BUILD_HASH: buildHash });
    writeWhole(built[name], text);
    return [name, hashOf(text)] as const;
  });
  const record: BuildRecord = {
    bundler: esbuildPackage.version,
    home: HERE,
    buildHash,
    inputs: Object.fromEntries(
      [...inputs].map((file) => [file, markOf(statSync(file), startedAt)]),
    ),
    entries: Object.fromEntries(entries),
  };
  writeWhole(path.join(folder, 'entries.json'), JSON.stringify(record));
  return built;
}

function entriesIn(folder: string, buildHash: string): ChildEntries {
  const file = (name: string): string => path.join(folder, `${name}-${buildHash}.mjs`);
  const [isolate, worker, thread, sdk] = NAMES.map(file) as [string, string, string, string];
  return { isolate, worker, thread, sdk, buildHash };
}

/** Stand in the bundles for constants of host/isolate/built.d.ts that are known once all is bundled. */
const MARKS = {
  PRELUDE: '@signalbox-prelude@',
  WEB_NAMES: '@signalbox-web-names@',
  CONTRACTS: '@signalbox-contracts@',
  BUILD_HASH: '@signalbox-build-hash@',
} as const;

/** Puts values in the place of marks, which stand in JSON texts. */
function fill(text: string, values: Partial<Record<keyof typeof MARKS, string>>): string {
  let filled = text;
  for (const [name, value] of Object.entries(values)) {
    const escaped = JSON.stringify(value).slice(1, -1);
    filled = filled.replaceAll(MARKS[name as keyof typeof MARKS], () => escaped);
  }
  return filled;
}

/** Guest code as a script whose value is one export of it. */
async function bundleGuest(name: string, value: string, inputs: Set<string>): Promise<string> {
  const [file] = await bundle(inputs, {
    entryPoints: [moduleFile(`host/guest/${name}`)],
    format: 'iife',
    globalName: 'guest',
    platform: 'neutral',
    inject: [moduleFile('host/guest/web/own-atob')],
    minify: true,
    banner: { js: '(() => {"use strict";' },
    footer: { js: `return guest.${value}})()` },
  });
  return file?.text ?? '';
}

/** What runs in Node itself, by the names of the entries. */
async function bundleNode(inputs: Set<string>): Promise<ReadonlyMap<string, string>> {
  const files = await bundle(inputs, {
    entryPoints: {
      isolate: moduleFile('host/isolate/child'),
      worker: moduleFile('host/worker/child'),
      thread: moduleFile('host/worker/thread'),
      sdk: moduleFile('sdk/index'),
    } satisfies Record<(typeof NAMES)[number], string>,
    format: 'esm',
    platform: 'node',
    external: ['isolated-vm', 'piscina'],
    minifySyntax: true,
    define: {
      ...Object.fromEntries(
        Object.entries(MARKS).map(([name, mark]) => [name, JSON.stringify(mark)]),
      ),
      OWN_SDK: JSON.stringify(moduleFile('sdk/index')),
    },
  });
  return new Map(files.map((file) => [path.basename(file.path, '.js'), file.text]));
}

async function bundle(inputs: Set<string>, options: BuildOptions): Promise<readonly OutputFile[]> {
  const { outputFiles = [], metafile } = await withBundler((build) =>
    build({ ...COMMON, absWorkingDir: HERE, ...options }),
  );
  for (const file of Object.keys(metafile?.inputs ?? {})) inputs.add(path.resolve(HERE, file));
  return outputFiles;
}

/** What changed after `until` may not be in what was bundled. */
function markOf({ mtimeMs, size }: Stats, until = Infinity): string {
  return mtimeMs < until ? `${mtimeMs} ${size}` : 'changed meanwhile';
}

function hashOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Another process may write the same file at the same time: whole files appear by rename, and the last one wins. */
function writeWhole(file: string, text: string): void {
  const draft = `${file}.${process.pid}.tmp`;
  writeFileSync(draft, text, { mode: 0o644 });
  renameSync(draft, file);
}
