import { SignalboxError } from '../../sdk/errors.ts';
import type { Database } from '../sql/database.ts';
import type { Statement } from '../sql/messages.ts';

/** Commits statements in groups: many callers share one transaction and one message to the database. */
export interface GroupCommit {
  /** Resolves once the statements are committed, together; rejects with `database` when their group is not. */
  add(...statements: readonly Statement[]): Promise<void>;
  /** Sends what waits and settles when nothing is on its way any more. Never rejects: `add` has told. */
  flush(): Promise<void>;
}

/**
 * A commit costs as much as many records: a group is sent when the one before it was sent so many times as long ago as its
 * commit took, and up to `mostMore` times more where many came, after `mostMs` at the latest, or once it has so many. The
 * first after a while goes at once, and callers who come one after the other wait for little more than their own commit.
 */
const GROUP = { timesApart: 3, mostMore: 6, mostMs: 16, records: 256 } as const;

/** Records on their way; past it the database is too slow for what is recorded, and callers must learn it. */
const MAX_WAITING = 20_000;

interface Waiting {
  readonly statements: readonly Statement[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Groups what is added to a database. */
export function createGroupCommit(database: Database): GroupCommit {
  let group: Waiting[] = [];
  let timer: NodeJS.Timeout | undefined;
  let sentAt = -Infinity;
  let apartMs = 0;
  let onTheirWay = 0;
  const commits = new Set<Promise<void>>();

  const send = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (group.length === 0) return;
    const sent = group;
    group = [];
    const startedAt = performance.now();
    sentAt = startedAt;
    const commit = commitGroup(database, sent).finally(() => {
      const tookMs = performance.now() - startedAt;
      apartMs = Math.min(
        (GROUP.timesApart + Math.min(sent.length, GROUP.mostMore)) * tookMs,
        GROUP.mostMs,
      );
      onTheirWay -= sent.length;
      commits.delete(commit);
    });
    commits.add(commit);
  };

  return {
    add(...statements) {
      if (onTheirWay >= MAX_WAITING) {
        const detail = `keep up: ${MAX_WAITING} records wait`;
        return Promise.reject(new SignalboxError('database', { detail }));
      }
      onTheirWay += 1;
      return new Promise((resolve, reject) => {
        group.push({ statements, resolve, reject });
        if (group.length >= GROUP.records) send();
        else timer ??= setTimeout(send, Math.max(0, sentAt + apartMs - performance.now()));
      });
    },
    async flush() {
      send();
      await Promise.all(commits);
    },
  };
}

async function commitGroup(database: Database, group: readonly Waiting[]): Promise<void> {
  try {
    // Statements of one kind follow each other, so that they go as one.
    const most = Math.max(...group.map(({ statements }) => statements.length));
    const places = Array.from({ length: most }, (_, place) => place);
    await database.batch(
      places.flatMap((place) => group.flatMap(({ statements }) => statements[place] ?? [])),
    );
    for (const { resolve } of group) resolve();
  } catch (error) {
    for (const { reject } of group) reject(error);
  }
}
