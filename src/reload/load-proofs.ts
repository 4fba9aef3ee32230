import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readHandlers } from '../../host/handlers.ts';
import type { HandlerEntry } from '../../sdk/contracts.ts';
import { sha256, writeCacheFile } from '../packages/install/cache-folder.ts';

/** What a hook reported when it loaded. */
export interface LoadProof {
  readonly handlers?: readonly HandlerEntry[];
}

/**
 * Remembers which hooks have loaded, so that a start need not wait for each again: the same bytes, on the same Node, in the
 * same sandbox. A proof that cannot be read or written costs a load and nothing else.
 */
export interface LoadProofs {
  /** `origin` is everything that the hook is loaded from, as text. */
  find(origin: string): Promise<LoadProof | undefined>;
  keep(origin: string, proof: LoadProof): Promise<void>;
}

/** Opens the proofs in a cache folder; `buildHash` names the code of the sandbox. */
export function openLoadProofs(cacheFolder: string, buildHash: string): LoadProofs {
  const pathOf = (origin: string): string =>
    join('loads', `${sha256(JSON.stringify([process.version, buildHash, origin]))}.json`);
  return {
    async find(origin) {
      try {
        const text = await readFile(join(cacheFolder, pathOf(origin)), 'utf8');
        const read = readHandlers(
          (JSON.parse(text) as { readonly handlers?: string }).handlers ?? '',
        );
        if (!read.ok) return undefined;
        return read.handlers === undefined ? {} : { handlers: read.handlers };
      } catch {
        return undefined;
      }
    },
    async keep(origin, { handlers }) {
      const text = JSON.stringify({ handlers: handlers && JSON.stringify(handlers) });
      await writeCacheFile(cacheFolder, pathOf(origin), text).catch(() => undefined);
    },
  };
}
