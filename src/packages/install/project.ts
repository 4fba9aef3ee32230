import { chmod, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { SignalboxError } from '../../../sdk/errors.ts';
import { parseConfig } from '../../config/load-config.ts';
import { lockPath, lockText, readLock, replaceFile, type LockFile } from '../lock/lock-file.ts';

/** The two files of a project that an installation changes. */
export interface ProjectFiles {
  /** The text of runtime.json. */
  readonly config: string;
  readonly lock: LockFile;
}

/** Where a project is. */
export interface Project {
  /** Path of runtime.json. */
  readonly file: string;
  readonly folder: string;
}

const BUSY_MS = 10_000;
const POLL_MS = 50;
const UNSIGNED_MS = 2000;

/**
 * Changes runtime.json and runtime.lock.json together, one process at a time: `change` is given what they hold now. Both are
 * written or neither is; what `change` throws leaves them as they were. Throws `install_busy` and what the disk throws.
 */
export async function changeProject(
  { file, folder }: Project,
  change: (files: ProjectFiles) => Promise<ProjectFiles>,
): Promise<void> {
  const release = await takeTurn(file, folder);
  try {
    const config = await readFile(file, 'utf8');
    const lock = await readLock(folder);
    const fresh = await change({ config, lock });
    parseConfig(fresh.config, file);
    const isShorter = Object.keys(fresh.lock.packages).length < Object.keys(lock.packages).length;
    const writes = [
      {
        path: lockPath(folder),
        before: await textOf(lockPath(folder)),
        text: lockText(fresh.lock),
      },
      { path: await realpath(file), before: config, text: fresh.config },
    ];
    // Killed in between, a package is locked and not declared, which enables nothing.
    await writeAll(isShorter ? writes.reverse() : writes);
  } finally {
    await release();
  }
}

interface Write {
  readonly path: string;
  readonly before: string | undefined;
  readonly text: string;
}

async function writeAll(writes: readonly Write[]): Promise<void> {
  const done: Write[] = [];
  try {
    for (const write of writes) {
      if (write.text === write.before) continue;
      await writeLike(write.path, write.text);
      done.push(write);
    }
  } catch (error) {
    for (const { path, before } of done) {
      if (before === undefined) await rm(path, { force: true });
      else await writeLike(path, before);
    }
    throw error;
  }
}

/** A file that is replaced keeps who may read it. */
async function writeLike(path: string, text: string): Promise<void> {
  const facts = await stat(path).catch(() => undefined);
  await replaceFile(path, text);
  if (facts !== undefined) await chmod(path, facts.mode);
}

async function textOf(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined);
}

/** Waits until no other process changes the project. One that was killed holds nobody up. */
async function takeTurn(file: string, folder: string): Promise<() => Promise<void>> {
  const busy = `${lockPath(folder)}.busy`;
  const deadline = Date.now() + BUSY_MS;
  for (;;) {
    try {
      await writeFile(busy, String(process.pid), { flag: 'wx' });
      return () => rm(busy, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
        // A full disk takes the name and not what is written under it.
        await rm(busy, { force: true }).catch(() => undefined);
        throw error;
      }
    }
    if (await isLeft(busy)) await rm(busy, { force: true });
    else if (Date.now() > deadline) throw new SignalboxError('install_busy', { file, lock: busy });
    else await wait(POLL_MS);
  }
}

/** Whether the process that a mark names has ended. */
async function isLeft(busy: string): Promise<boolean> {
  const text = (await textOf(busy)) ?? '';
  if (!/^\d+$/.test(text)) {
    // Killed before it wrote who it is.
    const facts = await stat(busy).catch(() => undefined);
    return facts !== undefined && Date.now() - facts.mtimeMs > UNSIGNED_MS;
  }
  try {
    process.kill(Number(text), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
