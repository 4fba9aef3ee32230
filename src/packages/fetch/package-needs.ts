import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import npa from 'npm-package-arg';
import semver from 'semver';
import { SignalboxError } from '../../../sdk/errors.ts';
import { printable } from '../../config/printable.ts';
import { readVersion } from '../../version.ts';
import { MISSING_KIND } from './fetch-error.ts';

/** A package that another needs, by the name under which it imports it. */
export interface Need {
  readonly name: string;
  readonly range: string;
}

/** A need that a registry can meet; `published` is another name where `name` is an alias. */
export interface ReadNeed extends Need {
  readonly published: string;
}

/** What a package needs, by name. */
export interface Needs {
  readonly required: readonly Need[];
  /** What is taken where it is to be had and fits the machine. */
  readonly optional: readonly Need[];
}

/** What the package in a folder needs beside what it brings. The sdk that fits is the host's own; optional peers are nobody's to fetch. */
export async function readNeeds(folder: string): Promise<Needs> {
  // The sdk is published as one with this program.
  const own = readVersion();
  const text = await readFile(join(folder, 'package.json'), 'utf8');
  const manifest = JSON.parse(text.replace(/^\ufeff/, '')) as Readonly<Record<string, unknown>>;
  const optional = objectAt(manifest, 'optionalDependencies');
  const peers = Object.entries(objectAt(manifest, 'peerDependencies')).filter(
    ([name]) => !isOptionalPeer(manifest, name),
  );
  const required = { ...Object.fromEntries(peers), ...objectAt(manifest, 'dependencies') };
  const bundled = manifest['bundleDependencies'] ?? manifest['bundledDependencies'] ?? [];
  const isBrought = (name: string): boolean => Array.isArray(bundled) && bundled.includes(name);
  const needsOf = (map: Readonly<Record<string, unknown>>): readonly Need[] =>
    Object.entries(map)
      .map(([name, range]) => ({ name, range: String(range) }))
      .filter(({ name, range }) => !(name === SDK && semver.satisfies(own, range)))
      .filter(({ name }) => !isBrought(name))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  return {
    // What stands in both lists is optional, as npm reads them.
    required: needsOf(required).filter(({ name }) => !Object.hasOwn(optional, name)),
    optional: needsOf(optional),
  };
}

/** Only registries are asked: a path would be one of this machine, and a repository has no version to pin. Throws `package_fetch`. */
export function readNeed({ name, range }: Need): ReadNeed {
  const parsed = parseNeed(name, range);
  const real = parsed?.type === 'alias' ? (parsed as npa.AliasResult).subSpec : parsed;
  if (real?.registry !== true || real.name === null || real.name === undefined) {
    const detail = `it depends on "${printable(name, 80)}" by "${printable(range, 80)}", which no registry has`;
    const data = { package: printable(name, 200), detail, kind: MISSING_KIND };
    throw new SignalboxError('package_fetch', data);
  }
  const isPlain = real.rawSpec === '' || real.rawSpec === '*';
  return { name, range: isPlain ? '*' : real.rawSpec, published: real.name };
}

const SDK = '@signalbox/sdk';

function isOptionalPeer(manifest: Readonly<Record<string, unknown>>, name: string): boolean {
  const meta = objectAt(manifest, 'peerDependenciesMeta');
  if (!Object.hasOwn(meta, name)) return false;
  return (meta[name] as { readonly optional?: unknown } | null)?.optional === true;
}

function objectAt(
  manifest: Readonly<Record<string, unknown>>,
  key: string,
): Record<string, unknown> {
  const value = manifest[key];
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

function parseNeed(name: string, range: string): npa.Result | undefined {
  try {
    return npa.resolve(name, range);
  } catch {
    return undefined;
  }
}
