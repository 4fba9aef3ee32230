import { createHash } from 'node:crypto';
import type { Point } from '../../sdk/points.ts';
import type { Payload } from '../chain/call.ts';

/** JSON text that is the same for equal values: keys in code-unit order, no spaces, what JSON has no form for left out. */
export function canonicalText(value: unknown): string {
  // The round trip applies JSON's own rules: toJSON, undefined, -0.
  return write(JSON.parse(JSON.stringify(value) ?? 'null'));
}

/**
 * The hash of exactly what will run: of a tool call its name and arguments, else the payload without what the host
 * itself puts in. Written in another order of keys, or with other escapes, it is the same.
 */
export function hashOf(point: Point, payload: Payload): string {
  const { timestamp: _t, requestId: _r, ...rest } = payload;
  const { toolName, args } = payload;
  const bound = point === 'preToolUse' ? { toolName, args: args ?? {} } : { payload: rest };
  return digestOf({ point, ...bound });
}

/** SHA-256 of a value's canonical text. */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(canonicalText(value)).digest('hex');
}

function write(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${write(field)}`).join(',')}}`;
}
