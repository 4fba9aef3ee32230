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
  let counts = new Tally();
  let timer: NodeJS.Timeout | undefined;
  let day = '';
  let dayEndsAt = 0;

  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const waiting = counts.all();
    counts = new Tally();
    for (let start = 0; start < waiting.length; start += GROUP_SIZE) {
      const group = waiting.slice(start, start + GROUP_SIZE);
      try {
        await database.batch(group.map(uses.add));
      } catch (error) {
        for (const use of waiting.slice(start)) counts.add(use, use.count);
        wait();
        throw error;
      }
    }
  };
  const wait = (): void => {
    // An audit is not worth keeping a process alive for: whoever closes flushes.
    timer ??= setTimeout(() => void flush().catch(() => undefined), DELAY_MS).unref();
  };

  return {
    count({ package: owner, hook, capability, scope = '', count = 1 }) {
      const time = now();
      if (time >= dayEndsAt) {
        day = new Date(time).toISOString().slice(0, 10);
        dayEndsAt = Date.parse(day) + DAY_MS;
      }
      counts.add({ package: owner, hook, capability, scope, day }, count);
      wait();
    },
    flush,
    sums: uses.sums,
  };
}

const DAY_MS = 86_400_000;

type Counted = Omit<UseTable, 'count'>;

/** A row to be; its count goes up in place. */
type Row = Counted & { count: number };

/** Counts by what was used. Maps in maps: a joined key would have to be written and hashed for every run of a hook. */
class Tally {
  readonly #days = new Map<string, Map<string, Map<string, Map<string, Row>>>>();

  add(use: Counted, count: number): void {
    const { package: owner, hook, capability, scope, day } = use;
    const kinds = within(within(within(this.#days, day), owner), hook);
    const kind = scope === '' ? capability : `${capability} ${scope}`;
    const known = kinds.get(kind);
    if (known === undefined) kinds.set(kind, { ...use, count });
    else known.count += count;
  }

  all(): UseTable[] {
    return [...this.#days.values()].flatMap((owners) =>
      [...owners.values()].flatMap((hooks) =>
        [...hooks.values()].flatMap((kinds) => [...kinds.values()]),
      ),
    );
  }
}

function within<K, L, V>(maps: Map<K, Map<L, V>>, key: K): Map<L, V> {
  let map = maps.get(key);
  if (map === undefined) maps.set(key, (map = new Map()));
  return map;
}
