import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { writeWhole } from './whole-file.ts';

/**
 * V8's code caches of the guest scripts, which every isolate boots with. The first child of a build makes them, before it
 * is ready and knows of any package; the next ones find them in a file. What V8 does not take, a child makes anew.
 */
export interface GuestCaches {
  /** The file, where there is a whole one: a line with the hash of what follows, and the caches in base64. */
  readonly file: string | undefined;
  /** Keeps what a child has made. */
  keep(caches: string): void;
  /** Takes them out of use, if they are in use, until a child makes new ones; gives whether they were. */
  drop(): boolean;
}

/** The caches in a folder of child entries. */
export function openCaches(folder: string, buildHash: string): GuestCaches {
  // Another engine makes others.
  const engine = `${process.versions.v8}-${process.arch}`;
  const file = path.join(folder, `guest-${buildHash}-${engine}.cache`);
  let isInUse = true;
  return {
    // Looked at for each start: V8 does not check what it is given, and a child that dies of it looks like a platform that
    // lacks a layer.
    get file() {
      return isInUse && isWhole(file) ? file : undefined;
    },
    drop() {
      const wereInUse = isInUse && isWhole(file);
      isInUse = false;
      return wereInUse;
    },
    keep(caches) {
      try {
        writeWhole(file, `${hashOf(caches)}\n${caches}`);
        isInUse = true;
      } catch {
        // A full disk, or a folder of somebody else's: each child goes on to make its own.
      }
    },
  };
}

function isWhole(file: string): boolean {
  try {
    const [hash, caches = ''] = readFileSync(file, 'latin1').split('\n');
    return hash === hashOf(caches);
  } catch {
    return false;
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
