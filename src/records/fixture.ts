import { FAILURES, SignalboxError } from '../../sdk/errors.ts';
import { isPoint, POINTS, type Point } from '../../sdk/points.ts';
import { samplePayload } from '../testing/sample-payload.ts';
import type { Exchange } from './exchange.ts';
import type { DecisionRecord } from './record.ts';

/** A test of one hook, in the form of its fixtures. */
export interface RecordedFixture {
  readonly point: Point;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly context?: Readonly<Record<string, unknown>>;
  readonly expect: {
    readonly action: string;
    readonly reason?: string;
    readonly code?: string;
    readonly payload?: Readonly<Record<string, unknown>>;
  };
}

/**
 * Makes a fixture of what a hook once decided. What was kept of the data makes one that tests exactly that; without it
 * the payload is a sample that fits the point. Throws `request_invalid` for a point that there is no longer.
 */
export function fixtureOf(record: DecisionRecord, exchange: Exchange | undefined): RecordedFixture {
  const { point, action, code } = record;
  if (!isPoint(point)) {
    throw new SignalboxError('request_invalid', {
      detail: `there is no point "${point}" any more`,
    });
  }
  // An open failure is an allow that bears no code.
  const expected = { action, ...(isShown(code) && action !== 'allow' && { code }) };
  if (exchange === undefined) return { point, payload: sampleOf(point, record), expect: expected };
  const { payload, after, reason, context } = exchange;
  const isSaid = reason !== undefined && (action === 'block' || action === 'ask');
  return {
    point,
    payload,
    ...(context !== undefined && Object.keys(context).length > 0 && { context }),
    expect: {
      ...expected,
      ...(isSaid && { reason }),
      ...(after !== undefined && { payload: after }),
    },
  };
}

/** The exchange with samples in place of what was content; names and structure stay. */
export function shapeOf(point: string, { payload }: Exchange): Exchange {
  const content: readonly string[] = isPoint(point) ? POINTS[point].content : Object.keys(payload);
  const fields = Object.entries(payload).map(([name, value]): [string, unknown] => [
    name,
    content.includes(name) ? shape(value) : value,
  ]);
  return { payload: Object.fromEntries(fields) };
}

function shape(value: unknown): unknown {
  if (typeof value === 'string') return SAMPLE_TEXT;
  if (typeof value === 'number') return 0;
  if (typeof value === 'boolean') return false;
  if (Array.isArray(value)) return value.map(shape);
  if (typeof value !== 'object' || value === null) return null;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shape(inner)]));
}

const SAMPLE_TEXT = 'a sample';

function sampleOf(point: Point, { toolCallId }: DecisionRecord): Record<string, unknown> {
  const sample = samplePayload(point, { text: SAMPLE_TEXT, open: SAMPLE_TEXT, isFull: false });
  const hasCall = POINTS[point].payload.properties?.['toolCallId'] !== undefined;
  return { ...sample, ...(hasCall && toolCallId !== undefined && { toolCallId }) };
}

/** Codes that a test of the hook alone brings about again. */
function isShown(code: string | undefined): code is string {
  return (
    code !== undefined && code !== 'shadow' && (Object.hasOwn(FAILURES, code) || code === 'schema')
  );
}
