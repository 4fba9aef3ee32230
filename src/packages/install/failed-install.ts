import { SignalboxError } from '../../../sdk/errors.ts';
import { printable } from '../../config/printable.ts';

/** What the disk's error codes mean to the person who installs. */
const WORDS: Readonly<Record<string, string>> = {
  ENOSPC: 'there is no room left on the disk',
  EDQUOT: 'the quota of the disk is used up',
  EROFS: 'the folder is on a disk that is read-only',
  EACCES: 'a folder may not be written',
  EPERM: 'a folder may not be written',
  ENOTDIR: 'a folder that is needed is a file',
};

/** An error of the disk as `install_failed`; one of ours stays as it is, and a fault of ours stays a fault. */
export function failedInstall(name: string, error: unknown): unknown {
  if (error instanceof SignalboxError) return error;
  const { code } = error as NodeJS.ErrnoException;
  if (typeof code !== 'string' || !/^E[A-Z]+$/.test(code)) return error;
  const detail = WORDS[code] ?? `the disk says ${code}`;
  return new SignalboxError('install_failed', { package: printable(name, 200), detail });
}
