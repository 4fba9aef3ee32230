import { renameSync, writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import type { HeapFigures } from './heap.ts';

// Comes up in a server before its own code and tells in a file what is left of its heap once what nobody holds is gone.
const { SOAK_HEAP_FILE: file, SOAK_HEAP_MS: everyMs } = process.env;
// Not for the processes that it starts.
for (const name of ['NODE_OPTIONS', 'SOAK_HEAP_FILE', 'SOAK_HEAP_MS']) delete process.env[name];

if (isMainThread && file !== undefined) {
  setInterval(() => {
    globalThis.gc?.();
    const { heapUsed, external } = process.memoryUsage();
    const figures: HeapFigures = { heapMb: heapUsed / 2 ** 20, externalMb: external / 2 ** 20 };
    writeFileSync(`${file}.tmp`, JSON.stringify(figures));
    renameSync(`${file}.tmp`, file);
  }, Number(everyMs)).unref();
}
