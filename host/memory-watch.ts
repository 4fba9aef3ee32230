import { readFileSync } from 'node:fs';
import type { SandboxProcess } from './process/sandbox-process.ts';

/** How often the resident memory of processes that run code is read, in milliseconds. */
const EVERY_MS = 20;
/** Bytes of a page in /proc; every platform that Node's Linux builds support has 4 KiB pages or says so elsewhere. */
const PAGE_BYTES = 4096;
const MB = 1024 * 1024;

/** Resident memory of a process in MiB; `undefined` where the platform does not tell. */
export function residentMb(pid: number): number | undefined {
  try {
    const pages = Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]);
    return Number.isFinite(pages) ? (pages * PAGE_BYTES) / MB : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Kills a process that holds more memory than its isolates may: memory outside of V8's heap does not count against an
 * isolate's own limit. Returns a function that stops the watch.
 */
export function watchMemory(
  processes: () => Iterable<SandboxProcess>,
  ceilingMb: (process: SandboxProcess) => number,
): () => void {
  const timer = setInterval(() => {
    for (const process of processes()) {
      // A short segment cannot grow far; one read costs as much as a call.
      if (process.busyMs < EVERY_MS / 4 || !process.child.isAlive) continue;
      const held = residentMb(process.child.pid);
      if (held !== undefined && held > ceilingMb(process)) process.killForMemory();
    }
  }, EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
