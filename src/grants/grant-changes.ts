import { SignalboxError } from '../../sdk/errors.ts';
import type { Database } from '../sql/database.ts';
import { openGrantRows } from '../sql/grant-rows.ts';
import type { GrantChangeTable } from '../sql/tables.ts';
import type { GrantChange } from './grant-change.ts';

/** The kept changes of grants, those of other processes included. The maker closes it. */
export interface GrantChanges {
  /** Oldest first. */
  all(): readonly GrantChange[];
  /** What takes something away holds at once, kept or not; what gives something back holds once it is kept. */
  add(change: GrantChange): Promise<void>;
  onChange(listener: () => void): void;
  close(): Promise<void>;
}

/** How often changes of other processes are looked for. */
const LOOK_MS = 1000;

/** Reads the changes of a database, oldest first. */
export async function readGrantChanges(database: Database): Promise<readonly GrantChange[]> {
  const rows = openGrantRows(database);
  const changes: GrantChange[] = [];
  for (let last = 0; ;) {
    const page = await rows.after(last);
    changes.push(...page.map(changeOf));
    const end = page.at(-1)?.seq;
    if (end === undefined) return changes;
    last = end;
  }
}

/** Reads the changes of a database and goes on looking for more. */
export async function openGrantChanges(
  database: Database,
  onProblem: (error: SignalboxError) => void,
): Promise<GrantChanges> {
  const rows = openGrantRows(database);
  const listeners: (() => void)[] = [];
  const kept: GrantChange[] = [];
  let unkept: readonly GrantChange[] = [];
  let lastSeq = 0;
  let isTroubled = false;
  const tell = (): void => {
    for (const listener of listeners) listener();
  };
  const read = async (): Promise<void> => {
    const before = lastSeq;
    for (;;) {
      const page = await rows.after(lastSeq);
      for (const row of page) {
        // Two readers at once may bring the same page.
        if (row.seq <= lastSeq) continue;
        lastSeq = row.seq;
        kept.push(changeOf(row));
      }
      if (page.length === 0) break;
    }
    if (lastSeq > before) tell();
  };
  const look = async (): Promise<void> => {
    try {
      await read();
      isTroubled = false;
    } catch (error) {
      if (!isTroubled && error instanceof SignalboxError) onProblem(error);
      isTroubled = true;
    }
  };
  await read();
  let looking = Promise.resolve();
  const timer = setInterval(() => {
    looking = looking.then(look);
  }, LOOK_MS).unref();
  return {
    all: () => [...kept, ...unkept],
    async add(change) {
      if (change.action !== 'restore') {
        unkept = [...unkept, change];
        tell();
      }
      await rows.insert(rowOf(change));
      unkept = unkept.filter((each) => each !== change);
      await read();
    },
    onChange: (listener) => void listeners.push(listener),
    async close() {
      clearInterval(timer);
      await looking;
    },
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
