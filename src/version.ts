import { readFileSync } from 'node:fs';
import { packageFile } from '../host/home.ts';

/** The version of this package, wherever it is installed. */
export function readVersion(): string {
  const file = packageFile();
  if (file === undefined) return 'unknown';
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { readonly version?: string };
  return version ?? 'unknown';
}
