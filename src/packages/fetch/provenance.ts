import type { LockedProvenance } from '../lock/lock-file.ts';
import { printable } from '../../config/printable.ts';
import type { NpmOptions } from './npm-options.ts';
import { loadPacote } from './pacote.ts';

/** The public keys that a registry signs with, as pacote takes them. */
export interface RegistryKeys {
  readonly isOffered: boolean;
  readonly options: Readonly<Record<string, unknown>>;
}

/** Asks the registry of a package for its keys; one that offers none signs nothing. */
export async function loadKeys(spec: string, options: NpmOptions): Promise<RegistryKeys> {
  const { default: fetch } = await import('npm-registry-fetch');
  const registry = fetch.pickRegistry(spec, options);
  try {
    // https://docs.npmjs.com/about-registry-signatures
    const answer = await fetch.json('/-/npm/v1/keys', { ...options, registry });
    const keys = (answer as { readonly keys?: unknown }).keys;
    if (!Array.isArray(keys) || keys.length === 0) return NO_KEYS;
    const { host, pathname } = new URL(registry);
    const pems = (keys as readonly { readonly key?: unknown }[]).map((key) => ({
      ...key,
      pemkey: `-----BEGIN PUBLIC KEY-----\n${String(key.key)}\n-----END PUBLIC KEY-----`,
    }));
    return { isOffered: true, options: { [`//${host}${pathname}:_keys`]: pems } };
  } catch (error) {
    const { statusCode } = error as { readonly statusCode?: number };
    // What hides its keys for a moment must not pass for a registry without any.
    if (statusCode === 404 || statusCode === 405 || statusCode === 501) return NO_KEYS;
    throw error;
  }
}

const NO_KEYS: RegistryKeys = { isOffered: false, options: {} };

/**
 * Checks the attestations of one version against Sigstore's roots. One that does not hold is an error of npm's; roots that
 * cannot be had leave it `unverified`.
 */
export async function verifyAttestations(
  exact: string,
  { options, keys }: { readonly options: NpmOptions; readonly keys: RegistryKeys },
): Promise<Pick<LockedProvenance, 'attestation' | 'source'>> {
  const pacote = await loadPacote();
  try {
    const manifest = await pacote.manifest(exact, {
      ...options,
      ...keys.options,
      fullMetadata: true,
      verifyAttestations: true,
    } as NpmOptions & { readonly fullMetadata: true });
    const source = sourceOf(manifest['_attestationBundles']);
    return { attestation: 'verified', ...(source !== undefined && { source }) };
  } catch (error) {
    if (isOutOfReach(error)) return { attestation: 'unverified' };
    throw error;
  }
}

/** pacote keeps only the text of Sigstore's error, which speaks of TUF when the roots could not be fetched. */
function isOutOfReach(error: unknown): boolean {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  if (code === 'EMISSINGSIGNATUREKEY') return true;
  // Before that stands the name of the package, which is not ours.
  const cause = String(message).split('failed to verify attestation: ').at(-1) ?? '';
  return code === 'EATTESTATIONVERIFY' && /\bTUF\b|\btarget\b/.test(cause);
}

interface Statement {
  readonly predicateType?: string;
  readonly predicate?: {
    readonly buildDefinition?: {
      readonly externalParameters?: {
        readonly workflow?: { readonly repository?: unknown; readonly path?: unknown };
      };
    };
  };
}

/** The repository and workflow of a SLSA statement. https://slsa.dev/spec/v1.0/provenance */
function sourceOf(bundles: unknown): string | undefined {
  for (const item of Array.isArray(bundles) ? (bundles as readonly unknown[]) : []) {
    const { bundle } = item as {
      readonly bundle?: { readonly dsseEnvelope?: { readonly payload?: unknown } };
    };
    const text = Buffer.from(String(bundle?.dsseEnvelope?.payload), 'base64').toString('utf8');
    const { predicate } = JSON.parse(text) as Statement;
    const workflow = predicate?.buildDefinition?.externalParameters?.workflow;
    if (typeof workflow?.repository !== 'string') continue;
    const path = typeof workflow.path === 'string' ? ` (${workflow.path})` : '';
    return printable(`${workflow.repository}${path}`, 300);
  }
  return undefined;
}
