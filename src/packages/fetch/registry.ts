import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import npa from 'npm-package-arg';
import { loadPacote, type Manifest, type ManifestResult } from './pacote.ts';
import { SignalboxError } from '../../../sdk/errors.ts';
import { ARCHIVE_LIMITS, findArchiveFault } from '../install/archive.ts';
import type { LockedProvenance } from '../lock/lock-file.ts';
import { fetchFailure } from './fetch-error.ts';
import type { NpmOptions } from './npm-options.ts';
import { fitsPlatform } from './platform.ts';
import { settleAll } from './settle.ts';
import { loadKeys, verifyAttestations, type RegistryKeys } from './provenance.ts';

/** What somebody asked to install. */
export interface PackageSpec {
  readonly kind: 'registry' | 'tarball' | 'remote' | 'git' | 'folder';
  /** As runtime.json names it: a package name, or where it is. */
  readonly entry: string;
  /** The range, version or tag of a registry package, as it was written; empty where none was. */
  readonly wanted: string;
  /** Whether `wanted` is a tag or nothing, so that no range holds it. */
  readonly isTag: boolean;
  /** As npm reads it. */
  readonly text: string;
}

/** The bytes of a package, inspected, and what is known of them. Nothing is on the disk yet. */
export interface FetchedArchive {
  readonly archive: Buffer;
  /** SHA-512, as npm writes it. */
  readonly integrity: string;
  /** The version that the registry says it is. */
  readonly version?: string;
  readonly resolved?: string;
  readonly deprecated?: string;
  readonly provenance?: LockedProvenance;
}

/** Where exactly a package is that was chosen before. */
export interface Pin {
  readonly integrity?: string;
  readonly resolved?: string;
}

/**
 * Reads a spec as npm does, its paths from `from`; `folder` is that of runtime.json, whose paths start there. Throws
 * `package_fetch` for what is none.
 */
export function readSpec(
  text: string,
  { from, folder }: { readonly from: string; readonly folder: string },
): PackageSpec {
  if (text.trim() === '') throw refuse(text, 'nothing is named');
  const parsed = parseSpec(text, from);
  const base = { wanted: '', isTag: true, text };
  switch (parsed.type) {
    case 'range':
    case 'version':
    case 'tag': {
      const isTag = parsed.type === 'tag' || parsed.rawSpec === '*' || parsed.rawSpec === '';
      const wanted = parsed.rawSpec === '*' ? '' : parsed.rawSpec;
      return { kind: 'registry', entry: parsed.name ?? text, wanted, isTag, text };
    }
    case 'file':
      return { ...base, kind: 'tarball', ...placeOf(parsed, folder) };
    case 'directory':
      return { ...base, kind: 'folder', ...placeOf(parsed, folder) };
    case 'git':
      return { ...base, kind: 'git', entry: parsed.saveSpec ?? text };
    case 'remote':
      return { ...base, kind: 'remote', entry: text };
    default:
      throw refuse(text, 'another name for a package is not supported: name the package itself');
  }
}

/** Fetches a package and inspects its archive. Throws `package_fetch` and `package_invalid`. */
export async function fetchPackage(
  spec: Pick<PackageSpec, 'kind' | 'text'>,
  options: NpmOptions,
  pin: Pin = {},
): Promise<FetchedArchive> {
  try {
    if (spec.kind === 'registry') return await fetchPublished(spec.text, options, pin);
    const archive = await download(spec.text, { ...options, ...pinned(pin) });
    const resolved = spec.kind === 'git' ? await resolveSpec(spec.text, options) : undefined;
    return { ...(await inspect(spec.text, archive)), ...(resolved !== undefined && { resolved }) };
  } catch (error) {
    throw fetchFailure(spec.text, error);
  }
}

/** The version that a range or tag stands for now, and whether npm would install it here were it optional. Throws `package_fetch`. */
export async function resolveVersion(
  name: string,
  range: string,
  options: NpmOptions,
): Promise<{ readonly version: string; readonly isFit: boolean } & Pin> {
  const spec = `${name}@${range}`;
  try {
    const pacote = await loadPacote();
    const manifest = await pacote.manifest(spec, options);
    return { version: manifest.version, isFit: fitsPlatform(manifest), ...pinOf(manifest) };
  } catch (error) {
    throw fetchFailure(spec, error);
  }
}

/** Fetches one version of a package, exactly as it is pinned. Throws `package_fetch` and `package_invalid`. */
export async function fetchPinned(
  name: string,
  version: string,
  { options, pin }: { readonly options: NpmOptions; readonly pin: Pin },
): Promise<FetchedArchive> {
  const spec = `${name}@${version}`;
  try {
    return await inspect(spec, await download(spec, { ...options, ...pinned(pin) }));
  } catch (error) {
    throw fetchFailure(spec, error);
  }
}

/** Unpacks an inspected archive into a folder that is not there yet. No script runs; links are left out. */
export async function extractArchive(
  { archive, integrity }: Pick<FetchedArchive, 'archive' | 'integrity'>,
  folder: string,
  scratch: string,
): Promise<void> {
  const copy = join(scratch, `${createHash('sha256').update(folder).digest('hex')}.tgz`);
  await writeFile(copy, archive);
  const pacote = await loadPacote();
  await pacote.extract(`file:${copy}`, folder, {
    integrity,
    cache: join(scratch, 'npm'),
    // A package cannot make its files writable by others.
    umask: 0o022,
  });
}

