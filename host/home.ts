import { createRequire, findPackageJSON } from 'node:module';
import { basename, extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Written into a bundle of the sources: the folder of these. See scripts/start-bundle.mjs. */
declare const SOURCES: string | undefined;

const IS_BUNDLED = typeof SOURCES === 'string';

/** The folder that `src`, `host` and `sdk` are in: that of a checkout, or `dist` of a published package. */
export const HOME = IS_BUNDLED ? SOURCES : join(import.meta.dirname, '..');

const EXTENSION = IS_BUNDLED ? '.ts' : extname(import.meta.filename);

/** Whether this program runs from its sources. */
export const IS_CHECKOUT = EXTENSION === '.ts';

/** A module of this program by its name from {@link HOME}, without the ending. */
export function moduleFile(name: string): string {
  return join(HOME, `${name}${EXTENSION}`);
}

/** What a thread of this program starts with: a bundle has one of each beside it. */
export function threadFile(name: string): string {
  return IS_BUNDLED ? join(import.meta.dirname, `${basename(name)}.mjs`) : moduleFile(name);
}

/** Finds what this program depends on. */
export const requireOwn = createRequire(join(HOME, 'package.json'));

/** The package.json of this program. */
export function packageFile(): string | undefined {
  return findPackageJSON('.', pathToFileURL(join(HOME, 'package.json')));
}
