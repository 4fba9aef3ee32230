import { gzipSync } from 'node:zlib';
import { Header } from 'tar';

/** An entry of a tar archive, hostile ones included. */
export interface ArchiveEntry {
  readonly path: string;
  readonly text?: string;
  readonly type?: 'File' | 'Directory' | 'SymbolicLink' | 'Link' | 'FIFO' | 'CharacterDevice';
  readonly target?: string;
  /** The size that the header claims, when it lies. */
  readonly claimedBytes?: number;
}

/** A gzipped tar archive of exactly these entries, written without any of the checks of a tar program. */
export function archiveOf(entries: readonly ArchiveEntry[]): Buffer {
  const blocks: Buffer[] = [];
  for (const { path, text = '', type = 'File', target, claimedBytes } of entries) {
    const body = Buffer.from(text);
    const header = Buffer.alloc(512);
    const size = claimedBytes ?? (type === 'File' ? body.length : 0);
    new Header({
      path,
      type,
      size,
      mode: 0o644,
      ...(target === undefined ? {} : { linkpath: target }),
    }).encode(header);
    blocks.push(header, body, Buffer.alloc((512 - (body.length % 512)) % 512));
  }
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

/** The entries of a package that holds these files, below `package/` as npm packs it. */
export function packed(
  files: Readonly<Record<string, string | Buffer | object>>,
): readonly ArchiveEntry[] {
  return Object.entries(files).map(([path, content]) => ({
    path: `package/${path}`,
    text: typeof content === 'string' ? content : JSON.stringify(content),
  }));
}
