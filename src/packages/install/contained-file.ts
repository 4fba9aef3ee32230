import { open, realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative, sep } from 'node:path';

/** A file's text and its real path, or what is wrong with it in words without a host path. */
export type ContainedFile =
  | { readonly ok: true; readonly text: string; readonly path: string }
  | { readonly ok: false; readonly detail: string; readonly isMissing: boolean };

/** Whether a path is `root` or lies below it; both absolute and real. */
export function isWithin(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Where a path leads once every link is followed: inside `root`, outside of it, or nowhere. */
export async function locate(
  root: string,
  path: string,
): Promise<{ readonly path: string } | 'outside' | 'missing'> {
  try {
    const real = await realpath(path);
    return isWithin(root, real) ? { path: real } : 'outside';
  } catch {
    return 'missing';
  }
}

/** Reads a regular UTF-8 file of at most `maxBytes` that lies in `root`, links followed. */
export async function readContained(
  root: string,
  path: string,
  maxBytes: number,
): Promise<ContainedFile> {
  const place = await locate(root, path);
  if (place === 'missing') return refuse('is missing', true);
  if (place === 'outside') return refuse('is a link that leads out of its folder');
  try {
    // A pipe would hold up whoever opens it.
    if (!(await stat(place.path)).isFile()) return refuse('is not a file');
    const bytes = await readAtMost(place.path, maxBytes);
    if (bytes === undefined) return refuse(`is larger than ${maxBytes} bytes`);
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { ok: true, text, path: place.path };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return refuse(
      error instanceof TypeError ? 'is not UTF-8 text' : `cannot be read (${code ?? '?'})`,
    );
  }
}

function refuse(detail: string, isMissing = false): ContainedFile {
  return { ok: false, detail, isMissing };
}

/** The bytes of a file, or `undefined` when it has more; it may grow while it is read. */
async function readAtMost(path: string, maxBytes: number): Promise<Buffer | undefined> {
  const handle = await open(path);
  try {
    const { size } = await handle.stat();
    if (size > maxBytes) return undefined;
    const buffer = Buffer.alloc(size + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length);
      if (bytesRead === 0) return buffer.subarray(0, length);
      length += bytesRead;
      if (length === buffer.length) return undefined;
    }
  } finally {
    await handle.close();
  }
}
