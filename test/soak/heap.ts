import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a process holds outside of V8's reserves, after a collection. */
export interface HeapFigures {
  readonly heapMb: number;
  /** Buffers, and what native code reports of its own. */
  readonly externalMb: number;
}

const PROBE = join(import.meta.dirname, 'heap-probe.ts');

/** Environment of a server that collects its garbage in intervals and writes what is left into a file. */
export function heapProbe(file: string, everyMs: number): Readonly<Record<string, string>> {
  return {
    NODE_OPTIONS: `--expose-gc --import=${PROBE}`,
    SOAK_HEAP_FILE: file,
    SOAK_HEAP_MS: String(everyMs),
  };
}

/** The figures that were written last; none yet, if absent. */
export function readHeap(file: string): HeapFigures | undefined {
  try {
    // Written whole, and by our own probe.
    return JSON.parse(readFileSync(file, 'utf8')) as HeapFigures;
  } catch {
    return undefined;
  }
}
