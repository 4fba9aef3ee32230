import { dirname } from 'node:path';
import { diffLocks } from '../../audit/lock-diff.ts';
import { loadConfig } from '../../config/load-config.ts';
import { verifyHistory } from '../../packages/lock/history.ts';
import { readLock, readLockFile } from '../../packages/lock/lock-file.ts';
import { EXIT } from '../exit-code.ts';
import type { Session } from '../session.ts';

/** Shows what one lock file changes of another; exit code 1 when code may do more, or less is known of it. */
export async function runAuditDiff(
  { terminal }: Session,
  before: string,
  after: string,
): Promise<number> {
  const changes = diffLocks(await readLockFile(before), await readLockFile(after));
  if (terminal.isJson) terminal.json(changes);
  else if (changes.length === 0) terminal.line('The packages are the same.');
  else {
    terminal.table(
      ['', 'package', 'hook', 'change'],
      changes.map(({ package: name, hook, what, isRisk }) => [isRisk ? '!' : '', name, hook, what]),
    );
  }
  return changes.some(({ isRisk }) => isRisk) ? EXIT.problems : EXIT.ok;
}

/** Flags of `audit verify`. */
export interface VerifyFlags {
  /** The newest hash of an earlier time. */
  readonly since?: string;
}

/** Checks the history of the lock: a removed or edited entry is named, and exit code is 1. */
export async function runAuditVerify(
  { terminal, config }: Session,
  { since }: VerifyFlags,
): Promise<number> {
  const { file = config } = await loadConfig(config);
  const lock = await readLock(dirname(file));
  const faults = [...verifyHistory(lock)];
  const { history } = lock;
  if (since !== undefined && !history.some(({ hash }) => hash === since)) {
    faults.push({ seq: 0, package: '', detail: 'the entry with the hash of --since is gone' });
  }
  const newest = history.at(-1)?.hash ?? '';
  if (terminal.isJson) terminal.json({ entries: history.length, newest, faults });
  else if (faults.length === 0) {
    terminal.line(`The history holds: ${history.length} entries, the newest ${newest || 'none'}`);
  } else {
    terminal.table(
      ['entry', 'package', 'fault'],
      faults.map(({ seq, package: name, detail }) => [seq, name, detail]),
    );
  }
  return faults.length === 0 ? EXIT.ok : EXIT.problems;
}
