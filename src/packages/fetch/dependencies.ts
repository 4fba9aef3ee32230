import { mkdir, readFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { join } from 'node:path';
import npa from 'npm-package-arg';
import semver from 'semver';
import { SignalboxError } from '../../../sdk/errors.ts';
import { printable } from '../../config/printable.ts';
import type { LockedDependency } from '../lock/lock-file.ts';
import type { NpmOptions } from './npm-options.ts';
import { extractArchive, fetchPinned, resolveVersion, type Pin } from './registry.ts';
import { settleAll } from './settle.ts';

/** The packages below a package, by place. */
export type Dependencies = Readonly<Record<string, LockedDependency>>;

/** What dependencies are fetched with. */
export interface DependencyFetch {
  readonly options: NpmOptions;
  /** A folder for archives on their way. */
  readonly scratch: string;
  /** The versions of before: nothing else is then taken. */
  readonly pins?: Dependencies;
  readonly onProgress?: (text: string) => void;
}

/** Far above what a guard needs; each is a download. */
const MAX_DEPENDENCIES = 300;

/** A package in the tree; the root is the hook package itself. */
interface TreeNode {
  readonly place: string;
  readonly name: string;
  readonly parent?: TreeNode;
  readonly children: Map<string, TreeNode & { readonly version: string }>;
}

interface Placed {
  readonly node: TreeNode & { readonly version: string };
  /** The package that the registry has under `node.name`; another where that is an alias. */
  readonly published: string;
  readonly pin: Pin;
}

/**
 * Fetches what an unpacked package depends on into its own node_modules, one version as high up as it goes, as npm does.
 * No script runs. Gives back what was taken, by place. Throws `package_fetch`, `package_invalid` and, where a pin is
 * missing, `lock_mismatch`.
 */
export async function fetchDependencies(
  root: string,
  fetch: DependencyFetch,
): Promise<Dependencies> {
  const top: TreeNode = { place: '', name: '', children: new Map() };
  const taken: Record<string, LockedDependency> = {};
  let level: readonly TreeNode[] = [top];
  while (level.length > 0) {
    const wanted = await Promise.all(
      level.map(async (node) => ({ node, needs: await readNeeds(join(root, node.place)) })),
    );
    const placed = await placeAll(wanted, fetch);
    if (Object.keys(taken).length + placed.length > MAX_DEPENDENCIES) {
      const detail = `it depends on more than ${MAX_DEPENDENCIES} packages`;
      throw new SignalboxError('package_invalid', { package: top.name, detail });
    }
    const locked = await settleAll(placed.map((item) => install(root, item, fetch)));
    for (const [index, { node }] of placed.entries()) {
      const dependency = locked[index];
      if (dependency !== undefined) taken[node.place] = dependency;
    }
    level = placed.map(({ node }) => node);
  }
  return Object.fromEntries(Object.entries(taken).sort(([a], [b]) => (a < b ? -1 : 1)));
}

interface Need {
  readonly name: string;
  readonly range: string;
}

/** What the package in a folder cannot do without. The sdk that fits is the host's own. Optional packages are left out: a bundle that needs one says so. */
async function readNeeds(folder: string): Promise<readonly Need[]> {
  const own = await readOwnVersion();
  const text = await readFile(join(folder, 'package.json'), 'utf8');
  const manifest = JSON.parse(text.replace(/^\ufeff/, '')) as Readonly<Record<string, unknown>>;
  const optional = { ...objectAt(manifest, 'optionalDependencies') };
  for (const [name, meta] of Object.entries(objectAt(manifest, 'peerDependenciesMeta'))) {
    if ((meta as { readonly optional?: unknown } | null)?.optional === true) optional[name] = meta;
  }
  const bundled = manifest['bundleDependencies'] ?? manifest['bundledDependencies'] ?? [];
  const needs = {
    ...objectAt(manifest, 'peerDependencies'),
    ...objectAt(manifest, 'dependencies'),
  };
  return Object.entries(needs)
    .filter(([name]) => !Object.hasOwn(optional, name))
    .filter(([name]) => !(Array.isArray(bundled) && bundled.includes(name)))
    .filter(([name, range]) => name !== SDK || !semver.satisfies(own, String(range)))
    .map(([name, range]) => ({ name, range: String(range) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

const SDK = '@signalbox/sdk';

/** The version of this program, which is that of its sdk: both are published as one. */
async function readOwnVersion(): Promise<string> {
  const file = findPackageJSON('.', import.meta.url);
  if (file === undefined) return '0.0.0';
  return String(
    (JSON.parse(await readFile(file, 'utf8')) as { readonly version?: unknown }).version,
  );
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

/** Chooses versions at once, and places one after another: each sees what stands there already. */
async function placeAll(
  wanted: readonly { readonly node: TreeNode; readonly needs: readonly Need[] }[],
  fetch: DependencyFetch,
): Promise<readonly Placed[]> {
  const open = wanted.flatMap(({ node, needs }) =>
    needs.map((need) => ({ node, need: readNeed(need) })),
  );
  const chosen = await settleAll(
    open.map(async ({ node, need }) => {
      if (fetch.pins !== undefined || isMet(node, need)) return undefined;
      fetch.onProgress?.(`Looking for ${printable(`${need.published}@${need.range}`, 80)}`);
      return resolveVersion(need.published, need.range, fetch.options);
    }),
  );
  const placed: Placed[] = [];
  for (const [index, { node, need }] of open.entries()) {
    if (isMet(node, need)) continue;
    const root = rootOf(node);
    const parent = root.children.has(need.name) ? node : root;
    const place = `${parent.place}${parent.place === '' ? '' : '/'}node_modules/${need.name}`;
    const found = chosen[index] ?? pinAt(place, need, fetch.pins ?? {});
    const child = { place, name: need.name, parent, children: new Map(), version: found.version };
    parent.children.set(need.name, child);
    placed.push({ node: child, published: need.published, pin: found });
  }
  return placed;
}

interface ReadNeed extends Need {
  readonly published: string;
}

/** Only registries are asked: a path would be one of this machine, and a repository has no version to pin. */
function readNeed({ name, range }: Need): ReadNeed {
  const parsed = parseNeed(name, range);
  const real = parsed?.type === 'alias' ? (parsed as npa.AliasResult).subSpec : parsed;
  if (real?.registry !== true || real.name === null || real.name === undefined) {
    const detail = `it depends on "${printable(name, 80)}" by "${printable(range, 80)}", which no registry has`;
    throw new SignalboxError('package_fetch', { package: printable(name, 200), detail });
  }
  const isPlain = real.rawSpec === '' || real.rawSpec === '*';
  return { name, range: isPlain ? '*' : real.rawSpec, published: real.name };
}

function parseNeed(name: string, range: string): npa.Result | undefined {
  try {
    return npa.resolve(name, range);
  } catch {
    return undefined;
  }
}

/** Whether Node.js, looking upwards from a package, would find a version that fits. */
function isMet(from: TreeNode, { name, range }: Need): boolean {
  for (let node: TreeNode | undefined = from; node !== undefined; node = node.parent) {
    const child = node.children.get(name);
    if (child !== undefined)
      return semver.satisfies(child.version, range) || semver.validRange(range) === null;
  }
  return false;
}

function rootOf(node: TreeNode): TreeNode {
  return node.parent === undefined ? node : rootOf(node.parent);
}

function pinAt(place: string, { name, range }: Need, pins: Dependencies): LockedDependency {
  const pin = Object.hasOwn(pins, place) ? pins[place] : undefined;
  if (pin !== undefined) return pin;
  const detail = `"${printable(`${name}@${range}`, 120)}" is not locked`;
  throw new SignalboxError('lock_mismatch', { detail });
}

async function install(
  root: string,
  { node, published, pin }: Placed,
  { options, scratch, onProgress }: DependencyFetch,
): Promise<LockedDependency> {
  onProgress?.(`Fetching ${printable(`${published}@${node.version}`, 80)}`);
  const fetched = await fetchPinned(published, node.version, { options, pin });
  const folder = join(root, node.place);
  await mkdir(folder, { recursive: true });
  await extractArchive(fetched, folder, scratch);
  const { version } = node;
  const resolved = pin.resolved ?? fetched.resolved;
  return { version, ...(resolved !== undefined && { resolved }), integrity: fetched.integrity };
}
