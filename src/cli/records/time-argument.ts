import { InvalidArgumentError } from 'commander';

const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** Milliseconds since 1970 of a date, a time in ISO 8601, or a span before now such as `15m`, `24h` or `7d`. */
export function parseTime(text: string, now = Date.now()): number {
  const [, amount, unit] = /^(\d{1,6})([smhdw])$/.exec(text) ?? [];
  // The pattern admits the units alone.
  if (amount !== undefined) return now - Number(amount) * UNIT_MS[unit as keyof typeof UNIT_MS];
  const time = /^\d{4}-\d{2}/.test(text) ? Date.parse(text) : NaN;
  if (!Number.isNaN(time)) return time;
  throw new InvalidArgumentError(
    'It must be a time such as 2026-11-30 or 2026-11-30T08:00:00Z, or a span such as 15m, 24h or 7d.',
  );
}
