import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { ReadEntry } from 'tar';
import { printable } from '../../config/printable.ts';

/** Limits of a package archive; npm packages of hooks are a thousand times smaller. */
export const ARCHIVE_LIMITS = {
  packedBytes: 32 * 1024 * 1024,
  unpackedBytes: 64 * 1024 * 1024,
  entries: 5000,
  pathChars: 512,
  depth: 32,
} as const;

const FILES = ['File', 'OldFile', 'ContiguousFile'];
const FOLDERS = ['Directory', 'GNUDumpDir'];
/** A header and padding for each entry, and the end of the archive. */
const OVERHEAD = ARCHIVE_LIMITS.entries * 4096 + 1024 * 1024;

/**
 * Why an npm archive must not be unpacked, or `undefined`. Nothing is written. Links, special files, paths that lead out,
 * that stand twice or differ in case alone, and archives beyond {@link ARCHIVE_LIMITS} are refused.
 */
export async function findArchiveFault(archive: Buffer): Promise<string | undefined> {
  const plain = await inflate(archive);
  if (typeof plain === 'string') return plain;
  const { Parser } = await import('tar');
  const paths = new Map<string, string>();
  let entries = 0;
  let bytes = 0;
  let fault: string | undefined;
  const parser = new Parser({
    strict: true,
    onReadEntry: (entry: ReadEntry) => {
      entries++;
      bytes += entry.size;
      if (entries > ARCHIVE_LIMITS.entries)
        fault ??= `it has more than ${ARCHIVE_LIMITS.entries} entries`;
      if (bytes > ARCHIVE_LIMITS.unpackedBytes) fault ??= TOO_LARGE;
      fault ??= findEntryFault(entry, paths);
      entry.resume();
    },
  });
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  parser.on('error', (error: Error) =>
    resolve(fault ?? `it is no archive: ${printable(error.message)}`),
  );
  parser.on('end', () => resolve(fault ?? (entries === 0 ? 'the archive is empty' : undefined)));
  parser.end(plain);
  return promise;
}

const TOO_LARGE = `it unpacks to more than ${ARCHIVE_LIMITS.unpackedBytes} bytes`;

/** The tar bytes of an archive, or why there are none. */
async function inflate(archive: Buffer): Promise<Buffer | string> {
  const isGzip = archive[0] === 0x1f && archive[1] === 0x8b;
  if (!isGzip) return archive.length === 0 ? 'the archive is empty' : archive;
  try {
    const maxOutputLength = ARCHIVE_LIMITS.unpackedBytes + OVERHEAD;
    return await promisify(gunzip)(archive, { maxOutputLength });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ERR_BUFFER_TOO_LARGE' ? TOO_LARGE : 'it is no archive, or damaged';
  }
}

function findEntryFault(entry: ReadEntry, paths: Map<string, string>): string | undefined {
  const isFile = FILES.includes(entry.type);
  const name = `"${printable(entry.path, 120)}"`;
  if (!isFile && !FOLDERS.includes(entry.type)) return `${name} is neither a file nor a folder`;
  const fault = findPathFault(entry.path);
  if (fault !== undefined) return `${name} ${fault}`;
  // npm takes off the first part of each path, whatever it is called.
  const parts = entry.path
    .split('/')
    .filter((part) => part !== '')
    .slice(1);
  for (let length = 1; length <= parts.length; length++) {
    const path = parts.slice(0, length).join('/');
    const isEntry = length === parts.length;
    const folded = path.normalize('NFC').toLowerCase();
    const kept = isEntry && isFile ? `${path}\0file` : path;
    const other = paths.get(folded);
    if (other !== undefined && (other !== kept || (isEntry && isFile))) {
      return `${name} is there twice, or differs from another path in case alone`;
    }
    paths.set(folded, kept);
  }
  return undefined;
}

function findPathFault(path: string): string | undefined {
  if (path.length > ARCHIVE_LIMITS.pathChars) return 'has too long a path';
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return 'has an absolute path';
  if (/[\\\u0000-\u001f\u007f]/.test(path)) return 'has a path with characters that are refused';
  const parts = path.replace(/\/$/, '').split('/');
  if (parts.length > ARCHIVE_LIMITS.depth) return 'is nested too deep';
  if (parts.some((part) => part === '..')) return 'has a path that leads out of the package';
  if (parts.some((part) => part === '' || part === '.')) return 'has a path with empty parts';
  return undefined;
}
