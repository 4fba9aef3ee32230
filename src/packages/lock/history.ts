import { createHash } from 'node:crypto';
import type { LockFile, LockedPackage } from './lock-file.ts';

/** What was done to a package. */
export type HistoryAction = 'add' | 'update' | 'remove' | 'consent' | 'revoke';

/** One entry of the history of consents and versions. */
export interface HistoryEntry {
  /** Counts from 1. */
  readonly seq: number;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly by: string;
  readonly action: HistoryAction;
  readonly package: string;
  readonly version: string;
  /** SHA-256 of the package as the lock held it after the action; that of `null` once it is removed. */
  readonly detailHash: string;
  /** The hash of the entry before; empty for the first. */
  readonly previous: string;
  /** SHA-256 over every other key of this entry. */
  readonly hash: string;
}

/** What is written into the history beside the state of the lock. */
export type HistoryEvent = Pick<HistoryEntry, 'at' | 'by' | 'action' | 'package' | 'version'>;

/** A place where the history does not hold; `seq` 0 stands for a package as a whole. */
export interface HistoryFault {
  readonly seq: number;
  readonly package: string;
  readonly detail: string;
}

/** Adds an entry that covers the package as `lock` now holds it, and everything before. */
export function appendHistory(lock: LockFile, event: HistoryEvent): LockFile {
  const { at, by, action, version } = event;
  const body = {
    seq: lock.history.length + 1,
    at,
    by,
    action,
    package: event.package,
    version,
    detailHash: detailHashOf(packageIn(lock, event.package)),
    previous: lock.history.at(-1)?.hash ?? '',
  };
  return { ...lock, history: [...lock.history, { ...body, hash: stableHash(body) }] };
}

/**
 * Every place where a history was cut, edited or reordered, or where a package differs from what its newest entry covers.
 * A history whose newest entries were removed together with what they did still holds: keep the newest hash elsewhere.
 */
export function verifyHistory({ history, packages }: LockFile): readonly HistoryFault[] {
  const faults: HistoryFault[] = [];
  const newest = new Map<string, HistoryEntry>();
  let previous = '';
  for (const [index, entry] of history.entries()) {
    const { hash, ...body } = entry;
    const fail = (detail: string): void => {
      faults.push({ seq: entry.seq, package: entry.package, detail });
    };
    if (entry.seq !== index + 1) fail(`entry ${index + 1} is missing or out of its place`);
    if (entry.previous !== previous) fail('it does not follow the entry before it');
    if (stableHash(body) !== hash) fail('it was changed after it was written');
    previous = hash;
    newest.set(entry.package, entry);
  }
  for (const name of new Set([...Object.keys(packages), ...newest.keys()])) {
    const entry = newest.get(name);
    const locked = packageIn({ packages }, name);
    if (entry === undefined) {
      faults.push({ seq: 0, package: name, detail: 'no entry of the history covers it' });
    } else if (entry.detailHash !== detailHashOf(locked)) {
      const detail = 'it differs from what the newest entry of the history covers';
      faults.push({ seq: entry.seq, package: name, detail });
    }
  }
  return faults;
}

/** A package may well be called `constructor`. */
function packageIn(
  { packages }: Pick<LockFile, 'packages'>,
  name: string,
): LockedPackage | undefined {
  return Object.hasOwn(packages, name) ? packages[name] : undefined;
}

function detailHashOf(locked: LockedPackage | undefined): string {
  return stableHash(locked ?? null);
}

/** SHA-256 of a JSON value, whatever the order of its keys. */
function stableHash(value: unknown): string {
  const text = JSON.stringify(value, (_, part: unknown) => {
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    // Entries, not an object: a key such as "1" would be moved to the front of one.
    return Object.entries(part)
      .filter(([, item]) => item !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1));
  });
  return createHash('sha256').update(text).digest('hex');
}
