import { SignalboxError } from '../../sdk/errors.ts';
import { isPoint, POINT_NAMES, type Point } from '../../sdk/points.ts';
import { nearest } from '../config/nearest.ts';
import { printable } from '../config/printable.ts';

/** The point of a name. Throws `point_unknown`. */
export function pointOf(name: string): Point {
  if (isPoint(name)) return name;
  throw new SignalboxError('point_unknown', {
    point: printable(name, 80),
    nearest: nearest(name, POINT_NAMES) ?? '',
  });
}
