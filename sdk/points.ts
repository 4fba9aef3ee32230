import type { FromSchema } from './json-schema.ts';
import { HISTORY_POINTS } from './points/history.ts';
import { INPUT_OUTPUT_POINTS } from './points/input-output.ts';
import { MODEL_POINTS } from './points/model.ts';
import type { PointRow } from './points/row.ts';
import { SESSION_POINTS } from './points/session.ts';
import { SIGNAL_POINTS } from './points/signal.ts';
import { TOOL_POINTS } from './points/tool.ts';

export type { PointKind, PointNames, PointRow } from './points/row.ts';

const ROWS = {
  ...SESSION_POINTS,
  ...INPUT_OUTPUT_POINTS,
  ...MODEL_POINTS,
  ...TOOL_POINTS,
  ...HISTORY_POINTS,
  ...SIGNAL_POINTS,
} as const satisfies Record<string, PointRow>;

/** The rows as they are written, for types that depend on a point. */
export type PointRows = typeof ROWS;

/** The name of a point. */
export type Point = keyof PointRows;

/** Every point of an agent's life, one row each. */
export const POINTS: Readonly<Record<Point, PointRow>> = ROWS;

/** The points in the order of their rows. */
export const POINT_NAMES = Object.keys(ROWS) as readonly Point[];

/** Whether a text names a point. */
export function isPoint(text: string): text is Point {
  return Object.hasOwn(ROWS, text);
}

/** Fields that the host puts into every payload; a caller cannot set `timestamp`. */
export interface HostFields {
  /** When the point fired, ISO 8601 in UTC. */
  timestamp?: string;
  /** The model call that this belongs to, when there is one. */
  requestId?: string;
}

type Schemas = { [P in Point]: (typeof ROWS)[P]['payload'] };
type DefaultKey<T> = {
  [K in keyof T]: T[K] extends { readonly default: unknown } ? K : never;
}[keyof T];
type Optional<T, K> = Omit<T, Extract<K, keyof T>> & Partial<Pick<T, Extract<K, keyof T>>>;

type PayloadMap = { [P in Point]: FromSchema<Schemas[P]> & HostFields };

/** The payload that a hook sees, by point: fields with a default are always there. */
// An interface, so that the compiler resolves the rows once instead of at every use (TS2589).
export interface Payloads extends PayloadMap {}

/** The payload that a caller hands to a point: fields with a default may be left out. */
export type PayloadInput<P extends Point> = Optional<
  Payloads[P],
  DefaultKey<Schemas[P]['properties']>
>;
