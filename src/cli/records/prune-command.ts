import { SignalboxError } from '../../../sdk/errors.ts';
import type { PruneLimits } from '../../records/records.ts';
import { pruneLimits } from '../../records/retention.ts';
import { EXIT } from '../exit-code.ts';
import type { Session } from '../session.ts';
import { withRecords } from './open-records.ts';

/** Options of `signalbox records prune`. */
export interface RecordPruneFlags {
  /** Milliseconds since 1970. */
  readonly before?: number;
  readonly maxRows?: number;
}

/** Deletes old records: those that are named, or else those that runtime.json does not keep. */
export async function runRecordPrune(session: Session, flags: RecordPruneFlags): Promise<number> {
  const { terminal, signal } = session;
  return withRecords(session, async ({ config, records }) => {
    const limits: PruneLimits | undefined =
      flags.before === undefined && flags.maxRows === undefined
        ? pruneLimits(config.records, Date.now())
        : flags;
    if (limits === undefined) {
      const detail = 'Name --before or --max-rows: runtime.json keeps all records';
      throw new SignalboxError('usage', { detail });
    }
    const pruned = await records.prune({ ...limits, signal });
    if (terminal.isJson) terminal.json(pruned);
    else terminal.line(`Deleted ${pruned.records} records and ${pruned.payloads} payloads`);
    return signal.aborted ? EXIT.interrupted : EXIT.ok;
  });
}
