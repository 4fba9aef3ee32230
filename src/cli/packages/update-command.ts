import { shortfall } from '../../../sdk/capabilities.ts';
import { SignalboxError } from '../../../sdk/errors.ts';
import type { PackageEntry } from '../../config/runtime-config.ts';
import { refuseUntrusted } from '../../grants/refuse-untrusted.ts';
import { packageKind } from '../../config/package-kind.ts';
import semver from 'semver';
import {
  compareHooks,
  type HookDifference,
  type HookState,
} from '../../packages/install/difference.ts';
import { declaredBy } from '../../packages/install/consent.ts';
import { enablePackage, refuseChange } from '../../packages/install/enable.ts';
import {
  preparePackage,
  type Preparation,
  type PreparedPackage,
} from '../../packages/install/prepare.ts';
import { readStored } from '../../packages/install/stored-package.ts';
import type { LockedPackage } from '../../packages/lock/lock-file.ts';
import { requestsOf } from './add-command.ts';
import { EXIT, exitCodeOf } from '../exit-code.ts';
import {
  entryNamed,
  lockedOf,
  openPackages,
  preparationOf,
  readGrants,
  specOf,
  type GrantFlags,
  type PackageSession,
} from './package-session.ts';
import { showDifferences, showRequests } from './package-tables.ts';
import { askYes, canAsk } from '../question.ts';
import type { Session } from '../session.ts';

/** What an update of one package came to. */
interface Outcome {
  readonly package: string;
  readonly from?: string;
  readonly to?: string;
  readonly result: 'updated' | 'current' | 'kept' | 'failed';
  readonly differences?: readonly HookDifference[];
  readonly granted?: readonly string[];
  readonly detail?: string;
}

/** Brings packages to the newest version that their range allows; more capabilities need consent, else the old one stays. */
export async function runUpdate(
  session: Session,
  name: string | undefined,
  flags: GrantFlags,
): Promise<number> {
  readGrants(flags);
  const packages = await openPackages(session);
  const entries = name === undefined ? packages.config.packages : [entryNamed(name, packages)];
  const preparation = await preparationOf(packages);
  const outcomes: Outcome[] = [];
  let exit: number = EXIT.ok;
  for (const entry of entries) {
    if (session.signal.aborted) return EXIT.interrupted;
    if (packageKind(entry.package) === 'folder') continue;
    try {
      const outcome = await update(entry, packages, { preparation, flags });
      outcomes.push(outcome);
      tell(session, outcome);
    } catch (error) {
      // What is wrong with one package holds up no other.
      session.terminal.progress();
      session.terminal.error(error);
      exit = exitCodeOf(error);
      const code = error instanceof SignalboxError ? error.code : 'internal';
      outcomes.push({ package: entry.package, result: 'failed', detail: code });
    }
  }
  if (session.terminal.isJson) session.terminal.json(outcomes);
  else if (outcomes.length === 0) session.terminal.line('No package is installed.');
  return exit;
}

async function update(
  entry: PackageEntry,
  packages: PackageSession,
  { preparation, flags }: { readonly preparation: Preparation; readonly flags: GrantFlags },
): Promise<Outcome> {
  const locked = lockedOf(entry, packages);
  if (locked === undefined) {
    throw new SignalboxError('not_installed', {
      package: entry.package,
      detail: 'it is not in runtime.lock.json',
    });
  }
  const spec = specOf(entry, packages);
  const prepared = await preparePackage(spec, preparation);
  refuseChange(prepared, locked);
  refuseUntrusted(prepared, packages.config);
  const facts = { package: locked.name, from: locked.version, to: prepared.version };
  if (
    prepared.assembly.hash === locked.bundle &&
    prepared.fetched?.integrity === locked.integrity
  ) {
    return { ...facts, result: 'current' };
  }
  if (spec.kind === 'registry' && semver.lt(prepared.version, locked.version)) {
    const detail = `version ${locked.version} is not published any more, and ${prepared.version} is older`;
    return { ...facts, to: locked.version, result: 'kept', detail };
  }
  const differences = compareHooks(
    await statesOf(locked, packages),
    Object.fromEntries(
      prepared.assembly.hooks.map(({ manifest, code }) => [
        manifest.name,
        { ...manifest, bytes: Buffer.byteLength(code) },
      ]),
    ),
  );
  const { terminal } = packages.session;
  terminal.progress();
  terminal.note(`${locked.name} ${locked.version} → ${prepared.version}`);
  showDifferences(terminal, differences);
  const granted = await consentTo(prepared, { entry, locked, packages, flags });
  if (granted === undefined)
    return { ...facts, to: locked.version, result: 'kept', detail: 'nobody agreed' };
  await enablePackage(prepared, { grants: granted }, packages.config);
  return { ...facts, result: 'updated', differences, granted };
}

interface Asking {
  readonly entry: PackageEntry;
  readonly locked: LockedPackage;
  readonly packages: PackageSession;
  readonly flags: GrantFlags;
}

/**
 * The grants of the new version: those of before, unless its hooks ask for what they did not ask for. Throws
 * `consent_needed` where nobody can be asked.
 */
async function consentTo(
  prepared: PreparedPackage,
  { entry, locked, packages, flags }: Asking,
): Promise<readonly string[] | undefined> {
  const { session } = packages;
  const before = entry.grants ?? [];
  const asked = requestsOf(prepared, entry);
  const known = Object.values(locked.hooks).flatMap(({ capabilities }) => capabilities);
  const more = shortfall(declaredBy(asked), [...known, ...before]);
  if (more.length === 0) return before;
  const given = flags.grantAll === true ? more : readGrants(flags);
  const lacking = shortfall(more, given);
  if (lacking.length === 0) return union(before, more);
  showRequests(session.terminal, prepared, asked);
  if (!canAsk(session)) {
    throw new SignalboxError('consent_needed', {
      package: `${prepared.name}@${prepared.version}`,
      detail: `${lacking.join(', ')}; version ${locked.version} stays`,
    });
  }
  const question = `${prepared.name} ${prepared.version} wants more than before: ${lacking.join(', ')}. Grant it and update?`;
  return (await askYes(session, question)) ? union(before, more) : undefined;
}

/** Grants of before keep their order; what is new comes after. */
function union(before: readonly string[], more: readonly string[]): readonly string[] {
  return [...new Set([...before, ...more])];
}

async function statesOf(
  locked: LockedPackage,
  { config }: PackageSession,
): Promise<Readonly<Record<string, HookState>>> {
  const read = await readStored(config.cacheFolder, locked.bundle);
  const bytesOf = (name: string): number | undefined => {
    const hook = read.ok
      ? read.stored.hooks.find(({ manifest }) => manifest.name === name)
      : undefined;
    return hook && Buffer.byteLength(hook.code);
  };
  return Object.fromEntries(
    Object.entries(locked.hooks).map(([name, { points, capabilities }]) => [
      name,
      { points, capabilities, bytes: bytesOf(name) },
    ]),
  );
}

function tell({ terminal }: Session, outcome: Outcome): void {
  terminal.progress();
  if (terminal.isJson) return;
  const { package: name, from, to, result, detail = '' } = outcome;
  if (result === 'updated') terminal.line(`Updated ${name} ${from} → ${to}`);
  else if (result === 'current') terminal.line(`${name}@${from} is the newest that fits`);
  else terminal.line(`Kept ${name}@${from}: ${detail}`);
}
