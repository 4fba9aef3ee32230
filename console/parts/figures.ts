const COUNT = new Intl.NumberFormat('en');
const CLOCK = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
const MINUTE = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' });
const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

/** A count with its thousands apart. */
export function showCount(count: number): string {
  return COUNT.format(count);
}

/** A duration in a few figures with its unit. */
export function showMs(ms: number): string {
  if (ms < 0.1) return `${Math.round(ms * 1000)} µs`;
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  return ms < 10_000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** The time of day. */
export function showClock(time: string | number): string {
  return CLOCK.format(new Date(time));
}

/** The time of day, to the minute. */
export function showMinute(time: number): string {
  return MINUTE.format(new Date(time));
}

/** Day and time. */
export function showDay(time: string | number): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? String(time) : DAY.format(date);
}

/** A value as JSON that people can read. What is unseen or turns the order of letters around is spelled out. */
export function showJson(value: unknown): string {
  if (value === undefined) return '';
  return JSON.stringify(value, null, 2).replaceAll(/[\p{Cf}\p{Zl}\p{Zp}]/gu, spellOut);
}

function spellOut(unseen: string): string {
  return `\\u{${unseen.codePointAt(0)?.toString(16)}}`;
}
