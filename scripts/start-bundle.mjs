import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

// Plain JavaScript: it runs before anything that takes types out of sources is ready, and spares that.

const ROOT = resolve(import.meta.dirname, '..');
const require = createRequire(import.meta.url);

/** The program, and what its threads start with. */
const ENTRIES = ['src/cli/main.ts', 'src/sql/worker.ts'];

/** What a start loads anyway, here while the bundler is at work. Kysely is taken as src/sql/kysely.ts takes it. */
const LIBRARIES = [
  'commander',
  'ajv/dist/2020.js',
  'semver',
  'pino',
  'jsonc-parser',
  're2js',
  'picomatch',
  'esbuild',
];

const OPTIONS =
  '--bundle --splitting --packages=external --format=esm --platform=node --target=node24 --out-extension:.js=.mjs --entry-names=[name] --log-level=silent'.split(
    ' ',
  );

/** A server of older sources may still import parts of its bundle. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/**
 * Finds the sources of `start` as one bundle, which is read in a third of the time that they take one by one, with their
 * types. A bundle is taken while no file that it was made from has changed. Gives the address of its entry; none where
 * there is no bundling: the sources do as well, and tell what is wrong with them.
 * @param {string} cache the folder of bundles
 * @returns {Promise<string | undefined>}
 */
export async function findStart(cache) {
  try {
    const folder = readRecord(cache) ?? (await bundle(cache));
    return pathToFileURL(join(folder, 'main.mjs')).href;
  } catch {
    return undefined;
  }
}

/**
 * @param {string} cache
 * @returns {string | undefined}
 */
function readRecord(cache) {
  try {
    /** @type {{ root: string, folder: string, marks: Record<string, string> }} */
    const { root, folder, marks } = JSON.parse(readFileSync(join(cache, 'start.json'), 'utf8'));
    // What was copied from another checkout is that one's program.
    const isOurs = root === ROOT && dirname(folder) === cache;
    const isFresh = Object.entries(marks).every(([file, mark]) => markOf(file) === mark);
    return isOurs && isFresh && existsSync(join(folder, 'main.mjs')) ? folder : undefined;
  } catch {
    // There is none, or it is broken, or a file of it is gone.
    return undefined;
  }
}

/**
 * @param {string} cache
 * @returns {Promise<string>}
 */
async function bundle(cache) {
  const startedAt = Date.now();
  const folder = join(cache, `start-${startedAt.toString(36)}-${process.pid}`);
  const metafile = join(folder, 'meta.json');
  const options = [
    ...OPTIONS,
    `--outdir=${folder}`,
    `--metafile=${metafile}`,
    // A constant of host/home.ts.
    `--define:SOURCES=${JSON.stringify(ROOT)}`,
    ...otherCommands().map((name) => `--external:*/${name}`),
  ];
  // As a program of its own it works in half the time that it takes through its library.
  const bundler = spawn(bundlerFile(), [...ENTRIES, ...options], { cwd: ROOT, stdio: 'ignore' });
  const ended = once(bundler, 'exit');
  require('kysely');
  const [[code]] = await Promise.all([ended, ...LIBRARIES.map((name) => import(name))]);
  if (code !== 0) throw new Error('the sources cannot be bundled');
  /** @type {{ inputs: object }} */
  const { inputs } = JSON.parse(readFileSync(metafile, 'utf8'));
  const files = [...Object.keys(inputs), 'tsconfig.json']
    .map((name) => join(ROOT, name))
    .concat(import.meta.filename, require.resolve('esbuild/package.json'));
  const marks = Object.fromEntries(files.map((file) => [file, markOf(file, startedAt)]));
  const draft = join(folder, 'start.json');
  writeFileSync(draft, JSON.stringify({ root: ROOT, folder, marks }));
  renameSync(draft, join(cache, 'start.json'));
  deleteOld(cache);
  return folder;
}

/** The modules of other commands, which are imported by these commands alone. */
function otherCommands() {
  return readdirSync(join(ROOT, 'src/cli'), { recursive: true, encoding: 'utf8' })
    .map((name) => basename(name))
    .filter((name) => name.endsWith('-command.ts') && name !== 'start-command.ts');
}

/** The program for this machine: what npm links is a script that waits for an install script to replace it. */
function bundlerFile() {
  const { resolve: find } = createRequire(require.resolve('esbuild'));
  return find(`@esbuild/${process.platform}-${process.arch}/bin/esbuild`);
}

/**
 * @param {string} file
 * @param {number} [until] what changed later may not be in the bundle
 */
function markOf(file, until = Infinity) {
  const { mtimeMs, size } = statSync(file);
  return mtimeMs < until ? `${mtimeMs} ${size}` : 'changed meanwhile';
}

/** @param {string} cache */
function deleteOld(cache) {
  for (const name of readdirSync(cache)) {
    const folder = join(cache, name);
    // Another process may be faster.
    const { mtimeMs } = statSync(folder, { throwIfNoEntry: false }) ?? { mtimeMs: Infinity };
    if (!name.startsWith('start-') || Date.now() - mtimeMs < KEPT_MS) continue;
    rmSync(folder, { recursive: true, force: true });
  }
}
