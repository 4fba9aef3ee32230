import { shortfall } from '../../../sdk/capabilities.ts';
import { SignalboxError } from '../../../sdk/errors.ts';
import type { PackageEntry } from '../../config/runtime-config.ts';
import { refuseUntrusted } from '../../grants/refuse-untrusted.ts';
import type { PackageSpec } from '../../packages/fetch/registry.ts';
import { declaredBy, requestOf, type HookRequest } from '../../packages/install/consent.ts';
import { enablePackage } from '../../packages/install/enable.ts';
import { preparePackage, type PreparedPackage } from '../../packages/install/prepare.ts';
import { selectHooks } from '../../packages/selectors.ts';
import { EXIT } from '../exit-code.ts';
import {
  notAskedFor,
  openPackages,
  preparationOf,
  readGrants,
  specFrom,
  type GrantFlags,
  type PackageSession,
} from './package-session.ts';
import { showRequests } from './package-tables.ts';
import { askYes, canAsk } from '../question.ts';
import type { Session } from '../session.ts';

/** The flags of `add`. */
export interface AddFlags extends GrantFlags {
  readonly use?: readonly string[];
  readonly partial?: boolean;
}

/** Fetches a package, shows what its hooks may do, and enables it once somebody agreed. */
export async function runAdd(session: Session, text: string, flags: AddFlags): Promise<number> {
  const grants = readGrants(flags);
  const packages = await openPackages(session);
  const spec = specFrom(text, packages);
  const prepared = await preparePackage(spec, await preparationOf(packages));
  const entry = entryFor(spec, packages, flags);
  refuseUntrusted(prepared, packages.config);
  refuseUnmatched(prepared, flags);
  const requests = requestsOf(prepared, entry);
  showRequests(session.terminal, prepared, requests);
  const declared = declaredBy(requests);
  const unasked = notAskedFor(grants, declared);
  if (unasked.length > 0) {
    const detail = `No hook of "${prepared.name}" asks for ${unasked.join(', ')}`;
    throw new SignalboxError('usage', { detail });
  }
  const agreed =
    flags.grantAll === true ? declared : flags.grant === undefined ? undefined : grants;
  const granted = agreed ?? (await askFor(session, prepared, declared));
  if (granted === undefined || session.signal.aborted) {
    session.terminal.note('Nothing was changed.');
    return session.signal.aborted ? EXIT.interrupted : EXIT.problems;
  }
  await enablePackage(
    prepared,
    {
      grants: granted,
      ...(spec.kind === 'registry' && { range: spec.isTag ? `^${prepared.version}` : spec.wanted }),
      ...(flags.use !== undefined && { use: flags.use }),
      ...(flags.partial === true && { isPartial: true }),
    },
    packages.config,
  );
  const lacking = shortfall(declared, granted);
  if (lacking.length > 0 && flags.partial !== true && !entry.partial) {
    session.terminal.note(
      `warning: hooks that declare ${lacking.join(', ')} fail until it is granted, or "partial" is set`,
    );
  }
  return report(session, prepared, { requests, granted });
}

/** What the hooks that an entry takes ask for, under the names that they have in this runtime. */
export function requestsOf(prepared: PreparedPackage, entry: PackageEntry): readonly HookRequest[] {
  const { hooks } = selectHooks(entry, prepared.assembly.hooks, ({ manifest }) => manifest.name);
  return hooks
    .filter(({ isSelected }) => isSelected)
    .map(({ name, hook }) => requestOf(name, hook));
}

/** A selector that somebody has just typed and that matches nothing is a slip. Throws `selector_unmatched`. */
function refuseUnmatched({ assembly, spec }: PreparedPackage, { use }: AddFlags): void {
  if (use === undefined) return;
  const entry = { package: spec.entry, as: {}, partial: false, use };
  const [unmatched] = selectHooks(entry, assembly.hooks, ({ manifest }) => manifest.name).warnings;
  if (unmatched !== undefined) throw unmatched;
}

/** The entry as it will stand in runtime.json, apart from its grants. */
function entryFor(spec: PackageSpec, { config }: PackageSession, { use }: AddFlags): PackageEntry {
  const before = config.packages.find((item) => item.package === spec.entry);
  const entry = before ?? { package: spec.entry, as: {}, partial: false };
  return { ...entry, ...(use !== undefined && { use }) };
}

/** Asks a person for everything that hooks declare. Throws `consent_needed` where there is nobody to ask. */
async function askFor(
  session: Session,
  { name, version }: PreparedPackage,
  declared: readonly string[],
): Promise<readonly string[] | undefined> {
  if (!canAsk(session)) {
    const detail = declared.length > 0 ? declared.join(', ') : 'its hooks, which ask for nothing';
    throw new SignalboxError('consent_needed', { package: `${name}@${version}`, detail });
  }
  const isAgreed = await askYes(session, `Grant this and enable ${name}@${version}?`);
  return isAgreed ? declared : undefined;
}

function report(
  { terminal }: Session,
  { name, version, fetched }: PreparedPackage,
  result: { readonly requests: readonly HookRequest[]; readonly granted: readonly string[] },
): number {
  const { requests, granted } = result;
  if (terminal.isJson) {
    const { integrity, resolved, provenance, deprecated } = fetched ?? {};
    terminal.json({
      package: name,
      version,
      integrity,
      resolved,
      provenance,
      deprecated,
      hooks: requests,
      granted,
    });
  } else {
    const hooks = requests.length === 1 ? '1 hook' : `${requests.length} hooks`;
    terminal.line(`Added ${name}@${version}: ${hooks}, granted ${granted.join(', ') || 'nothing'}`);
  }
  return EXIT.ok;
}
