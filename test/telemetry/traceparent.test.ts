import { expect, test } from 'vitest';
import { isTracing } from '../../src/telemetry/settings.ts';
import { readTraceparent } from '../../src/telemetry/traceparent.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

test('a traceparent says trace, span and flags', () => {
  const origin = { traceId: TRACE, spanId: SPAN, traceFlags: 1 };
  expect(readTraceparent(`00-${TRACE}-${SPAN}-01`)).toEqual(origin);
  expect(readTraceparent(`01-${TRACE}-${SPAN}-01-of-later`)).toEqual(origin);
});

test.each([
  undefined,
  '',
  `ff-${TRACE}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}-01-more`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}`,
  `01-${TRACE}-${SPAN}-01-${'x'.repeat(600)}`,
])('%s is none', (text) => {
  expect(readTraceparent(text)).toBeUndefined();
});

test('traces are off until somebody names a receiver or turns them on', () => {
  expect(isTracing({ ratio: 1 }, {})).toBe(false);
  expect(isTracing({ ratio: 1, traces: true }, {})).toBe(true);
  expect(isTracing({ ratio: 1, endpoint: 'http://c:4318' }, {})).toBe(true);
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318' };
  expect(isTracing({ ratio: 1 }, env)).toBe(true);
  expect(isTracing({ ratio: 1, traces: false }, env)).toBe(false);
  expect(isTracing({ ratio: 1, traces: true }, { ...env, OTEL_SDK_DISABLED: 'true' })).toBe(false);
});
