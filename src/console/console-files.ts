import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { HOME, IS_CHECKOUT } from '../../host/home.ts';
import { SignalboxError } from '../../sdk/errors.ts';
import { deleteOldBuilds } from './old-builds.ts';

const BUILD_MS = 120_000;

/**
 * Gives back the folder of the console's files. A published package brings them; in a checkout they are bundled when they
 * are first asked for, in a process of its own so that no decision waits, and kept by the hash of what they are made from.
 * Throws `console_unavailable`.
 */
export function createConsoleFiles(): () => Promise<string> {
  let finding: Promise<string> | undefined;
  return () => {
    finding ??= findFolder().catch((error: unknown) => {
      // The next request tries again.
      finding = undefined;
      throw error;
    });
    return finding;
  };
}

async function findFolder(): Promise<string> {
  const folder = IS_CHECKOUT
    ? join(HOME, '.signalbox', `console-${await sourceHash()}`)
    : join(HOME, 'console');
  if (await isBuilt(folder)) return folder;
  if (!IS_CHECKOUT) throw unavailable('its files are missing from the package');
  const draft = `${folder}.${process.pid}.tmp`;
  try {
    await build(draft);
    // Another process may have built the same.
    await rename(draft, folder).catch(async (error: unknown) => {
      if (!(await isBuilt(folder))) throw error;
    });
    // What cannot be deleted keeps nobody from the console.
    await deleteOldBuilds(dirname(folder), folder).catch(() => undefined);
    return folder;
  } catch {
    throw unavailable('it cannot be built');
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function build(folder: string): Promise<void> {
  const script = join(HOME, 'scripts/build-console.ts');
  await promisify(execFile)(process.execPath, [script, folder], {
    cwd: HOME,
    timeout: BUILD_MS,
    env: { PATH: process.env['PATH'], NODE_ENV: 'production' },
  });
}

/** Of the console's sources, what builds them and the versions of the libraries in it. */
async function sourceHash(): Promise<string> {
  const source = join(HOME, 'console');
  const entries = await readdir(source, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const others = ['scripts/build-console.ts', 'package-lock.json', 'sdk/decisions.ts'];
  const hash = createHash('sha256');
  for (const file of [...files, ...others.map((name) => join(HOME, name))]) {
    hash
      .update(`${file.slice(HOME.length)}\0`)
      .update(await readFile(file))
      .update('\0');
  }
  return hash.digest('hex').slice(0, 16);
}

function isBuilt(folder: string): Promise<boolean> {
  return access(join(folder, 'index.html')).then(
    () => true,
    () => false,
  );
}

function unavailable(detail: string): SignalboxError {
  return new SignalboxError('console_unavailable', { detail });
}
