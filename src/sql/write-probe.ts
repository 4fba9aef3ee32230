import type { Database } from './database.ts';

/** A probe that takes longer is no. */
const PROBE_MS = 2000;

/** Whether a database takes writes now: another process may hold its lock, and a file may have become read-only. */
export async function takesWrites(database: Database): Promise<boolean> {
  // A write that finds nothing takes the lock as any other does, and leaves the file as it is.
  const statement = { sql: 'delete from mode_changes where seq < 0', parameters: [] };
  return database.run(statement, { deadlineMs: PROBE_MS }).then(
    () => true,
    () => false,
  );
}
