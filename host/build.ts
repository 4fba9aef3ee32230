import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';

/** The bundled entries of the child processes. */
export interface ChildEntries {
  /** Entry of a package's process. */
  readonly isolate: string;
  /** Entry of the local hooks' process, and of each thread in it. */
  readonly worker: string;
  readonly thread: string;
  /** Names the sources they were made from; each child says it in its first message. */
  readonly buildHash: string;
}

const HERE = path.dirname(fileURLToPath(import.meta.url));
const EXTENSION = path.extname(fileURLToPath(import.meta.url));
const COMMON = {
  bundle: true,
  write: false,
  target: 'es2024',
  logLevel: 'silent',
  legalComments: 'none',
} as const;

/**
 * Bundles the child entries to plain `.mjs` in `folder`, by content: a `.ts` entry costs a child 40 ms at start and
 * doubles its memory. Files that are there already are kept.
 */
export async function buildChildEntries(folder: string): Promise<ChildEntries> {
  const prelude = await bundlePrelude();
  const [isolate, worker, thread] = await Promise.all([
    bundleNode('isolate/child', prelude),
    bundleNode('worker/child', prelude),
    bundleNode('worker/thread', prelude),
  ]);
  const buildHash = createHash('sha256')
    .update(isolate)
    .update(worker)
    .update(thread)
    .digest('hex')
    .slice(0, 16);
  await mkdir(folder, { recursive: true });
  const place = async (name: string, text: string): Promise<string> => {
    const file = path.join(folder, `${name}-${buildHash}.mjs`);
    await writeOnce(file, text.replaceAll(HASH_MARK, buildHash));
    return file;
  };
  return {
    isolate: await place('isolate', isolate),
    worker: await place('worker', worker),
    thread: await place('thread', thread),
    buildHash,
  };
}

/** Stands in the bundles for the hash that is taken over them. */
const HASH_MARK = '@signalbox-build-hash@';

/** The guest code as a script whose value is `boot`. */
async function bundlePrelude(): Promise<string> {
  const result = await build({
    ...COMMON,
    entryPoints: [entryFile('guest/isolate-entry')],
    format: 'iife',
    globalName: 'guest',
    platform: 'neutral',
    minify: true,
    banner: { js: '(() => {"use strict";' },
    footer: { js: 'return guest.boot})()' },
  });
  return result.outputFiles[0]?.text ?? '';
}

async function bundleNode(name: string, prelude: string): Promise<string> {
  const result = await build({
    ...COMMON,
    entryPoints: [entryFile(name)],
    format: 'esm',
    platform: 'node',
    external: ['isolated-vm', 'piscina'],
    minifySyntax: true,
    plugins: [virtualModules(prelude)],
  });
  return result.outputFiles[0]?.text ?? '';
}

function virtualModules(prelude: string): Plugin {
  const texts: Readonly<Record<string, string>> = {
    'signalbox:prelude': `export default ${JSON.stringify(prelude)}`,
    'signalbox:build': `export const BUILD_HASH = ${JSON.stringify(HASH_MARK)}`,
  };
  return {
    name: 'signalbox-virtual',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^signalbox:/ }, ({ path: name }) => ({
        path: name,
        namespace: 'virtual',
      }));
      onLoad({ filter: /.*/, namespace: 'virtual' }, ({ path: name }) => ({
        contents: texts[name] ?? '',
      }));
    },
  };
}

function entryFile(name: string): string {
  return path.join(HERE, `${name}${EXTENSION}`);
}

/** Another process may write the same file at the same time: whole files appear by rename, and the last one wins. */
async function writeOnce(file: string, text: string): Promise<void> {
  const found = await readFile(file, 'utf8').catch(() => undefined);
  if (found === text) return;
  const draft = `${file}.${process.pid}.tmp`;
  await writeFile(draft, text, { mode: 0o644 });
  await rename(draft, file);
}
