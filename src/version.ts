import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';

/** The version of this package, wherever it is installed. */
export function readVersion(): string {
  const file = findPackageJSON('.', import.meta.url);
  if (file === undefined) return 'unknown';
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { readonly version?: string };
  return version ?? 'unknown';
}
