import { statSync } from 'node:fs';
import { SignalboxError } from '../../sdk/errors.ts';
import { CHECKED_AT_START, openReader } from './database.ts';

/**
 * Checks an open database file beside the work on it, if it was too large to be checked before. Returns what waits for
 * the end of it: a check cannot be broken off.
 */
export function checkLargeFile(
  file: string,
  onDamage: (error: SignalboxError) => void,
  minBytes = CHECKED_AT_START,
): () => Promise<void> {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (file === ':memory:' || size <= minBytes) return () => Promise.resolve();
  const checked = check(file, onDamage);
  return () => checked;
}

async function check(file: string, onDamage: (error: SignalboxError) => void): Promise<void> {
  const reader = openReader(file);
  try {
    const [first] = await reader.check();
    if (first !== undefined) throw new SignalboxError('database_damaged', { file, detail: first });
  } catch (error) {
    if (error instanceof SignalboxError) onDamage(error);
  } finally {
    await reader.close();
  }
}
