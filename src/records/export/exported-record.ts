import type { Exchange } from '../exchange.ts';
import type { DecisionRecord } from '../record.ts';

/** A record on its way out; what its hook was given only where that was asked for. */
export interface ExportedRecord extends DecisionRecord {
  readonly exchange?: Exchange;
}

/** Writes records in a format, in the order in which they come. */
export interface RecordWriter {
  write(records: readonly ExportedRecord[]): Promise<void>;
  /** Writes what is still to come. The stream behind it stays open. */
  end(): Promise<void>;
}

/** Takes bytes; resolves when there is room for more. */
export type ByteSink = (bytes: string | Uint8Array) => Promise<void>;

/** The columns of a table of records, in order. */
export const RECORD_COLUMNS = [
  'id',
  'time',
  'fireId',
  'point',
  'hook',
  'package',
  'version',
  'action',
  'code',
  'reason',
  'durationMs',
  'sessionId',
  'turnId',
  'toolCallId',
  'wouldBlock',
  'role',
] as const satisfies readonly (keyof DecisionRecord)[];
