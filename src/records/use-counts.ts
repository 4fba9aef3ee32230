import type { CapabilityName } from '../../sdk/capabilities.ts';
import type { Database } from '../sql/database.ts';
import { openUses, type Uses } from '../sql/uses.ts';
import type { UseTable } from '../sql/tables.ts';

/** A use of a capability by a hook. */
export interface UseInput {
  /** `name@version`, or `local`. */
  readonly package: string;
  readonly hook: string;
  readonly capability: CapabilityName;
  /** Absent or empty for a use without one. */
  readonly scope?: string;
  /** 1, if absent. */
  readonly count?: number;
}

/** Counts of uses, summed in memory and added to the database in groups. */
export interface UseCounts {
  count(use: UseInput): void;
  /** Adds what is counted to the database; on `database` the counts stay for the next try. */
  flush(): Promise<void>;
  readonly sums: Uses['sums'];
}

/** Counts are sent this long after the first one; a process that dies loses at most that. */
const DELAY_MS = 1000;

/** Statements of one transaction. */
const GROUP_SIZE = 256;

/** Opens the counts of a database. `now` gives the day. */
export function openUseCounts(database: Database, now: () => number): UseCounts {
  const uses = openUses(database);
  let counts = new Map<string, UseTable>();
  let timer: NodeJS.Timeout | undefined;

  const add = (use: UseTable): void => {
    const key = JSON.stringify([use.package, use.hook, use.capability, use.scope, use.day]);
    const before = counts.get(key)?.count ?? 0;
    counts.set(key, { ...use, count: before + use.count });
    // An audit is not worth keeping a process alive for: whoever closes flushes.
    timer ??= setTimeout(() => void flush().catch(() => undefined), DELAY_MS).unref();
  };

  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const waiting = [...counts.values()];
    counts = new Map();
    for (let start = 0; start < waiting.length; start += GROUP_SIZE) {
      const group = waiting.slice(start, start + GROUP_SIZE);
      try {
        await database.batch(group.map(uses.add));
      } catch (error) {
        waiting.slice(start).forEach(add);
        throw error;
      }
    }
  };

  return {
    count({ package: owner, hook, capability, scope = '', count = 1 }) {
      const day = new Date(now()).toISOString().slice(0, 10);
      add({ package: owner, hook, capability, scope, day, count });
    },
    flush,
    sums: uses.sums,
  };
}
