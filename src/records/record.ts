import type { Action } from '../../sdk/decisions.ts';
import type { FailureCode } from '../../sdk/errors.ts';
import type { Point } from '../../sdk/points.ts';
import type { DecisionTable } from '../sql/tables.ts';
import type { RuntimeCode } from '../verdict.ts';
import type { NewDecision } from '../sql/decisions.ts';
import { plainId, type Scrub } from './scrub.ts';

/** What one hook did, as the chain hands it over. It says what the hook did, never the data it saw. */
export interface RecordInput {
  /** When, in milliseconds since 1970; now, if absent. */
  readonly time?: number | undefined;
  /** The verdict that it went into. */
  readonly fireId?: string | undefined;
  readonly point: Point;
  readonly hook: string;
  /** Absent for local hooks. */
  readonly package?: string | undefined;
  readonly version?: string | undefined;
  /** What it came to; for a failure, what the failPolicy made of it. */
  readonly action: Action;
  readonly code?: FailureCode | RuntimeCode | undefined;
  readonly reason?: string | undefined;
  readonly durationMs: number;
  readonly sessionId?: string | undefined;
  readonly turnId?: string | undefined;
  readonly toolCallId?: string | undefined;
  /** In shadow mode: an enforced hook would have blocked. */
  readonly wouldBlock?: boolean | undefined;
  /** Of a process that died: whose call ended it, and whose was beside it. */
  readonly role?: 'culprit' | 'bystander' | undefined;
}

/** A kept record. */
export interface DecisionRecord extends Omit<
  RecordInput,
  'time' | 'point' | 'action' | 'code' | 'role'
> {
  readonly id: string;
  /** ISO 8601 in UTC. */
  readonly time: string;
  // Rows may have been written by an earlier version, whose names this one need not know.
  readonly point: string;
  readonly action: string;
  readonly code?: string;
  readonly role?: string;
  readonly wouldBlock: boolean;
}

/** The row of a record: its reason as far as it may be kept, identifiers bounded. */
export function rowOf(
  record: RecordInput,
  { id, now, scrub }: { readonly id: string; readonly now: number; readonly scrub: Scrub },
): NewDecision {
  const optional = (text: string | undefined): string | null =>
    text === undefined ? null : plainId(text);
  return {
    id,
    time: Math.trunc(record.time ?? now),
    fire_id: optional(record.fireId),
    point: plainId(record.point),
    hook: plainId(record.hook),
    package: optional(record.package),
    version: optional(record.version),
    action: record.action,
    code: record.code ?? null,
    reason: record.reason === undefined ? null : (scrub(record.reason) ?? null),
    duration_ms: record.durationMs,
    session_id: optional(record.sessionId),
    turn_id: optional(record.turnId),
    tool_call_id: optional(record.toolCallId),
    would_block: record.wouldBlock === true ? 1 : 0,
    role: record.role ?? null,
  };
}

/** The record of a row. */
export function recordOf(row: DecisionTable): DecisionRecord {
  return {
    id: row.id,
    time: new Date(row.time).toISOString(),
    point: row.point,
    hook: row.hook,
    action: row.action,
    durationMs: row.duration_ms,
    wouldBlock: row.would_block === 1,
    ...(row.fire_id !== null && { fireId: row.fire_id }),
    ...(row.package !== null && { package: row.package }),
    ...(row.version !== null && { version: row.version }),
    ...(row.code !== null && { code: row.code }),
    ...(row.reason !== null && { reason: row.reason }),
    ...(row.session_id !== null && { sessionId: row.session_id }),
    ...(row.turn_id !== null && { turnId: row.turn_id }),
    ...(row.tool_call_id !== null && { toolCallId: row.tool_call_id }),
    ...(row.role !== null && { role: row.role }),
  };
}
