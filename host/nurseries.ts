import type { ChildEntries } from './build.ts';
import { launchPlans } from './launch.ts';
import { Nursery } from './nursery.ts';
import type { SandboxKind } from './sandbox.ts';

/** Where the processes of a host come from. Whoever opened them closes them, or the host that took them over. */
export interface Nurseries extends Readonly<Record<SandboxKind, Nursery>> {
  /** The code that their processes run. */
  readonly entries: ChildEntries;
  close(): void;
}

/** Makes the nurseries of a host; `spares` are the warm isolate processes beyond those in use. */
export function openNurseries(entries: ChildEntries, spares = 1): Nurseries {
  const { buildHash, caches } = entries;
  const isolate = new Nursery({
    plans: launchPlans('isolate', entries),
    buildHash,
    spares,
    caches,
  });
  const worker = new Nursery({ plans: launchPlans('worker', entries), buildHash, spares: 0 });
  return {
    entries,
    isolate,
    worker,
    close() {
      isolate.close();
      worker.close();
    },
  };
}

/** For one host after the other: the first takes over what is there already. */
export function nurseriesInTurn(entries: ChildEntries, first?: Nurseries): () => Nurseries {
  const ready = first === undefined ? [] : [first];
  return () => ready.pop() ?? openNurseries(entries);
}
