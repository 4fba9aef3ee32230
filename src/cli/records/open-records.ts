import { loadConfig } from '../../config/load-config.ts';
import type { RuntimeConfig } from '../../config/runtime-config.ts';
import { openPayloadSeal, type PayloadSeal } from '../../records/payload-seal.ts';
import { openRecords, type Records } from '../../records/records.ts';
import { SignalboxError } from '../../../sdk/errors.ts';
import { openDatabase, type Database } from '../../sql/database.ts';
import type { Session } from '../session.ts';

/** The records of a configuration, without a runtime. */
export interface RecordsDesk {
  readonly config: RuntimeConfig;
  readonly records: Records;
  readonly database: Database;
}

/** Runs with the records of the session's configuration, beside whatever server uses them, and closes them. */
export async function withRecords<T>(
  { config: file }: Session,
  use: (desk: RecordsDesk) => Promise<T>,
): Promise<T> {
  const config = await loadConfig(file);
  // A large file is read at leisure: nobody's call waits for it.
  const database = await openDatabase(config.records.file, { deadlineMs: 60_000 });
  const records = openRecords(database, { reasons: config.records.reasons });
  try {
    return await use({ config, records, database });
  } finally {
    await records.close();
    await database.close();
  }
}

/** The seal of the payloads that a configuration keeps. Throws `payload_key`, also where it keeps none. */
export function sealOf({ records: { payloads } }: RuntimeConfig): PayloadSeal {
  if (payloads === undefined) {
    const detail = 'runtime.json keeps none (records.payloads)';
    throw new SignalboxError('payload_key', { variable: 'the variable', detail });
  }
  return openPayloadSeal(payloads.key.env, process.env);
}
