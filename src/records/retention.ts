import { SignalboxError } from '../../sdk/errors.ts';
import type { RuntimeConfig } from '../config/runtime-config.ts';
import type { PruneLimits, Records } from './records.ts';

/** How long records are kept. */
export type Retention = Pick<RuntimeConfig['records'], 'retentionDays' | 'maxRows' | 'payloads'>;

/** What applies it again and again. */
export interface RetentionParts {
  readonly retention: Retention;
  readonly records: Pick<Records, 'prune'>;
  /** Hears that it could not be applied; it is tried again. */
  readonly onProblem: (error: SignalboxError) => void;
  /** One hour. */
  readonly everyMs?: number;
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** What is to be deleted at a time; `undefined` where everything is kept. */
export function pruneLimits(
  { retentionDays, maxRows, payloads }: Retention,
  now: number,
): PruneLimits | undefined {
  if (retentionDays === null && maxRows === null && payloads === undefined) return undefined;
  const before = (days: number): number => now - days * DAY_MS;
  return {
    before: retentionDays === null ? undefined : before(retentionDays),
    maxRows: maxRows ?? undefined,
    payloadsBefore: payloads === undefined ? undefined : before(payloads.retentionDays),
  };
}

/** Deletes what is too old or too much, now and every hour. Returns what ends it, once nothing is deleted any more. */
export function startRetention(parts: RetentionParts): () => Promise<void> {
  const { retention, everyMs = HOUR_MS } = parts;
  const ended = new AbortController();
  const apply = (): Promise<void> => applyRetention(parts, ended.signal);
  if (pruneLimits(retention, 0) === undefined) return () => Promise.resolve();
  let running = apply();
  const timer = setInterval(() => {
    running = running.then(apply);
  }, everyMs).unref();
  return async () => {
    clearInterval(timer);
    ended.abort();
    await running;
  };
}

async function applyRetention(
  { retention, records, onProblem }: RetentionParts,
  signal: AbortSignal,
): Promise<void> {
  const limits = pruneLimits(retention, Date.now());
  if (limits === undefined || signal.aborted) return;
  try {
    await records.prune({ ...limits, signal });
  } catch {
    onProblem(new SignalboxError('database', { detail: 'forget old records' }));
  }
}
