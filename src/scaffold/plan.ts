import { CAPABILITIES, parseCapability } from '../../sdk/capabilities.ts';
import type { Action } from '../../sdk/decisions.ts';
import { SignalboxError } from '../../sdk/errors.ts';
import { CONTRACT_NAMES, type Manifest } from '../../sdk/manifest.ts';
import { isPoint, POINT_NAMES, POINTS, type Point } from '../../sdk/points.ts';
import { suggestion } from '../config/nearest.ts';
import { packageKind } from '../config/package-kind.ts';
import { printable } from '../config/printable.ts';
import { CONTRACT_SHAPES, nativeName, type OtherContract } from './contract-shapes.ts';

/** What is asked for. */
export interface ScaffoldWish {
  readonly name: string;
  readonly points?: readonly string[];
  readonly capabilities?: readonly string[];
  readonly contract?: string;
}

/** A point of a new hook. */
export interface PlannedPoint {
  readonly point: Point;
  /** Its name in the contract of the hook. */
  readonly native: string;
  /** What comes of a payload that has the word. */
  readonly action: Action;
  /** The part of the module for it; empty in our own contract, where one function has all points. */
  readonly code: string;
}

/** A hook to be written. */
export interface ScaffoldPlan {
  /** The name of its package. */
  readonly packageName: string;
  /** Where the package goes: its name without the scope. */
  readonly folder: string;
  /** Its own name: that of the folder, as its contract spells names. */
  readonly hook: string;
  readonly contract: Manifest['contract'];
  readonly points: readonly PlannedPoint[];
  readonly capabilities: readonly string[];
  /** Whether it acts anywhere; else it only looks on. */
  readonly isGate: boolean;
}

/** Reads a wish. Throws `usage` with what to write instead. */
export function planScaffold(wish: ScaffoldWish): ScaffoldPlan {
  const { name, capabilities } = wish;
  const contract = readContract(wish.contract ?? 'signalbox');
  const hook = readName(name, contract);
  const bound = (wish.points ?? [defaultPoint(contract)]).map(readPoint);
  if (bound.length === 0) throw unfit('a hook needs a point');
  const held = capabilities?.map(readCapability);
  const points =
    contract === 'signalbox' ? ownPoints(bound, held) : contractPoints(contract, bound, held);
  const isGate = points.some(({ action }) => action !== 'allow');
  return {
    packageName: name,
    folder: withoutScope(name),
    hook,
    contract,
    points,
    capabilities: held ?? capabilitiesFor(points),
    isGate,
  };
}

/** In our own contract one function sees all points: it blocks where every one of them can be blocked. */
function ownPoints(bound: readonly Point[], held: readonly string[] | undefined): PlannedPoint[] {
  const isGate = bound.every(
    (point) => POINTS[point].decisions.includes('block') && acts(point, held),
  );
  const action = isGate ? 'block' : 'allow';
  return bound.map((point) => ({ point, native: point, action, code: '' }));
}

function contractPoints(
  contract: OtherContract,
  bound: readonly Point[],
  held: readonly string[] | undefined,
): PlannedPoint[] {
  const { isSingle, part } = CONTRACT_SHAPES[contract];
  if (isSingle === true && bound.length > 1) {
    throw unfit(`a hook of the contract "${contract}" is bound to one point`);
  }
  return bound.map((point) => {
    const native = nativeName(contract, point);
    if (native === undefined) {
      const known = POINT_NAMES.filter((name) => nativeName(contract, name) !== undefined);
      throw unfit(`the contract "${contract}" has no ${point}; it has ${known.join(', ')}`);
    }
    return { point, native, ...part(native, point, acts(point, held)) };
  });
}

/** Whether a hook may act at a point, with what it needs or with what it is to have. */
function acts(point: Point, held: readonly string[] | undefined): boolean {
  const { gates, reads } = POINTS[point];
  return [gates, reads].every((name) => name === null || held === undefined || held.includes(name));
}

/** What a hook needs to read where it runs, and to act where it acts. */
function capabilitiesFor(points: readonly PlannedPoint[]): string[] {
  const needed = points.flatMap(({ point, action }) => {
    const { reads, gates } = POINTS[point];
    return action === 'allow' ? [reads] : [reads, gates];
  });
  return [...new Set(needed.filter((name) => name !== null))];
}

function defaultPoint(contract: Manifest['contract']): Point {
  return contract === 'standard-agents' ? 'preContext' : 'preToolUse';
}

function withoutScope(name: string): string {
  return name.replace(/^@[^/]*\//, '');
}

function readName(name: string, contract: Manifest['contract']): string {
  const hook = withoutScope(name);
  if (packageKind(name) !== 'name' || name.length > 100 || !/^[a-z0-9]/.test(hook)) {
    const better = name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '');
    const hint = better === '' ? '' : `, such as "${better.slice(0, 60)}"`;
    throw unfit(
      `"${printable(name, 80)}" is no name for npm: take lower-case letters, digits and "-"${hint}`,
    );
  }
  if (contract !== 'standard-agents') return hook;
  const id = hook.replace(/[-._~]+/g, '_').replace(/_+$/, '');
  if (/^[a-z]/.test(id)) return id;
  throw unfit(`"${printable(hook, 80)}" is no id of Standard Agents: begin with a letter`);
}

function readContract(text: string): Manifest['contract'] {
  const found = CONTRACT_NAMES.find((name) => name === text);
  if (found !== undefined) return found;
  const hint = suggestion(text, CONTRACT_NAMES);
  throw unfit(
    `there is no contract "${printable(text, 80)}"${hint === '' ? `; there are ${CONTRACT_NAMES.join(', ')}` : hint}`,
  );
}

function readPoint(text: string): Point {
  if (isPoint(text)) return text;
  throw unfit(`there is no point "${printable(text, 80)}"${suggestion(text, POINT_NAMES)}`);
}

function readCapability(text: string): string {
  if (parseCapability(text) !== undefined) return text;
  const known = Object.keys(CAPABILITIES);
  throw unfit(`there is no capability "${printable(text, 80)}"${suggestion(text, known)}`);
}

function unfit(detail: string): SignalboxError {
  return new SignalboxError('usage', { detail });
}
