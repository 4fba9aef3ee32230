import type { SignalboxError } from '../sdk/errors.ts';
import type { RuntimeConfig } from './config/runtime-config.ts';
import { openPayloadSeal } from './records/payload-seal.ts';
import { openRecords, type Records } from './records/records.ts';
import { openDatabase, openReader, type Database } from './sql/database.ts';
import type { DatabaseThreads } from './sql/threads.ts';
import { checkLargeFile } from './sql/file-check.ts';
import { openStore, type Store } from './store/store.ts';

/** The databases of a runtime and what is kept in them. */
export interface Ledgers {
  readonly store: Store;
  readonly records: Records;
  /** That of the records. */
  readonly database: Database;
}

/** What ledgers are opened with. */
export interface LedgerOpening {
  /** Told how to close each, in the order of opening. */
  readonly onOpened: (close: () => Promise<void>) => void;
  readonly onProblem: (error: SignalboxError) => void;
  readonly threads?: DatabaseThreads | undefined;
}

/** Opens store and records, in one file or two. */
export async function openLedgers(
  { store: { file, indexes }, records: settings }: RuntimeConfig,
  { onOpened, onProblem, threads }: LedgerOpening,
): Promise<Ledgers> {
  const { reasons, payloads } = settings;
  const seal = payloads && openPayloadSeal(payloads.key.env, process.env);
  const open = async (path: string): Promise<Database> => {
    const database = await openDatabase(path, { threads });
    onOpened(() => database.close());
    onOpened(checkLargeFile(path, onProblem));
    return database;
  };
  const storeOpening = open(file);
  const recordsOpening = settings.file === file ? storeOpening : open(settings.file);
  // What opens late would never be closed.
  await Promise.allSettled([storeOpening, recordsOpening]);
  const recordsDatabase = await recordsOpening;
  const store = await openStore(await storeOpening, { indexes });
  const reader = openReader(settings.file);
  onOpened(() => reader.close());
  const records = openRecords(recordsDatabase, { reasons, seal, reader });
  onOpened(() => records.close());
  return { store, records, database: recordsDatabase };
}
