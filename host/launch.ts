import { readdirSync, readFileSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { requireOwn } from './home.ts';
import type { SandboxKind } from './sandbox.ts';
import type { ChildEntries } from './build.ts';

/** A layer of the lock-down that a platform may lack; doctor and inventory show which are active. */
export const LAYERS = {
  permission:
    "Node's permission model: no files, no child processes, no workers, no foreign addons",
  environment: 'an empty environment',
  cores: 'core dumps are off',
  files: 'the kernel lets it write no file',
  network: 'a network namespace of its own, without any interface up',
  user: 'a user id of its own, without privileges',
  parent: 'the kernel ends it when the host dies',
} as const;

/** A key of {@link LAYERS}. */
export type Layer = keyof typeof LAYERS;

/** How a child is started: what to execute, and which layers that gives. */
export interface LaunchPlan {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly layers: readonly Layer[];
  /** Descriptors beyond the channel that the child would inherit if nothing were put in their place. */
  readonly inheritable: readonly number[];
}

/** Threads of the local hooks' process. */
export const WORKER_THREADS = Math.max(2, Math.min(os.availableParallelism(), 4));

/** User ids that no account has; each child gets the next, so that no child may signal another. */
const FIRST_UID = 1_879_048_192;
const UIDS = 100_000;

/**
 * The ways to start a child, strictest first. A platform or account that lacks a layer fails to start the first ones;
 * the caller takes the first that comes up and keeps to it.
 */
export function launchPlans(
  kind: SandboxKind,
  entries: ChildEntries,
): ((serial: number) => LaunchPlan)[] {
  if (kind === 'worker') return WRAPS.worker.map((wrap) => () => workerPlan(entries, wrap(0)));
  const isLinux = process.platform === 'linux';
  const isRoot = process.getuid?.() === 0;
  const wraps = isLinux ? (isRoot ? WRAPS.root : WRAPS.user) : WRAPS.elsewhere;
  // A start that is bound to fail would hold up the first load by as long as one that does not.
  const files = [process.execPath, entries.isolate, addonFile()];
  const isOpen = isRoot && files.every(isReadableByAll);
  return wraps
    .filter((wrap) => isOpen || !wrap(FIRST_UID).layers.includes('user'))
    .map((wrap) => (serial) => isolatePlan(entries, wrap(FIRST_UID + (serial % UIDS))));
}

/** Whether every user may read a file and go through the folders above it. */
function isReadableByAll(file: string): boolean {
  const EXECUTE = 0o1;
  const READ = 0o4;
  try {
    if ((statSync(file).mode & READ) === 0) return false;
    for (let at = path.dirname(file); ; at = path.dirname(at)) {
      if ((statSync(at).mode & EXECUTE) === 0) return false;
      if (at === path.dirname(at)) return true;
    }
  } catch {
    return false;
  }
}

/** Programs that come before node, and the layers that they add. */
interface Wrap {
  readonly words: readonly string[];
  readonly layers: readonly Layer[];
}

const NO_CORES = ['/bin/sh', '-c', 'ulimit -c 0; exec "$@"', 'sh'];
/** Pipes are no files: the channel is not touched by this. */
const NO_FILES = ['/bin/sh', '-c', 'ulimit -c 0; ulimit -f 0; exec "$@"', 'sh'];
const setpriv = (...words: string[]): string[] => [
  'setpriv',
  '--pdeathsig',
  'KILL',
  '--no-new-privs',
  ...words,
  '--',
];
const asUser = (uid: number): string[] => [
  `--reuid=${uid}`,
  `--regid=${uid}`,
  '--clear-groups',
  '--bounding-set=-all',
  '--inh-caps=-all',
];
const BARE: Wrap = { words: [], layers: [] };
const TIED: Wrap = { words: [...NO_CORES, ...setpriv()], layers: ['cores', 'parent'] };
const ALONE: Wrap = { words: [...NO_FILES, ...setpriv()], layers: ['cores', 'files', 'parent'] };

const WRAPS: Readonly<
  Record<'root' | 'user' | 'elsewhere' | 'worker', readonly ((uid: number) => Wrap)[]>
> = {
  root: [
    (uid) => ({
      words: [...NO_FILES, 'unshare', '--net', '--', ...setpriv(...asUser(uid))],
      layers: ['cores', 'files', 'network', 'user', 'parent'],
    }),
    (uid) => ({
      words: [...NO_FILES, ...setpriv(...asUser(uid))],
      layers: ['cores', 'files', 'user', 'parent'],
    }),
    () => ({
      words: [...NO_FILES, 'unshare', '--net', '--', ...setpriv()],
      layers: ['cores', 'files', 'network', 'parent'],
    }),
    () => ALONE,
    () => BARE,
  ],
  user: [
    () => ({
      words: [
        ...NO_FILES,
        'unshare',
        '--map-root-user',
        '--net',
        '--',
        ...setpriv('--bounding-set=-all'),
      ],
      layers: ['cores', 'files', 'network', 'parent'],
    }),
    () => ALONE,
    () => BARE,
  ],
  elsewhere: [() => BARE],
  worker: process.platform === 'linux' ? [() => TIED, () => BARE] : [() => BARE],
};

function isolatePlan(entries: ChildEntries, wrap: Wrap): LaunchPlan {
  // Read and held against its hash each time that it is asked for.
  const { file: cacheFile } = entries.caches;
  const files = [entries.isolate, addonFile(), ...(cacheFile === undefined ? [] : [cacheFile])];
  const words = [
    ...wrap.words,
    process.execPath,
    '--permission',
    '--allow-addons',
    ...files.map((file) => `--allow-fs-read=${file}`),
    '--no-experimental-sqlite',
    '--no-node-snapshot',
    '--no-warnings',
    // Young objects of a call are few: more room for them would only be memory that nobody shares.
    '--max-semi-space-size=1',
    // A signal from outside opens no debugger in it.
    '--disable-sigusr1',
    ...files,
  ];
  return planOf(words, {}, ['permission', 'environment', ...wrap.layers]);
}

function workerPlan(entries: ChildEntries, wrap: Wrap): LaunchPlan {
  const words = [
    ...wrap.words,
    process.execPath,
    '--no-warnings',
    // Local hooks of a checkout may import its sources.
    '--conditions=@signalbox/source',
    entries.worker,
    entries.thread,
    requireOwn.resolve('piscina'),
    String(WORKER_THREADS),
  ];
  return planOf(words, process.env as Record<string, string>, wrap.layers);
}

function planOf(
  words: readonly string[],
  env: LaunchPlan['env'],
  layers: readonly Layer[],
): LaunchPlan {
  const [command = process.execPath, ...args] = words;
  return { command, args, env, layers, inheritable: inheritable() };
}

/** What a shell or service manager left open in the host goes on to its children; Node's own descriptors do not. */
function inheritable(): number[] {
  try {
    const open = readdirSync('/proc/self/fd').filter((fd) => !isClosedOnExec(fd));
    return open
      .map(Number)
      .filter((fd) => fd > 2)
      .toSorted((a, b) => a - b);
  } catch {
    return [];
  }
}

function isClosedOnExec(fd: string): boolean {
  try {
    const flags = /^flags:\s+(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1];
    return (Number.parseInt(flags ?? '0', 8) & O_CLOEXEC) !== 0;
  } catch {
    // The descriptor of the folder itself is closed again by now.
    return true;
  }
}

const O_CLOEXEC = 0o2000000;

/** The prebuilt addon for this very Node. Only its path is asked for: the host never loads it. */
function addonFile(): string {
  const folder = path.dirname(requireOwn.resolve('isolated-vm/package.json'));
  const { path: resolve } = requireOwn('node-gyp-build') as { path: (folder: string) => string };
  return resolve(folder);
}
