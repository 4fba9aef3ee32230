import type { ProcessFacts, SandboxLoad } from '../../host/sandbox.ts';
import type { Inventory } from '../runtime.ts';

/** What is looked at when the metrics are read, and not before. */
export interface RuntimeFacts {
  readonly inventory: () => Inventory;
  readonly processes: () => readonly ProcessFacts[];
  readonly loads: () => readonly SandboxLoad[];
  /** At most 1000. */
  readonly approvalsWaiting: () => Promise<number>;
}
