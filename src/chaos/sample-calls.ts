import { SignalboxError } from '../../sdk/errors.ts';
import type { Point } from '../../sdk/points.ts';
import { nearest } from '../config/nearest.ts';
import type { RuntimeConfig } from '../config/runtime-config.ts';
import type { Runtime } from '../runtime.ts';
import { findFixtures, type Fixture } from '../testing/fixtures.ts';
import { samplePayload } from '../testing/sample-payload.ts';

/** A call to try a hook with. */
export type SampleCall = Pick<Fixture, 'point' | 'payload' | 'context'>;

/** Calls of each point, at least one: those of the hook's fixtures, or a sample that fits the point. */
export async function sampleCalls(
  config: RuntimeConfig,
  hook: string,
): Promise<(point: Point) => readonly [SampleCall, ...SampleCall[]]> {
  const files = await findFixtures(config, hook);
  // What is wrong with the others is told by testing them.
  const read = await Promise.allSettled(files.map((file) => file.read()));
  const fixtures = read.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  return (point) => {
    const [first, ...rest] = fixtures.filter((fixture) => fixture.point === point);
    const sample = { point, payload: samplePayload(point, SAMPLE) };
    return first === undefined ? [sample] : [first, ...rest];
  };
}

const SAMPLE = { text: 'a sample', open: 'a sample', isFull: true };

/** The points of a hook, in the order of its manifest. Throws `hook_unknown`. */
export function pointsOf(runtime: Pick<Runtime, 'inventory'>, hook: string): readonly Point[] {
  const { hooks } = runtime.inventory();
  const row = hooks.find((one) => one.hook === hook);
  if (row !== undefined) return row.points.map(({ point }) => point);
  const names = hooks.map((one) => one.hook);
  throw new SignalboxError('hook_unknown', { hook, nearest: nearest(hook, names) ?? '' });
}
