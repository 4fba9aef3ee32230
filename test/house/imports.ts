import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** The checkout. */
export const ROOT = join(import.meta.dirname, '../..');

/** Folders of the sources. */
export const SOURCE_FOLDERS = ['sdk', 'host', 'src'] as const;

/** The source files of a folder, relative to the checkout, in code-unit order. */
export function sourceFiles(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.[cm]?[jt]s$/.test(entry.name))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .filter((file) => !/(^|\/)(dist|node_modules)\//.test(file))
    .toSorted();
}

/** The specifiers that a file imports at run time: types vanish, so they do not count. */
export function importsOf(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const statements =
    /^(?:import|export)\s(?!type\s)[^'";]*?from\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]|^import\s*['"]([^'"]+)['"]|\brequire(?:\.resolve)?\(\s*['"]([^'"]+)['"]/gm;
  return [...text.matchAll(statements)].map((match) => match.slice(1).find(Boolean) ?? '');
}
