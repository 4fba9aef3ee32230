import type { CapabilityName } from '../../sdk/capabilities.ts';
import type { Point } from '../../sdk/points.ts';
import type { AgentPort } from './agent.ts';
import type { EmitPort } from './emit.ts';
import type { FetchPort } from './fetch.ts';
import type { LlmPort } from './llm.ts';
import type { SecretPort } from './secret.ts';
import type { StorePort } from './store.ts';

/** What the runtime puts behind the bridges. One that is absent makes its operations answer `unavailable`. */
export interface Ports {
  readonly store?: StorePort | undefined;
  readonly fetch?: FetchPort | undefined;
  readonly secrets?: SecretPort | undefined;
  readonly llm?: LlmPort | undefined;
  readonly emit?: EmitPort | undefined;
  readonly agents?: AgentPort | undefined;
}

/** The fire that a run belongs to, as far as bridges pass it on. */
export interface BridgeOrigin {
  readonly point: Point;
  readonly hook: string;
  /** What the caller of the fire said of itself; the runtime knows its shape. */
  readonly context: unknown;
}

/** The run that a call comes from. */
export interface BridgeRun {
  readonly origin: BridgeOrigin;
  /** Aborted when the run is over. */
  readonly signal: AbortSignal;
  /** Whether another scope of the row's capability is granted; when it is, it counts as used. */
  readonly mayUse: (scope: string) => boolean;
}

/** What a call leaves behind: nothing, something in this runtime, or something with others. */
export type Effect = 'none' | 'inside' | 'outside';

/** Kinds of calls that a run has credit for, as `LIMITS` names them. */
export type Credit = 'storeCalls' | 'fetchCalls' | 'secretCalls' | 'llmCalls' | 'emitCalls';

/** One operation that a hook can call. Arguments reach `scope` and `perform` only after `problem` has passed them. */
export interface BridgeRow {
  readonly capability: CapabilityName;
  /** Operations of one kind share a credit per run. */
  readonly credit: Credit;
  /** In tests `inside` is left out and `outside` carried out; in shadow mode both are refused. */
  readonly effect: Effect;
  /** What is wrong with the arguments, without echoing them. */
  problem(args: readonly unknown[]): string | undefined;
  /** The scope of the capability that this call needs, e.g. the collection; `undefined` where it has none. */
  scope(args: readonly unknown[]): string | undefined;
  /** `undefined` when the port is not there. */
  perform(ports: Ports, args: readonly unknown[], run: BridgeRun): Promise<unknown> | undefined;
}
