import path from 'node:path';
import type { BuildOptions, OutputFile } from 'esbuild';
import { withBundler } from './bundler.ts';
import { HOME, moduleFile } from './home.ts';

const HERE = path.join(HOME, 'host');
const COMMON = {
  bundle: true,
  absWorkingDir: HERE,
  // Nothing is written there.
  outdir: 'entries',
  write: false,
  metafile: true,
  target: 'es2024',
  logLevel: 'silent',
  legalComments: 'none',
} as const;

/** The entries by name: of a package's process, of the local hooks' process and its threads, and the sdk that these are given. */
const NODE_ENTRIES = {
  isolate: 'host/isolate/child',
  worker: 'host/worker/child',
  thread: 'host/worker/thread',
  sdk: 'sdk/index',
} as const;
/** Names of the entries. */
export const ENTRY_NAMES = Object.keys(NODE_ENTRIES) as (keyof typeof NODE_ENTRIES)[];

/** Stand in the bundles for constants of host/isolate/built.d.ts that are known once all is bundled. */
const MARKS = {
  PRELUDE: '@signalbox-prelude@',
  WEB_NAMES: '@signalbox-web-names@',
  CONTRACTS: '@signalbox-contracts@',
  BUILD_HASH: '@signalbox-build-hash@',
} as const;

/** A text for each entry, or a path. */
export type ByEntry = Readonly<Record<keyof typeof NODE_ENTRIES, string>>;

/** What was bundled: the guest code stands in the entries, the hash of the build does not yet. */
export interface Bundled {
  readonly entries: ByEntry;
  /** Absolute paths of all files that went in. */
  readonly inputs: readonly string[];
}

/** Bundles the child entries, all at once. */
export async function bundleEntries(): Promise<Bundled> {
  const inputs = new Set<string>();
  const [node, prelude, web, contracts] = await Promise.all([
    bundleNode(inputs),
    bundleGuest('isolate-entry', 'boot', inputs),
    bundleGuest('web-entry', 'makeWeb', inputs),
    bundleGuest('contracts-entry', 'contracts', inputs),
  ]);
  const entries = fill(node, { PRELUDE: prelude, WEB_NAMES: web, CONTRACTS: contracts });
  return { entries, inputs: [...inputs] };
}

/** The entries of a build that they name. */
export function withHash(entries: ByEntry, buildHash: string): ByEntry {
  return fill(entries, { BUILD_HASH: buildHash });
}

/** Puts values in the place of marks, which stand in JSON texts. */
function fill(entries: ByEntry, values: Partial<Record<keyof typeof MARKS, string>>): ByEntry {
  const filled = { ...entries };
  for (const [mark, value] of Object.entries(values)) {
    const escaped = JSON.stringify(value).slice(1, -1);
    for (const name of ENTRY_NAMES)
      filled[name] = filled[name].replaceAll(MARKS[mark as keyof typeof MARKS], () => escaped);
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

/** What runs in Node itself. */
async function bundleNode(inputs: Set<string>): Promise<ByEntry> {
  const entryPoints = ENTRY_NAMES.map((name) => [name, moduleFile(NODE_ENTRIES[name])]);
  const files = await bundle(inputs, {
    entryPoints: Object.fromEntries(entryPoints) as Record<string, string>,
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
  const texts = new Map(files.map((file) => [path.basename(file.path, '.js'), file.text]));
  const text = (name: string): string => texts.get(name) ?? '';
  return {
    isolate: text('isolate'),
    worker: text('worker'),
    thread: text('thread'),
    sdk: text('sdk'),
  };
}

async function bundle(inputs: Set<string>, options: BuildOptions): Promise<readonly OutputFile[]> {
  const { outputFiles = [], metafile } = await withBundler((build) =>
    build({ ...COMMON, ...options }),
  );
  for (const file of Object.keys(metafile?.inputs ?? {})) inputs.add(path.resolve(HERE, file));
  return outputFiles;
}
