import type { ProcessFacts, SandboxLoad } from '../../host/sandbox.ts';
import type { Inventory } from '../runtime.ts';

/** What is looked at when the metrics are read, and not before. */
export interface RuntimeFacts {
  readonly inventory: () => Inventory;
  readonly processes: () => readonly ProcessFacts[];
  readonly loads: () => readonly SandboxLoad[];
  /** Since the start, by what came of them. */
  readonly reloads: () => Readonly<Record<string, number>>;
  /** At most 1000. */
  readonly approvalsWaiting: () => Promise<number>;
}
