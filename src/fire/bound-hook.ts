import { createBridge } from '../../host/bridges.ts';
import { covers } from '../../sdk/capabilities.ts';
import type { SignalboxError } from '../../sdk/errors.ts';
import { failPolicyOf } from '../../sdk/manifest.ts';
import { POINT_NAMES, POINTS, type Point } from '../../sdk/points.ts';
import type { ChainHook, Failure } from '../chain/call.ts';
import { orderChain, type Orderable } from '../chain/order.ts';
import type { HookEntry } from '../packages/catalog.ts';
import type { Context } from '../verdict.ts';
import { frameInput, type InputFrame } from './run-input.ts';

/** A hook at one of its points, with everything that is the same for each of its runs there. */
export interface BoundHook extends ChainHook, Orderable {
  readonly entry: HookEntry;
  readonly point: Point;
  readonly frame: InputFrame;
  /** Whether it is given the content fields of the point. */
  readonly isReader: boolean;
  /** Bridge operations that its grants give. */
  readonly ops: readonly string[];
  /** Why every call of it fails. */
  readonly failure?: Failure;
}

/** The hooks of a point in the order they run. */
export interface PointChain {
  readonly point: Point;
  readonly enforced: readonly BoundHook[];
  readonly shadow: readonly BoundHook[];
  readonly isEmpty: boolean;
  /** Whether any hook runs for some calls only. */
  readonly isConditional: boolean;
}

/** The chains of all points. */
export interface Chains {
  readonly of: (point: Point) => PointChain;
  /** What in the order of hooks had to give way. */
  readonly warnings: readonly SignalboxError[];
}

/** Binds hooks to their points and orders each chain, once. `failureOf` says why a hook cannot run, if so. */
export function bindHooks(
  entries: readonly HookEntry[],
  order: readonly string[],
  failureOf: (entry: HookEntry) => Failure | undefined,
): Chains {
  const warnings: SignalboxError[] = [];
  const chains = new Map<Point, PointChain>();
  for (const point of POINT_NAMES) {
    const bound = entries
      .filter((entry) => entry.manifest.points.includes(point))
      .map((entry) => bind(entry, point, failureOf(entry)));
    const enforced = orderChain(
      bound.filter(({ entry }) => entry.mode === 'enforce'),
      order,
    );
    const shadow = orderChain(
      bound.filter(({ entry }) => entry.mode === 'shadow'),
      order,
    );
    warnings.push(...enforced.warnings);
    const isConditional = bound.some(({ entry }) => entry.manifest.when !== undefined);
    const isEmpty = bound.length === 0;
    chains.set(point, {
      point,
      enforced: enforced.hooks,
      shadow: shadow.hooks,
      isEmpty,
      isConditional,
    });
  }
  // The map has every point.
  return { of: (point) => chains.get(point) as PointChain, warnings: distinct(warnings) };
}

function bind(entry: HookEntry, point: Point, failure: Failure | undefined): BoundHook {
  const { manifest, granted } = entry;
  const { reads } = POINTS[point];
  const { ops } = createBridge({
    granted,
    declared: manifest.capabilities,
    ports: {},
    mode: 'live',
  });
  return {
    entry,
    point,
    name: entry.name,
    priority: entry.priority,
    registration: entry.registration,
    inputs: manifest.inputs ?? [],
    outputs: manifest.outputs ?? [],
    granted,
    failPolicy: failPolicyOf(point, manifest, entry.failPolicy),
    frame: frameInput(entry.name, point),
    isReader: reads === null || covers(granted, reads),
    ops,
    ...(failure !== undefined && { failure }),
  };
}

/** The same two hooks may meet at several points. */
function distinct(warnings: readonly SignalboxError[]): SignalboxError[] {
  return [...new Map(warnings.map((warning) => [warning.message, warning])).values()];
}

/** The hooks that run for a call: those without a condition and those whose condition holds. */
export function applicable(
  { enforced, shadow, isConditional }: PointChain,
  context: Context,
): Pick<PointChain, 'enforced' | 'shadow'> {
  if (!isConditional) return { enforced, shadow };
  const holds = ({ entry }: BoundHook): boolean => meets(context, entry.manifest.when);
  return { enforced: enforced.filter(holds), shadow: shadow.filter(holds) };
}

function meets(context: Context, when: HookEntry['manifest']['when']): boolean {
  const { users, sessions, agents } = when ?? {};
  const { caller, sessionId, agent } = context;
  return (
    isListed([caller?.userId], users) &&
    isListed([sessionId], sessions) &&
    isListed([agent?.id, agent?.template], agents)
  );
}

function isListed(
  names: readonly (string | undefined)[],
  list: readonly string[] | undefined,
): boolean {
  return list === undefined || names.some((name) => name !== undefined && list.includes(name));
}
