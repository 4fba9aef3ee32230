import { appendHistory, type HistoryAction } from '../../src/packages/lock/history.ts';
import {
  EMPTY_LOCK,
  type LockFile,
  type LockedPackage,
} from '../../src/packages/lock/lock-file.ts';

const HASH = 'a'.repeat(64);

/** A package as a lock holds it: one hook `guard` at preToolUse. */
export function locked(more: Partial<LockedPackage> = {}): LockedPackage {
  return {
    version: '1.0.0',
    integrity: 'sha512-AAAA',
    bundle: HASH,
    hooks: {
      guard: {
        capabilities: ['reads_tool_io', 'gates_tools'],
        points: ['preToolUse'],
        bundle: HASH,
      },
    },
    consent: {
      capabilities: ['reads_tool_io', 'gates_tools'],
      by: 'ann',
      at: '2026-01-01T00:00:00.000Z',
    },
    ...more,
  };
}

/** A lock of packages, each added in its turn. */
export function lockOf(packages: Readonly<Record<string, LockedPackage>>): LockFile {
  return Object.entries(packages).reduce<LockFile>(
    (lock, [name, held]) => put(lock, name, { held, action: 'add' }),
    EMPTY_LOCK,
  );
}

/** The lock with a package put into it, and an entry of the history that says so. */
export function put(
  lock: LockFile,
  name: string,
  { held, action }: { readonly held: LockedPackage; readonly action: HistoryAction },
): LockFile {
  const { by, at } = held.consent;
  return appendHistory(
    { ...lock, packages: { ...lock.packages, [name]: held } },
    { at, by, action, package: name, version: held.version },
  );
}
