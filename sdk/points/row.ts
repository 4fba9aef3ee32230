import type { CapabilityName } from '../capabilities.ts';
import type { Action } from '../decisions.ts';
import type { ObjectSchema } from '../json-schema.ts';

/** What a point is for: a gate can stop what it guards, a transform can change it, an observer only sees it. */
export type PointKind = 'gate' | 'transform' | 'observe';

/** The names a point has in the other contracts. */
export interface PointNames {
  readonly amplifier?: readonly string[];
  readonly agentOs?: readonly string[];
  readonly standardAgents?: readonly string[];
  readonly harness?: readonly string[];
}

/** One point of an agent's life. Types, validators, docs, CLI help, console and tests derive from it. */
export interface PointRow {
  /** When it fires, in one sentence. */
  readonly fires: string;
  readonly kind: PointKind;
  /** The decisions that are legal here. `allow` is legal everywhere. */
  readonly decisions: readonly Action[];
  readonly payload: ObjectSchema;
  /** Top-level fields that `modify` may replace. */
  readonly writable: readonly string[];
  /** Top-level fields that only `reads` delivers. */
  readonly content: readonly string[];
  /** The capability that delivers the content fields; `null` where there are none. */
  readonly reads: CapabilityName | null;
  /** The capability that acting here needs; `null` where only `allow` is legal. */
  readonly gates: CapabilityName | null;
  readonly failPolicy: 'closed' | 'open';
  /** What a failure under a closed policy does here. */
  readonly closedFailure: 'block' | 'suppress' | 'replace' | 'record';
  /** The writable field that `replace` fills with the standard reason. */
  readonly replaces?: string;
  /** What a block does here, for docs and console. */
  readonly onBlock?: string;
  readonly names: PointNames;
}
