import { existsSync } from 'node:fs';
import { packageKind } from '../config/package-kind.ts';
import type { PackageEntry, RuntimeConfig } from '../config/runtime-config.ts';
import { readGrantChanges } from '../grants/grant-changes.ts';
import type { GrantChange } from '../grants/grant-change.ts';
import { held } from '../grants/grants.ts';
import { withModes, type ModeChange } from '../modes/mode-change.ts';
import { readModeChanges } from '../modes/mode-changes.ts';
import { buildCatalog } from '../packages/build-catalog.ts';
import { findPackage } from '../packages/install/package-folder.ts';
import { findLocked, readLock, type LockFile } from '../packages/lock/lock-file.ts';
import { openDatabase } from '../sql/database.ts';
import { openUses, type UseTotal } from '../sql/uses.ts';
import type { AuditFacts, EntryFacts } from './audit-facts.ts';

/** What an audit is asked for. */
export interface AuditOptions {
  /** A grant that was not used for so many days is told. */
  readonly unusedDays: number;
  /** Asks registries for the newest versions of packages, by name; nothing is asked, if absent. */
  readonly newestOf?: (names: readonly string[]) => Promise<ReadonlyMap<string, string>>;
}

/** Reads everything that an audit is made from. No code of a hook runs. Throws `lock_invalid`, `database`. */
export async function collectFacts(
  config: RuntimeConfig,
  { unusedDays, newestOf }: AuditOptions,
): Promise<AuditFacts> {
  // A required hook that is missing is what an audit has to tell, not what stops it.
  const lenient = { ...config, hooks: { ...config.hooks, required: [] } };
  const [lock, found, { uses, grantChanges, modeChanges }] = await Promise.all([
    readLock(config.folder),
    buildCatalog(lenient),
    readLedger(config.records.file),
  ]);
  const entries = await Promise.all(
    config.packages.map((entry, index) => entryFacts(entry, index, { config, lock })),
  );
  const published = entries
    .filter(({ entry }) => packageKind(entry.package) === 'name')
    .map(({ entry }) => entry.package);
  return {
    config,
    lock,
    catalog: withModes({ ...found, hooks: held(found.hooks, grantChanges) }, modeChanges),
    entries,
    uses,
    grantChanges,
    now: Date.now(),
    unusedDays,
    newest: (await newestOf?.(published)) ?? new Map(),
  };
}

interface Ledger {
  readonly uses: readonly UseTotal[];
  readonly grantChanges: readonly GrantChange[];
  readonly modeChanges: readonly ModeChange[];
}

async function readLedger(file: string): Promise<Ledger> {
  // An audit leaves nothing behind, an empty database included.
  if (!existsSync(file)) return { uses: [], grantChanges: [], modeChanges: [] };
  const database = await openDatabase(file);
  try {
    return {
      uses: await openUses(database).totals(),
      grantChanges: await readGrantChanges(database),
      modeChanges: await readModeChanges(database),
    };
  } finally {
    await database.close();
  }
}

async function entryFacts(
  entry: PackageEntry,
  index: number,
  { config, lock }: { readonly config: RuntimeConfig; readonly lock: LockFile },
): Promise<EntryFacts> {
  const locked = findLocked(lock, entry.package);
  const kind = packageKind(entry.package);
  const isFetched = kind === 'name' || kind === 'remote';
  const own =
    locked === undefined && !isFetched
      ? await findPackage(entry, config).catch(() => undefined)
      : undefined;
  const name = locked?.name ?? own?.name ?? (kind === 'name' ? entry.package : undefined);
  return { index, entry, name, locked, isFetched };
}
