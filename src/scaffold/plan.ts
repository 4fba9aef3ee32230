import { CAPABILITIES, parseCapability } from '../../sdk/capabilities.ts';
import { SignalboxError } from '../../sdk/errors.ts';
import { isPoint, POINT_NAMES, POINTS, type Point } from '../../sdk/points.ts';
import { suggestion } from '../config/nearest.ts';
import { packageKind } from '../config/package-kind.ts';
import { printable } from '../config/printable.ts';

/** What is asked for. */
export interface ScaffoldWish {
  readonly name: string;
  readonly points?: readonly string[];
  readonly capabilities?: readonly string[];
}

/** A hook to be written. */
export interface ScaffoldPlan {
  /** The name of its package. */
  readonly packageName: string;
  /** Its own name: that of the package without the scope. */
  readonly hook: string;
  readonly points: readonly Point[];
  readonly capabilities: readonly string[];
  /** Whether it may block wherever it runs; else it only looks on. */
  readonly isGate: boolean;
}

/** Reads a wish. Throws `usage` with what to write instead. */
export function planScaffold({ name, points, capabilities }: ScaffoldWish): ScaffoldPlan {
  const hook = name.replace(/^@[^/]*\//, '');
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
  const bound = (points ?? ['preToolUse']).map(readPoint);
  if (bound.length === 0) throw unfit('a hook needs a point');
  const held = capabilities?.map(readCapability) ?? capabilitiesFor(bound);
  const has = (capability: string | null): boolean =>
    capability === null || held.includes(capability);
  const isGate = bound.every((point) => {
    const { decisions, gates, reads } = POINTS[point];
    return decisions.includes('block') && has(gates) && has(reads);
  });
  return { packageName: name, hook, points: bound, capabilities: held, isGate };
}

/** What a hook needs to read and to act wherever it runs; where it cannot block at one point, only what it needs to read. */
function capabilitiesFor(points: readonly Point[]): string[] {
  const canBlock = points.every((point) => POINTS[point].decisions.includes('block'));
  const needed = points.flatMap((point) => {
    const { reads, gates } = POINTS[point];
    return canBlock ? [reads, gates] : [reads];
  });
  return [...new Set(needed.filter((name) => name !== null))];
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
