import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SignalboxError } from '../../../sdk/errors.ts';
import { printable } from '../../config/printable.ts';
import type { RuntimeConfig } from '../../config/runtime-config.ts';
import { fetchDependencies, type Dependencies } from '../fetch/dependencies.ts';
import type { NpmOptions } from '../fetch/npm-options.ts';
import {
  extractArchive,
  fetchPackage,
  type FetchedArchive,
  type PackageSpec,
  type Pin,
} from '../fetch/registry.ts';
import { assemble, type Assembly } from './assemble.ts';
import { failedInstall } from './failed-install.ts';
import { refuseNativeAddons } from './native-addons.ts';
import { findPackage, type PackageFolder } from './package-folder.ts';

/** A package that was fetched, inspected and bundled. Nothing of it is enabled, and nothing was kept. */
export interface PreparedPackage {
  readonly spec: PackageSpec;
  readonly name: string;
  readonly version: string;
  readonly assembly: Assembly;
  /** What was fetched; `undefined` for a folder, which is used where it is. */
  readonly fetched?: Omit<FetchedArchive, 'archive'> & { readonly dependencies: Dependencies };
}

/** What a package is prepared with. */
export interface Preparation {
  readonly config: RuntimeConfig;
  readonly options: NpmOptions;
  /** What was locked: nothing else is then taken. */
  readonly pin?: Pin & { readonly dependencies: Dependencies };
  readonly onProgress: (text: string) => void;
}

/**
 * Fetches a package with its dependencies, inspects every archive and bundles its hooks, in a folder of its own that is
 * gone afterwards. No code of it runs. Throws `package_fetch`, `package_invalid`, `package_bundle`, `install_failed`.
 */
export async function preparePackage(
  spec: PackageSpec,
  preparation: Preparation,
): Promise<PreparedPackage> {
  if (spec.kind === 'folder') {
    const folder = await findFor(spec, spec.entry, preparation.config);
    preparation.onProgress(`Bundling ${folder.name}@${folder.version}`);
    return { spec, name: folder.name, version: folder.version, assembly: await assemble(folder) };
  }
  const scratch = await realpath(await mkdtemp(join(tmpdir(), 'signalbox-')));
  try {
    return await prepareFetched(spec, { ...preparation, scratch });
  } catch (error) {
    throw failedInstall(spec.text, error);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function prepareFetched(
  spec: PackageSpec,
  { config, options, pin, onProgress, scratch }: Preparation & { readonly scratch: string },
): Promise<PreparedPackage> {
  onProgress(`Fetching ${spec.text}`);
  const { archive, ...facts } = await fetchPackage(spec, options, pin);
  const root = join(scratch, 'package');
  await mkdir(root);
  await extractArchive({ archive, integrity: facts.integrity }, root, scratch);
  const folder = await findFor(spec, root, config);
  checkIdentity(spec, folder, facts.version);
  const pins = pin?.dependencies;
  const dependencies = await fetchDependencies(root, {
    options,
    scratch,
    onProgress,
    ...(pins !== undefined && { pins }),
  });
  await refuseNativeAddons(folder.name, root);
  onProgress(`Bundling ${folder.name}@${folder.version}`);
  const assembly = await assemble(folder);
  const { name, version } = folder;
  return { spec, name, version, assembly, fetched: { ...facts, dependencies } };
}

/** Finds the package at a place, and calls it in errors what the person called it: the place may be one of ours. */
async function findFor(
  spec: PackageSpec,
  place: string,
  config: RuntimeConfig,
): Promise<PackageFolder> {
  try {
    return await findPackage(entryOf(place), config);
  } catch (error) {
    if (!(error instanceof SignalboxError)) throw error;
    // What is not declared yet is not missing, it is nowhere.
    const code = error.code === 'not_installed' ? 'package_fetch' : error.code;
    throw new SignalboxError(code, { ...error.data, package: printable(spec.text, 200) });
  }
}

/** A package says itself what it is, and must not say anything else than its registry does. */
function checkIdentity(spec: PackageSpec, folder: PackageFolder, version?: string): void {
  const isOther = spec.kind === 'registry' && folder.name !== spec.entry;
  if (!isOther && (version === undefined || version === folder.version)) return;
  const detail = `its package.json says that it is ${folder.name}@${folder.version}`;
  throw new SignalboxError('package_invalid', { package: spec.text, detail });
}

function entryOf(place: string): {
  readonly package: string;
  readonly as: object;
  readonly partial: false;
} & {
  readonly as: Readonly<Record<string, string>>;
} {
  return { package: place, as: {}, partial: false };
}
