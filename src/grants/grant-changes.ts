import type { SignalboxError } from '../../sdk/errors.ts';
import type { Database } from '../sql/database.ts';
import { followRows, readRows } from '../sql/followed-rows.ts';
import { openGrantRows } from '../sql/grant-rows.ts';
import type { GrantChangeTable } from '../sql/tables.ts';
import type { GrantChange } from './grant-change.ts';

/** The kept changes of grants, those of other processes included. The maker closes it. */
export interface GrantChanges {
  /** Oldest first. */
  all(): readonly GrantChange[];
  /** What takes something away holds at once, kept or not; what gives something back holds once it is kept. */
  add(change: GrantChange): Promise<void>;
  /** Returns what ends the listening. */
  onChange(listener: () => void): () => void;
  close(): Promise<void>;
}

/** Reads the changes of a database, oldest first. */
export async function readGrantChanges(database: Database): Promise<readonly GrantChange[]> {
  return (await readRows(openGrantRows(database).after)).map(changeOf);
}

/** Reads the changes of a database and goes on looking for more. */
export async function openGrantChanges(
  database: Database,
  onProblem: (error: SignalboxError) => void,
): Promise<GrantChanges> {
  const rows = openGrantRows(database);
  const followed = await followRows({ after: rows.after, onProblem });
  const listeners = new Set<() => void>();
  let unkept: readonly GrantChange[] = [];
  const tell = (): void => {
    for (const listener of listeners) listener();
  };
  followed.onRows(tell);
  return {
    all: () => [...followed.all().map(changeOf), ...unkept],
    async add(change) {
      if (change.action !== 'restore') {
        unkept = [...unkept, change];
        tell();
      }
      await rows.insert(rowOf(change));
      unkept = unkept.filter((each) => each !== change);
      await followed.read();
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => followed.close(),
  };
}

function rowOf({ capabilities, ...change }: GrantChange): Omit<GrantChangeTable, 'seq'> {
  return { ...change, capabilities: JSON.stringify(capabilities) };
}

function changeOf({ time, by, action, target, capabilities }: GrantChangeTable): GrantChange {
  return {
    time,
    by,
    target,
    // Written by `rowOf` alone; a file that somebody else wrote to takes more away, not less.
    action: action === 'restore' || action === 'narrow' ? action : 'revoke',
    capabilities: JSON.parse(capabilities) as readonly string[],
  };
}
