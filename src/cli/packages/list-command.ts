import { packageKind } from '../../config/package-kind.ts';
import type { PackageEntry } from '../../config/runtime-config.ts';
import { readStored } from '../../packages/install/stored-package.ts';
import { EXIT } from '../exit-code.ts';
import { lockedOf, openPackages, type PackageSession } from './package-session.ts';
import type { Session } from '../session.ts';

/** A package of runtime.json as it is locked and as it is in the cache. */
interface PackageRow {
  readonly package: string;
  readonly entry: string;
  readonly range?: string;
  readonly version?: string;
  readonly hooks: readonly string[];
  readonly granted?: readonly string[];
  readonly agreedBy?: string;
  readonly agreedAt?: string;
  readonly state: 'ready' | 'folder' | 'not installed' | 'not in the cache' | 'tampered';
}

/** Lists the packages of runtime.json: version, hooks, grants, who agreed, and whether the cache has what is locked. */
export async function runList(session: Session): Promise<number> {
  const packages = await openPackages(session);
  const rows = await Promise.all(packages.config.packages.map((entry) => rowOf(entry, packages)));
  const { terminal } = session;
  if (terminal.isJson) terminal.json(rows);
  else if (rows.length === 0) terminal.line('runtime.json has no packages.');
  else {
    terminal.table(
      ['package', 'version', 'range', 'hooks', 'granted', 'agreed', 'state'],
      rows.map((row) => [
        row.package,
        row.version ?? '',
        row.range ?? '',
        row.hooks,
        row.granted ?? ['awaiting consent'],
        row.agreedBy === undefined ? '' : `${row.agreedBy}, ${row.agreedAt?.slice(0, 10)}`,
        row.state,
      ]),
    );
  }
  return EXIT.ok;
}

async function rowOf(entry: PackageEntry, packages: PackageSession): Promise<PackageRow> {
  const locked = lockedOf(entry, packages);
  const facts = {
    package: locked?.name ?? entry.package,
    entry: entry.package,
    ...(entry.version !== undefined && { range: entry.version }),
    ...(entry.grants !== undefined && { granted: entry.grants }),
  };
  if (packageKind(entry.package) === 'folder') return { ...facts, hooks: [], state: 'folder' };
  if (locked === undefined) return { ...facts, hooks: [], state: 'not installed' };
  const read = await readStored(packages.config.cacheFolder, locked.bundle);
  const missing = !read.ok && read.code === 'not_installed' ? 'not in the cache' : 'tampered';
  return {
    ...facts,
    version: locked.version,
    hooks: Object.keys(locked.hooks),
    agreedBy: locked.consent.by,
    agreedAt: locked.consent.at,
    state: read.ok ? 'ready' : missing,
  };
}
