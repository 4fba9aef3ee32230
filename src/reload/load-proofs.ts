import { randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256 } from '../packages/install/cache-folder.ts';

/**
 * Remembers which hooks have loaded, so that a start need not wait for each again: the same bytes, on the same Node, in the
 * same sandbox. It says that they load and nothing else: a proof that is forged makes a hook come up with its first call,
 * and one that cannot be kept costs a load.
 */
export interface LoadProofs {
  /** `origin` is everything that the hook is loaded from, as text. */
  has(origin: string): boolean;
  keep(origins: readonly string[]): Promise<void>;
}

/** Older ones are forgotten. */
const MAX_PROOFS = 1000;

/** Opens the proofs in the folder of the child entries; `buildHash` names the code of the sandbox. */
export async function openLoadProofs(folder: string, buildHash: string): Promise<LoadProofs> {
  const file = join(folder, 'loads.json');
  const known = new Set(await readList(file));
  const keyOf = (origin: string): string =>
    sha256(JSON.stringify([process.version, buildHash, origin]));
  return {
    has: (origin) => known.has(keyOf(origin)),
    async keep(origins) {
      const before = known.size;
      for (const origin of origins) known.add(keyOf(origin));
      if (known.size === before) return;
      const draft = `${file}.${randomUUID()}.tmp`;
      const text = JSON.stringify([...known].slice(-MAX_PROOFS));
      await writeFile(draft, text, { mode: 0o600 })
        .then(() => rename(draft, file))
        .catch(() => undefined);
    },
  };
}

async function readList(file: string): Promise<readonly string[]> {
  try {
    const list: unknown = JSON.parse(await readFile(file, 'utf8'));
    return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : [];
  } catch {
    return [];
  }
}
