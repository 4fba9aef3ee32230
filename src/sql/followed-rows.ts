import { SignalboxError } from '../../sdk/errors.ts';

/** A table that only grows, as it is read page by page. */
export interface FollowedTable<Row> {
  /** The rows after a place, oldest first; at most a page. */
  readonly after: (seq: number) => Promise<readonly Row[]>;
  readonly onProblem: (error: SignalboxError) => void;
}

/** The rows of a table, those of other processes included. The maker closes it. */
export interface FollowedRows<Row> {
  /** Oldest first. */
  all(): readonly Row[];
  /** Reads what is new at once. */
  read(): Promise<void>;
  /** Told of new rows; returns what ends that. */
  onRows(listener: () => void): () => void;
  close(): Promise<void>;
}

/** How often rows of other processes are looked for. */
const LOOK_MS = 1000;

/** Reads a table once, oldest rows first. */
export async function readRows<Row extends { readonly seq: number }>(
  after: FollowedTable<Row>['after'],
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (let last = 0; ;) {
    const page = await after(last);
    rows.push(...page);
    const end = page.at(-1)?.seq;
    if (end === undefined) return rows;
    last = end;
  }
}

/** Reads a table and goes on looking for more. */
export async function followRows<Row extends { readonly seq: number }>({
  after,
  onProblem,
}: FollowedTable<Row>): Promise<FollowedRows<Row>> {
  const listeners = new Set<() => void>();
  const kept: Row[] = [];
  let lastSeq = 0;
  let isTroubled = false;
  const read = async (): Promise<void> => {
    const before = lastSeq;
    for (;;) {
      const page = await after(lastSeq);
      for (const row of page) {
        // Two readers at once may bring the same page.
        if (row.seq <= lastSeq) continue;
        lastSeq = row.seq;
        kept.push(row);
      }
      if (page.length === 0) break;
    }
    if (lastSeq > before) for (const listener of listeners) listener();
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
    all: () => kept,
    read,
    onRows(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      clearInterval(timer);
      await looking;
    },
  };
}
