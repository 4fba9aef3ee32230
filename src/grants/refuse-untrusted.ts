import { SignalboxError } from '../../sdk/errors.ts';
import type { RuntimeConfig } from '../config/runtime-config.ts';
import { sha256 } from '../packages/install/cache-folder.ts';
import type { PreparedPackage } from '../packages/install/prepare.ts';
import { distrust, integritiesOf } from './trust-policy.ts';

/** Throws `untrusted` for a package that the policy refuses, before anybody is asked to agree to it. */
export function refuseUntrusted(
  { name, version, spec, assembly, fetched }: PreparedPackage,
  { trust }: Pick<RuntimeConfig, 'trust'>,
): void {
  const detail = distrust(trust, {
    name,
    version,
    isFetched: spec.kind !== 'folder' && spec.kind !== 'tarball',
    hashes: [
      ...integritiesOf(fetched?.integrity ?? ''),
      assembly.hash,
      ...assembly.hooks.map(({ code }) => sha256(code)),
    ],
    provenance: fetched?.provenance,
  });
  if (detail !== undefined) throw new SignalboxError('untrusted', { package: name, detail });
}
