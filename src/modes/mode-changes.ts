import type { SignalboxError } from '../../sdk/errors.ts';
import type { Database } from '../sql/database.ts';
import { followRows, readRows } from '../sql/followed-rows.ts';
import { openOperatorRows } from '../sql/operator-rows.ts';
import type { ModeChangeTable } from '../sql/tables.ts';
import type { Mode, ModeChange } from './mode-change.ts';

/** The kept changes of modes, those of other processes included. The maker closes it. */
export interface ModeChanges {
  /** Oldest first. */
  all(): readonly ModeChange[];
  /** A guard that is armed holds, kept or not. */
  add(change: ModeChange): Promise<void>;
  /** Told when a change was read, of whichever process; returns what ends the listening. */
  onChange(listener: () => void): () => void;
  close(): Promise<void>;
}

/** Reads the changes of a database, oldest first. */
export async function readModeChanges(database: Database): Promise<readonly ModeChange[]> {
  return (await readRows(openOperatorRows(database).modesAfter)).map(changeOf);
}

/** Reads the changes of a database and goes on looking for more. */
export async function openModeChanges(
  database: Database,
  onProblem: (error: SignalboxError) => void,
): Promise<ModeChanges> {
  const rows = openOperatorRows(database);
  const followed = await followRows({ after: rows.modesAfter, onProblem });
  let unkept: readonly ModeChange[] = [];
  return {
    all: () => [...followed.all().map(changeOf), ...unkept],
    async add(change) {
      if (change.mode === 'enforce') unkept = [...unkept, change];
      await rows.insertMode({
        ...change,
        reason: change.reason ?? null,
        origin: change.origin ?? null,
      });
      unkept = unkept.filter((each) => each !== change);
      await followed.read();
    },
    onChange: followed.onRows,
    close: () => followed.close(),
  };
}

function changeOf({ time, by, hook, mode, base, reason, origin }: ModeChangeTable): ModeChange {
  const known = (text: string): Mode => (text === 'shadow' ? 'shadow' : 'enforce');
  return {
    hook,
    mode: known(mode),
    base: known(base),
    by,
    time,
    ...(origin !== null && { origin }),
    ...(reason !== null && { reason }),
  };
}
