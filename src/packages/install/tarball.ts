import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { ARCHIVE_LIMITS, findArchiveFault } from './archive.ts';
import { makeScratch, removeStale } from './cache-folder.ts';
import { loadPacote } from '../fetch/pacote.ts';

/** An unpacked archive: its folder in the cache, real and absolute, and the hash of the archive as npm writes it. */
export type Unpacked =
  | { readonly ok: true; readonly root: string; readonly integrity: string }
  | { readonly ok: false; readonly detail: string; readonly isMissing: boolean };

/**
 * Unpacks an npm tarball into the cache under the hash of its content, or finds it there and unchanged. No script runs.
 * Safe beside other processes that do the same, and when killed half-way: a folder of the cache is whole or not there.
 */
export async function unpackTarball(file: string, cacheFolder: string): Promise<Unpacked> {
  const archive = await readArchive(file);
  if (typeof archive === 'string') return refuse(archive, archive === MISSING);
  const hash = createHash('sha512').update(archive).digest();
  const integrity = `sha512-${hash.toString('base64')}`;
  const home = join(cacheFolder, 'packages', hash.toString('hex').slice(0, 64));
  try {
    if (await isIntact(home, integrity)) return found(home, integrity);
    const fault = await findArchiveFault(archive);
    if (fault !== undefined) return refuse(fault);
    await install({ archive, integrity, home, cacheFolder });
    return (await isIntact(home, integrity))
      ? await found(home, integrity)
      : refuse('its folder in the cache changes while it is read');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return refuse(`it could not be unpacked (${code ?? 'unknown error'})`);
  }
}

const MISSING = 'there is no such file';
const RECEIPT = 'receipt.json';

async function found(home: string, integrity: string): Promise<Unpacked> {
  return { ok: true, root: await realpath(join(home, 'package')), integrity };
}

function refuse(detail: string, isMissing = false): Unpacked {
  return { ok: false, detail, isMissing };
}

async function readArchive(file: string): Promise<Buffer | string> {
  try {
    const facts = await stat(file);
    if (!facts.isFile()) return 'it is not a file';
    const { packedBytes } = ARCHIVE_LIMITS;
    return facts.size > packedBytes
      ? `it is larger than ${packedBytes} bytes`
      : await readFile(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? MISSING : `it cannot be read (${code ?? 'unknown error'})`;
  }
}

interface Installation {
  readonly archive: Buffer;
  readonly integrity: string;
  readonly home: string;
  readonly cacheFolder: string;
}

async function install({ archive, integrity, home, cacheFolder }: Installation): Promise<void> {
  await removeStale(cacheFolder);
  const scratch = await makeScratch(cacheFolder);
  try {
    // The bytes that were inspected are unpacked, whatever becomes of the file.
    const copy = join(scratch, 'package.tgz');
    await writeFile(copy, archive);
    const fresh = join(scratch, 'home');
    // It takes half a second to load, and most starts have nothing to unpack.
    const pacote = await loadPacote();
    await pacote.extract(`file:${copy}`, join(fresh, 'package'), {
      integrity,
      cache: join(scratch, 'npm'),
      // A package cannot make its files writable by others.
      umask: 0o022,
    });
    const receipt = { integrity, tree: await hashTree(join(fresh, 'package')) };
    await writeFile(join(fresh, RECEIPT), JSON.stringify(receipt));
    await mkdir(join(home, '..'), { recursive: true });
    if (await movesTo(fresh, home)) return;
    // Another process was first, or what is there is damaged and makes room.
    if (await isIntact(home, integrity)) return;
    await movesTo(home, join(scratch, 'damaged'));
    await movesTo(fresh, home);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Moves a folder in one step; `false` when it is gone or its place is taken. */
async function movesTo(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTEMPTY' || code === 'EEXIST') return false;
    throw error;
  }
}

/** Whether a folder of the cache holds exactly what was unpacked. */
async function isIntact(home: string, integrity: string): Promise<boolean> {
  try {
    const receipt = JSON.parse(await readFile(join(home, RECEIPT), 'utf8')) as Record<
      string,
      unknown
    >;
    if (receipt['integrity'] !== integrity) return false;
    return receipt['tree'] === (await hashTree(join(home, 'package')));
  } catch {
    return false;
  }
}

/** One hash over the paths and bytes of a folder. Throws for a link: none is unpacked. */
async function hashTree(root: string): Promise<string> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const lines: string[] = [];
  for (const entry of entries) {
    if (entry.isDirectory()) continue;
    if (!entry.isFile()) throw new Error('neither a file nor a folder');
    const path = join(entry.parentPath, entry.name);
    const hash = createHash('sha256').update(await readFile(path));
    lines.push(`${relative(root, path).split(sep).join('/')}\0${hash.digest('hex')}`);
  }
  return createHash('sha256').update(lines.sort().join('\n')).digest('hex');
}
