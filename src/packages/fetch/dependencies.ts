import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import semver from 'semver';
import { SignalboxError } from '../../../sdk/errors.ts';
import { printable } from '../../config/printable.ts';
import { refuseNativeAddons } from '../install/native-addons.ts';
import type { LockedDependency } from '../lock/lock-file.ts';
import {
  addTo,
  isMet,
  placeFor,
  plantTree,
  takeOut,
  type PlacedNode,
  type TreeNode,
} from './dependency-tree.ts';
import { isMissing } from './fetch-error.ts';
import type { NpmOptions } from './npm-options.ts';
import { readNeed, readNeeds, type Need, type ReadNeed } from './package-needs.ts';
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

/** What was fetched so far, and what is still to be tried. */
interface Growth {
  readonly root: string;
  readonly fetch: DependencyFetch;
  readonly taken: ReadonlyMap<PlacedNode, LockedDependency>;
  readonly optional: readonly Wish[];
}

interface Wish {
  readonly node: TreeNode;
  readonly need: Need;
}

/**
 * Fetches what an unpacked package depends on into its own node_modules, one version as high up as it goes, as npm does.
 * Optional packages come last, each with what it needs or not at all, so that they move nothing else. No script runs. Gives
 * back what was taken, by place. Throws `package_fetch`, `package_invalid` and, where a pin is missing, `lock_mismatch`.
 */
export async function fetchDependencies(
  root: string,
  fetch: DependencyFetch,
): Promise<Dependencies> {
  let growth = await grow([plantTree()], { root, fetch, taken: new Map(), optional: [] });
  let tried = 0;
  while (growth.optional.length > 0) {
    const wishes = growth.optional;
    tried += wishes.length;
    refuseMany(tried);
    growth = { ...growth, optional: [] };
    const chosen = await settleAll(wishes.map((wish) => chooseOptional(wish, fetch)));
    for (const [index, wish] of wishes.entries()) {
      const found = chosen[index];
      if (found !== undefined) growth = await addOptional(wish, found, growth);
    }
  }
  const entries = [...growth.taken].map(([{ place }, locked]) => [place, locked] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Fetches all that packages and what they bring cannot do without. */
async function grow(nodes: readonly TreeNode[], growth: Growth): Promise<Growth> {
  const { root, fetch } = growth;
  const taken = new Map(growth.taken);
  const optional = [...growth.optional];
  let level = nodes;
  while (level.length > 0) {
    const needs = await Promise.all(
      level.map(async (node) => ({ node, ...(await readNeeds(join(root, node.place))) })),
    );
    optional.push(
      ...needs.flatMap(({ node, ...found }) => found.optional.map((need) => ({ node, need }))),
    );
    const wishes = needs.flatMap(({ node, required }) => required.map((need) => ({ node, need })));
    const placed = await placeAll(wishes, fetch);
    refuseMany(taken.size + placed.length);
    const locked = await settleAll(placed.map((item) => install(root, item, fetch)));
    for (const [index, { node }] of placed.entries()) {
      const dependency = locked[index];
      if (dependency !== undefined) taken.set(node, dependency);
    }
    level = placed.map(({ node }) => node);
  }
  return { root, fetch, taken, optional };
}

function refuseMany(count: number): void {
  if (count <= MAX_DEPENDENCIES) return;
  const detail = `it depends on more than ${MAX_DEPENDENCIES} packages`;
  throw new SignalboxError('package_invalid', { package: '', detail });
}

interface Placed {
  readonly node: PlacedNode;
  /** The package that the registry has under `node.name`; another where that is an alias. */
  readonly published: string;
  readonly pin: Pin;
}

/** Chooses versions at once, and places one after another: each sees what stands there already. */
async function placeAll(
  wishes: readonly Wish[],
  fetch: DependencyFetch,
): Promise<readonly Placed[]> {
  const open = wishes.map(({ node, need }) => ({ node, need: readNeed(need) }));
  const chosen = await settleAll(
    open.map(async ({ node, need }) => {
      if (fetch.pins !== undefined || isMet(node, need)) return undefined;
      return choose(need, fetch);
    }),
  );
  const placed: Placed[] = [];
  for (const [index, { node, need }] of open.entries()) {
    if (isMet(node, need)) continue;
    const found = chosen[index] ?? pinAt(placeFor(node, need.name).place, need, fetch.pins ?? {});
    const child = addTo(node, need.name, found.version);
    placed.push({ node: child, published: need.published, pin: found });
  }
  return placed;
}

function choose(
  { published, range }: ReadNeed,
  { options, onProgress }: DependencyFetch,
): ReturnType<typeof resolveVersion> {
  onProgress?.(`Looking for ${printable(`${published}@${range}`, 80)}`);
  return resolveVersion(published, range, options);
}

function pinAt(place: string, { name, range }: Need, pins: Dependencies): LockedDependency {
  const pin = Object.hasOwn(pins, place) ? pins[place] : undefined;
  if (pin !== undefined) return pin;
  const detail = `"${printable(`${name}@${range}`, 120)}" is not locked`;
  throw new SignalboxError('lock_mismatch', { detail });
}

interface Chosen {
  readonly need: ReadNeed;
  /** Undefined where the lock says it. */
  readonly found?: { readonly version: string } & Pin;
}

/** The version of an optional package that may be tried; none where the registry has none that fits this machine. */
async function chooseOptional({ need }: Wish, fetch: DependencyFetch): Promise<Chosen | undefined> {
  try {
    const read = readNeed(need);
    if (fetch.pins !== undefined) return { need: read };
    const { isFit, ...found } = await choose(read, fetch);
    return isFit ? { need: read, found } : undefined;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/**
 * Takes an optional package with all that it needs, or leaves everything as it was: what is not to be had or needs a
 * compiler is no error until it is imported. What was locked has to come, and what was not stays away.
 */
async function addOptional(
  { node }: Wish,
  { need, found }: Chosen,
  growth: Growth,
): Promise<Growth> {
  if (isMet(node, need)) return growth;
  const { root, fetch } = growth;
  const { pins = {} } = fetch;
  const pin = found ?? lockedFor(need, pins[placeFor(node, need.name).place]);
  if (pin === undefined) return growth;
  const child = addTo(node, need.name, pin.version);
  try {
    const locked = await install(root, { node: child, published: need.published, pin }, fetch);
    const grown = await grow([child], {
      ...growth,
      taken: new Map([...growth.taken, [child, locked]]),
    });
    for (const fresh of grown.taken.keys()) {
      if (!growth.taken.has(fresh)) await refuseNativeAddons(fresh.name, join(root, fresh.place));
    }
    return grown;
  } catch (error) {
    const isNative = error instanceof SignalboxError && error.code === 'package_bundle';
    if (found === undefined || !(isNative || isMissing(error))) throw error;
    fetch.onProgress?.(`Leaving out ${printable(`${need.published}@${need.range}`, 80)}`);
    const out = takeOut(child, (other) => growth.taken.has(other));
    await Promise.all(
      out.map(({ place }) => rm(join(root, place), { recursive: true, force: true })),
    );
    return growth;
  }
}

/** What stands at the place of an optional package may have come for another that needs it in another version. */
function lockedFor(
  { range }: ReadNeed,
  pin: LockedDependency | undefined,
): LockedDependency | undefined {
  if (pin === undefined || semver.validRange(range) === null) return pin;
  return semver.satisfies(pin.version, range, { includePrerelease: true }) ? pin : undefined;
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
