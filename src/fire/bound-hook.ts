import { opsOf } from '../../host/bridges.ts';
import { covers } from '../../sdk/capabilities.ts';
import type { HandlerEntry } from '../../sdk/contracts/adapter.ts';
import type { SignalboxError } from '../../sdk/errors.ts';
import { failPolicyOf } from '../../sdk/manifest.ts';
import { POINT_NAMES, POINTS, type Point } from '../../sdk/points.ts';
import type { ChainHook, Failure } from '../chain/call.ts';
import { orderChain, type Orderable } from '../chain/order.ts';
import type { HookEntry } from '../packages/catalog.ts';
import type { Context } from '../verdict.ts';
import type { Scope } from './scope.ts';
import { frameInput, type InputFrame } from './run-input.ts';

/** A hook at one of its points, with everything that is the same for each of its runs there. */
export interface BoundHook extends ChainHook, Orderable {
  readonly entry: HookEntry;
  readonly point: Point;
  readonly frame: InputFrame;
  /** Whether it is given the content fields of the point. */
  readonly isReader: boolean;
  /** Whether it is told the stored messages too: they are part of its contract's context. */
  readonly isToldHistory: boolean;
  /** Its package as the use counts name it: `name@version`, or `local`. */
  readonly owner: string;
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
  /** What contracts say of the hooks for each call. */
  readonly scopes: readonly Scope[];
}

/** The chains of all points. */
export interface Chains {
  readonly of: (point: Point) => PointChain;
  /** What in the order of hooks had to give way. */
  readonly warnings: readonly SignalboxError[];
}

/** What chains are made from. */
export interface Binding {
  readonly entries: readonly HookEntry[];
  /** `hooks.order`: the name of a hook stands for all of its handlers. */
  readonly order: readonly string[];
  /** Why a hook cannot run, if so. */
  readonly failureOf: (entry: HookEntry) => Failure | undefined;
  readonly scopes?: readonly Scope[];
  /** By hook, what its module registered. */
  readonly handlers: ReadonlyMap<string, readonly HandlerEntry[]>;
}

/** Binds hooks to their points and orders each chain, once. A registered handler is an entry `<hook>/<name>` of its own. */
export function bindHooks(binding: Binding): Chains {
  const { entries, order, failureOf, handlers } = binding;
  const warnings: SignalboxError[] = [];
  const chains = new Map<Point, PointChain>();
  for (const point of POINT_NAMES) {
    const bound = entries
      .filter((entry) => entry.manifest.points.includes(point))
      .flatMap((entry) => bindAll({ entry, point, failure: failureOf(entry), handlers }));
    const enforced = orderChain(
      bound.filter(({ entry }) => entry.mode === 'enforce'),
      handlerOrder(order, bound),
    );
    const shadow = orderChain(
      bound.filter(({ entry }) => entry.mode === 'shadow'),
      handlerOrder(order, bound),
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
      scopes: (binding.scopes ?? []).filter((scope) =>
        bound.some(({ entry }) => scope.concerns(entry)),
      ),
    });
  }
  // The map has every point.
  return { of: (point) => chains.get(point) as PointChain, warnings: distinct(warnings) };
}

interface EntryAtPoint {
  readonly entry: HookEntry;
  readonly point: Point;
  readonly failure: Failure | undefined;
  readonly handlers: Binding['handlers'];
}

/** The entries of a hook at a point: one, or one for each handler that it registered there. */
function bindAll({ entry, point, failure, handlers }: EntryAtPoint): BoundHook[] {
  const hook = bind(entry, point, failure);
  const registered = handlers.get(entry.name);
  if (registered === undefined) return [hook];
  // What an operator says of the hook's priority moves all of its handlers.
  const shift = entry.priority - entry.manifest.priority;
  return registered
    .filter((handler) => handler.point === point)
    .map(({ name, priority = entry.manifest.priority }, index) => ({
      ...hook,
      name: name === '' ? entry.name : `${entry.name}/${name}`,
      priority: priority + shift,
      registration: entry.registration + index / registered.length,
      frame: frameInput(entry.name, point, name === '' ? undefined : name),
    }));
}

/** `hooks.order` with the names of handlers in place of their hooks', each hook's own in the order they run. */
function handlerOrder(order: readonly string[], bound: readonly BoundHook[]): string[] {
  const sorted = orderChain(bound, []).hooks;
  return order.flatMap((name) => {
    const mine = sorted.filter((hook) => hook.entry.name === name);
    return mine.length === 0 ? [name] : mine.map((hook) => hook.name);
  });
}

function bind(entry: HookEntry, point: Point, failure: Failure | undefined): BoundHook {
  const { manifest, granted, origin } = entry;
  const { reads } = POINTS[point];
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
    isToldHistory: manifest.contract === 'standard-agents' && covers(granted, 'reads_context'),
    owner: origin.kind === 'local' ? 'local' : `${origin.name}@${origin.version}`,
    ops: opsOf(granted),
    ...(failure !== undefined && { failure }),
  };
}

/** The same two hooks may meet at several points. */
function distinct(warnings: readonly SignalboxError[]): SignalboxError[] {
  return [...new Map(warnings.map((warning) => [warning.message, warning])).values()];
}

/** A chain without the handlers that a module registered: it has run them for its own event already. */
export function withoutHandlersOf(chain: PointChain, hook: string): PointChain {
  const isOther = ({ entry, name }: BoundHook): boolean =>
    entry.name !== hook || name === entry.name;
  return {
    ...chain,
    enforced: chain.enforced.filter(isOther),
    shadow: chain.shadow.filter(isOther),
  };
}

/** The hooks that run for a call: those without a condition and those whose condition holds. */
export function applicable(
  { enforced, shadow, isConditional, scopes }: PointChain,
  context: Context,
): Pick<PointChain, 'enforced' | 'shadow'> {
  if (!isConditional && scopes.length === 0) return { enforced, shadow };
  const narrow = (hooks: readonly BoundHook[]): readonly BoundHook[] =>
    scopes.reduce<readonly BoundHook[]>(
      (left, scope) => scope.narrow(left, context),
      hooks.filter(({ entry }) => meets(context, entry.manifest.when)),
    );
  return { enforced: narrow(enforced), shadow: narrow(shadow) };
}

function meets(context: Context, when: HookEntry['manifest']['when']): boolean {
  const { users, sessions, agents, templates } = when ?? {};
  const { caller, sessionId, agent } = context;
  return (
    isListed([caller?.userId], users) &&
    isListed([sessionId], sessions) &&
    isListed([agent?.id, agent?.template], agents) &&
    isListed([agent?.template], templates)
  );
}

function isListed(
  names: readonly (string | undefined)[],
  list: readonly string[] | undefined,
): boolean {
  return list === undefined || names.some((name) => name !== undefined && list.includes(name));
}
