import { expect, test } from 'vitest';
import { parseTime } from '../../src/cli/records/time-argument.ts';

const NOW = Date.UTC(2026, 10, 30, 12);

test.each([
  ['15m', NOW - 900_000],
  ['24h', NOW - 86_400_000],
  ['7d', NOW - 604_800_000],
  ['2026-11-30', Date.UTC(2026, 10, 30)],
  ['2026-11-30T08:00:00Z', Date.UTC(2026, 10, 30, 8)],
])('a time may be written as %s', (text, expected) => {
  expect(parseTime(text, NOW)).toBe(expected);
});

test.each(['', '5', 'h', '-1h', 'yesterday', '2026-13-40', '1e9d', '9999999d'])(
  'a time that cannot be is refused: "%s"',
  (text) => {
    expect(() => parseTime(text, NOW)).toThrow(/It must be a time/);
  },
);
