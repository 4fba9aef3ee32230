import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Ports } from '../../host/bridges.ts';
import type { HookSource } from '../../host/sandbox.ts';
import type { Rig } from '../rig.ts';

/** A way for a hook to fail. */
interface Fault {
  readonly means: string;
  /** The body of `run`, in an isolate and in a worker thread. */
  readonly run?: string;
  readonly runInWorker?: string;
  /** The hook runs as it is, with a store that never answers. */
  readonly isStoreSlow?: boolean;
}

/** The faults that can be put in the place of a hook, by name. */
export const FAULTS = {
  timeout: { means: 'it never comes to an end', run: 'for (;;);' },
  throw: { means: 'it throws', run: 'throw new Error("an injected fault");' },
  oom: {
    means: 'it takes memory without end',
    run: 'const kept = []; for (;;) kept.push(new Array(1_000_000).fill(kept.length));',
  },
  crash: {
    means: 'its process dies',
    run: 'const map = new Map(); for (let at = 0; ; at += 1) map.set(at, at);',
    runInWorker: 'process.kill(process.pid, "SIGKILL"); for (;;);',
  },
  garbage: {
    means: 'it answers something that is no decision',
    run: 'return { action: "maybe" };',
  },
  'slow-store': { means: 'the store does not answer it', isStoreSlow: true },
  oversize: {
    means: 'its answer is larger than an answer may be',
    run: 'return { action: "modify", payload: { text: "x".repeat(5_000_000) } };',
  },
} as const satisfies Readonly<Record<string, Fault>>;

/** A name of {@link FAULTS}. */
export type FaultName = keyof typeof FAULTS;

/** The names of all faults. */
export const FAULT_NAMES = Object.keys(FAULTS) as readonly FaultName[];

/** What puts a fault in the place of the hook `name`; `folder` takes the module that a worker thread imports. */
export function rigFault(
  fault: FaultName,
  { name, folder }: { readonly name: string; readonly folder: string },
): Rig {
  const row: Fault = FAULTS[fault];
  if (row.isStoreSlow === true) return { portsOf: slowStore };
  return {
    sourceOf: (source) => (source.name === name ? faulty(source, row, folder) : source),
  };
}

function faulty(
  source: HookSource,
  { run = '', runInWorker = run }: Fault,
  folder: string,
): HookSource {
  const body = source.sandbox === 'isolate' ? run : runInWorker;
  const code = `export const createHook = () => ({ run() { ${body} } });\n`;
  const common = { ...source, contract: 'signalbox' } as const;
  if (source.sandbox === 'isolate') return { ...common, code, file: 'injected-fault.mjs' };
  const file = join(folder, 'injected-fault.mjs');
  writeFileSync(file, code);
  return { ...common, file };
}

function slowStore(ports: Ports): Ports {
  const never = (): Promise<never> => new Promise(() => undefined);
  return { ...ports, store: { get: never, query: never, put: never, delete: never } };
}
