import type { PackageEntry, RuntimeConfig } from '../config/runtime-config.ts';
import type { GrantChange } from '../grants/grant-change.ts';
import type { Catalog } from '../packages/catalog.ts';
import type { LockFile, LockedPackage } from '../packages/lock/lock-file.ts';
import type { UseTotal } from '../sql/uses.ts';

/** An entry of runtime.json with the package that answers it. */
export interface EntryFacts {
  readonly index: number;
  readonly entry: PackageEntry;
  /** `undefined` where no package is there to say its name. */
  readonly name: string | undefined;
  readonly locked: LockedPackage | undefined;
  /** Whether it is fetched from somewhere, so that a lock must cover it. */
  readonly isFetched: boolean;
}

/** Everything that an audit is made from. */
export interface AuditFacts {
  readonly config: RuntimeConfig;
  readonly lock: LockFile;
  /** With the grants and modes that hold now, changes at run time included. */
  readonly catalog: Catalog;
  readonly entries: readonly EntryFacts[];
  readonly uses: readonly UseTotal[];
  readonly grantChanges: readonly GrantChange[];
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly unusedDays: number;
  /** Newest versions by package, where registries were asked. */
  readonly newest: ReadonlyMap<string, string>;
}
