import { SignalboxError } from '../../sdk/errors.ts';
import type { RuntimeConfig } from '../config/runtime-config.ts';
import type { LockedPackage } from '../packages/lock/lock-file.ts';
import { sha256 } from '../packages/install/cache-folder.ts';
import type { PreparedPackage } from '../packages/install/prepare.ts';
import { factsOf } from './apply-trust.ts';
import { distrust, integritiesOf, type PackageFacts } from './trust-policy.ts';

const KINDS = {
  registry: 'registry',
  remote: 'remote',
  git: 'remote',
  tarball: 'own',
  folder: 'own',
} as const satisfies Record<PreparedPackage['spec']['kind'], PackageFacts['kind']>;

/** Throws `untrusted` for a package that the policy refuses, before anybody is asked to agree to it. */
export function refuseUntrusted(
  { name, version, spec, assembly, fetched }: PreparedPackage,
  { trust }: Pick<RuntimeConfig, 'trust'>,
): void {
  const detail = distrust(trust, {
    name,
    version,
    kind: KINDS[spec.kind],
    hashes: [
      ...integritiesOf(fetched?.integrity ?? ''),
      assembly.hash,
      ...assembly.hooks.map(({ code }) => sha256(code)),
    ],
    provenance: fetched?.provenance,
  });
  if (detail !== undefined) throw new SignalboxError('untrusted', { package: name, detail });
}

/** Throws `untrusted` for a package that the policy refuses by what was locked of it, before anything is fetched. */
export function refuseLocked(
  locked: LockedPackage & { readonly name: string },
  entry: string,
  { trust }: Pick<RuntimeConfig, 'trust'>,
): void {
  const detail = distrust(trust, factsOf(locked, entry, locked));
  if (detail !== undefined) throw new SignalboxError('untrusted', { package: locked.name, detail });
}
