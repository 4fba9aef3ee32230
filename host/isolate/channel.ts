// An import would load all that its names stand for, promises and streams among them: 25 ms of every start.
const { readSync, writeSync } = process.getBuiltinModule('node:fs');

/** The pipes that a package's process was started with. */
const INPUT = 0;
const OUTPUT = 1;

const CHUNK_BYTES = 65_536;

/** What the engine puts off (finalizers of what was collected) is done once in so many reads. */
const READS_IN_ONE_GO = 32;

/**
 * Takes in what the host sends until it ends or `take` gives `false`, and waits in the kernel meanwhile: a process that
 * does nothing but answer needs no event loop, whose turns would cost as much as a small hook.
 */
export function receive(take: (chunk: Buffer) => boolean, onEnd: () => void): void {
  const space = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  const go = (): void => {
    for (let count = 0; count < READS_IN_ONE_GO; count += 1) {
      const bytes = readSync(INPUT, space, 0, CHUNK_BYTES, null);
      // Parts of a chunk are kept until the rest of their frame has come: the space is used again before.
      if (bytes === 0 || !take(Buffer.from(space.subarray(0, bytes)))) return onEnd();
    }
    setImmediate(go);
  };
  setImmediate(go);
}

/** Sends all of it; waits for the host where it does not read. */
export function transmit(bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) at += writeSync(OUTPUT, bytes, at);
}