async function fetchPublished(
  text: string,
  options: NpmOptions,
  pin: Pin,
): Promise<FetchedArchive> {
  const pacote = await loadPacote();
  const full = { ...options, fullMetadata: true } as const;
  // Both are read from the registry at once; the manifest then comes out of what was read.
  const reads = [loadKeys(text, options), pacote.packument(text, full)] as const;
  await settleAll<unknown>(reads);
  const keys = await reads[0];
  const manifest = await pacote.manifest(text, {
    ...full,
    ...keys.options,
    verifySignatures: keys.isOffered,
  } as typeof full);
  const found = pinOf(manifest);
  if (pin.integrity !== undefined && found.integrity !== undefined) {
    if (!sharesHash(pin.integrity, found.integrity)) throw changed(manifest);
  }
  const exact = `${manifest.name}@${manifest.version}`;
  const archive = await inspect(
    exact,
    await download(exact, { ...options, ...pinned({ ...found, ...pin }) }),
  );
  const { deprecated } = manifest;
  return {
    ...archive,
    version: manifest.version,
    ...(found.resolved !== undefined && { resolved: found.resolved }),
    ...(typeof deprecated === 'string' && deprecated !== '' && { deprecated }),
    provenance: await provenanceOf(manifest, { options: full, keys }),
  };
}

type Published = Manifest & ManifestResult;

async function provenanceOf(
  manifest: Published,
  { options, keys }: { readonly options: NpmOptions; readonly keys: RegistryKeys },
): Promise<LockedProvenance> {
  const dist = manifest.dist as unknown as Readonly<Record<string, unknown>>;
  const signatures = (Array.isArray(dist['signatures']) ? dist['signatures'] : []) as readonly {
    readonly keyid?: unknown;
  }[];
  const signature = signatures.length === 0 ? 'absent' : keys.isOffered ? 'verified' : 'unverified';
  const keyIds = signatures.map(({ keyid }) => String(keyid));
  const attested =
    dist['attestations'] === undefined
      ? ({ attestation: 'absent' } as const)
      : await verifyAttestations(`${manifest.name}@${manifest.version}`, { options, keys });
  return { signature, ...(keyIds.length > 0 && { keys: keyIds }), ...attested };
}

/** Collects an archive, and stops at the limit: a registry may send without end. */
async function download(spec: string, options: NpmOptions): Promise<Buffer> {
  const pacote = await loadPacote();
  return pacote.tarball.stream(
    spec,
    (stream) =>
      new Promise<Buffer>((done, fail) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        stream.on('error', fail);
        stream.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > ARCHIVE_LIMITS.packedBytes) {
            fail(invalid(spec, `it is larger than ${ARCHIVE_LIMITS.packedBytes} bytes`));
            stream.destroy();
          } else chunks.push(chunk);
        });
        stream.on('end', () => done(Buffer.concat(chunks)));
      }),
    options,
  );
}

async function inspect(spec: string, archive: Buffer): Promise<FetchedArchive> {
  const fault = await findArchiveFault(archive);
  if (fault !== undefined) throw invalid(spec, fault);
  const hash = createHash('sha512').update(archive).digest('base64');
  return { archive, integrity: `sha512-${hash}` };
}

async function resolveSpec(spec: string, options: NpmOptions): Promise<string> {
  return (await loadPacote()).resolve(spec, options);
}

function pinOf({ _resolved, _integrity }: ManifestResult): Pin {
  return {
    ...(typeof _resolved === 'string' && { resolved: _resolved }),
    ...(typeof _integrity === 'string' && { integrity: _integrity }),
  };
}

function pinned({ integrity, resolved }: Pin): NpmOptions {
  return {
    ...(integrity !== undefined && { integrity }),
    ...(resolved !== undefined && { resolved }),
  };
}

/** Whether two integrity texts agree wherever they can be compared. */
function sharesHash(a: string, b: string): boolean {
  const algorithmOf = (text: string): string => text.slice(0, text.indexOf('-'));
  const others = b.split(/\s+/);
  return a
    .split(/\s+/)
    .every((hash) =>
      others.every((other) => algorithmOf(other) !== algorithmOf(hash) || other === hash),
    );
}

function changed({ name, version }: Published): SignalboxError {
  const detail = `the registry now has other bytes for version ${version}`;
  return new SignalboxError('package_tampered', { package: name, detail });
}

function parseSpec(text: string, folder: string): npa.Result {
  try {
    return npa(text, folder);
  } catch {
    throw refuse(text, 'it is no package, tarball, URL or folder');
  }
}

/** A path as runtime.json has it, from its own folder, so that a checkout may move; npm is given the whole path. */
function placeOf(parsed: npa.Result, folder: string): Pick<PackageSpec, 'entry' | 'text'> {
  const path = parsed.fetchSpec ?? '';
  const way = relative(folder, path).split(sep).join('/');
  const entry = isAbsolute(way) ? path : way.startsWith('..') ? way : `./${way}`;
  return { entry, text: path };
}

function refuse(spec: string, detail: string): SignalboxError {
  return new SignalboxError('package_fetch', { package: spec, detail });
}

function invalid(spec: string, detail: string): SignalboxError {
  return new SignalboxError('package_invalid', { package: spec, detail });
}
