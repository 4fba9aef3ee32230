import type { CapabilityName } from '../../sdk/capabilities.ts';
import type { StorePort } from './store.ts';

/** What the runtime puts behind the bridges. One that is absent makes its operations answer `unavailable`. */
export interface Ports {
  readonly store?: StorePort | undefined;
}

/** One operation that a hook can call. Arguments reach `scope` and `perform` only after `problem` has passed them. */
export interface BridgeRow {
  readonly capability: CapabilityName;
  /** Operations of one kind share a credit per run. */
  readonly credit: 'storeCalls';
  /** Whether it leaves something behind: not carried out in tests, refused in shadow mode. */
  readonly hasEffect: boolean;
  /** What is wrong with the arguments, without echoing them. */
  problem(args: readonly unknown[]): string | undefined;
  /** The scope of the capability that this call needs, e.g. the collection. */
  scope(args: readonly unknown[]): string;
  /** `undefined` when the port is not there. */
  perform(ports: Ports, args: readonly unknown[]): Promise<unknown> | undefined;
}
