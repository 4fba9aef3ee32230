import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openRuntime, type LiveRuntime } from '../../src/index.ts';
import { placeEntries } from '../host/child-entries.ts';
import { ROOT } from '../house/imports.ts';

/** A runtime over a folder of files. The maker calls `remove`. */
export interface Folder {
  readonly runtime: LiveRuntime;
  readonly path: string;
  remove(): Promise<void>;
}

/** What a folder is made of. */
export interface FolderOptions {
  /** Texts by path; `hooks/` holds local hooks. */
  readonly files: Readonly<Record<string, string>>;
  /** Packages of this checkout that its hooks import, such as `@signalbox/sdk`. */
  readonly imports?: readonly string[];
  readonly config?: object;
}

/** Writes a folder as a user has it, and opens its runtime. */
export async function openFolder({ files, imports = [], config }: FolderOptions): Promise<Folder> {
  const path = await mkdtemp(join(tmpdir(), 'signalbox-folder-'));
  await placeEntries(path);
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), text);
  }
  for (const name of imports) {
    const link = join(path, 'node_modules', name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(ROOT, 'node_modules', name), link);
  }
  const limits = { loadMs: 20_000, queueMs: 20_000 };
  const runtime = await openRuntime({
    config: { limits, ...config },
    folder: path,
    log: { level: 'silent' },
  });
  return {
    runtime,
    path,
    async remove() {
      await runtime.close();
      await rm(path, { recursive: true, force: true });
    },
  };
}

/** A hook.json of a local hook. */
export function hookJson(name: string, more: object): string {
  return JSON.stringify({ name, timeoutMs: 10_000, ...more });
}
