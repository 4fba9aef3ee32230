import type { TracerProvider } from '@opentelemetry/api';
import type { Approvals } from './approvals/approval.ts';
import type { LiveFault } from './chaos/live-faults.ts';
import { createCoverageCounter, type CoverageCounter } from './coverage/coverage.ts';
import { createMaskedFailures, type MaskedFailures } from './coverage/masked-failures.ts';
import { createFeed, type Feed } from './feed/feed.ts';
import { createFireObservers, type FireObservers } from './fire/observer.ts';
import { takeInventory } from './inventory.ts';
import type { Log } from './log.ts';
import { openMetrics, type Metrics } from './metrics/metrics.ts';
import type { Editions } from './reload/editions.ts';
import { openTelemetry } from './telemetry/telemetry.ts';
import type { TelemetrySettings } from './telemetry/settings.ts';

/** Everything that looks on while hooks decide. The maker closes it. */
export interface Onlookers {
  readonly observers: FireObservers;
  readonly feed: Feed;
  readonly metrics: Metrics;
  readonly coverage: CoverageCounter;
  readonly masked: MaskedFailures;
  close(): Promise<void>;
}

/** What onlookers are opened with. */
export interface OnlookerParts {
  readonly telemetry: TelemetrySettings;
  readonly tracerProvider: TracerProvider | undefined;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly approvals: Pick<Approvals, 'list'>;
  readonly reloads: () => Readonly<Record<string, number>>;
  readonly fault: () => LiveFault | undefined;
  /** Asked when somebody looks, never at the start. */
  readonly editions: () => Editions;
}

/** Opens the feed, the counters and, where it is asked for, telemetry. */
export async function openOnlookers(parts: OnlookerParts): Promise<Onlookers> {
  const { log, now, approvals, editions } = parts;
  const observers = createFireObservers();
  const feed = createFeed(now);
  const coverage = createCoverageCounter();
  const masked = createMaskedFailures(now);
  const metrics = openMetrics({
    reloads: parts.reloads,
    inventory: () => takeInventory(editions().current, masked.ofLate(), parts.fault()),
    processes: () =>
      editions()
        .hosts()
        .flatMap((host) => host.processes()),
    loads: () =>
      editions()
        .hosts()
        .flatMap((host) => host.loads()),
    async approvalsWaiting() {
      const pending = await approvals.list({ status: 'pending' });
      // Those whose time is up are still among them.
      return pending.filter(({ status }) => status === 'pending').length;
    },
  });
  const telemetry = await openTelemetry({
    settings: parts.telemetry,
    provider: parts.tracerProvider,
    log,
    now,
  });
  for (const each of [feed, metrics, coverage, masked, telemetry]) {
    if (each !== undefined) observers.add(each.observer);
  }
  return { observers, feed, metrics, coverage, masked, close: async () => telemetry?.close() };
}
