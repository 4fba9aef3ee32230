import type { TracerProvider } from '@opentelemetry/api';
import { readVersion } from '../version.ts';
import type { FireObserver } from '../fire/observer.ts';
import type { Log } from '../log.ts';
import { isTracing, type TelemetrySettings } from './settings.ts';
import { createSpanObserver } from './spans.ts';

/** What looks on for OpenTelemetry. The maker closes it. */
export interface Telemetry {
  readonly observer: FireObserver;
  close(): Promise<void>;
}

/** What telemetry is opened with. */
export interface TelemetryParts {
  readonly settings: TelemetrySettings;
  /** A provider of the embedding program: spans go there, whatever the settings say, and it closes it itself. */
  readonly provider?: TracerProvider | undefined;
  readonly log: Pick<Log, 'info'>;
  readonly now: () => number;
}

/** Opens telemetry where it is asked for; `undefined` where it is not, and then no library is loaded. */
export async function openTelemetry({
  settings,
  provider,
  log,
  now,
}: TelemetryParts): Promise<Telemetry | undefined> {
  if (provider === undefined && !isTracing(settings, process.env)) return undefined;
  const { openTracing, spanSink } = await import('./open-telemetry.ts');
  const version = readVersion();
  if (provider !== undefined) {
    const observer = createSpanObserver(spanSink(provider, version), now);
    return { observer, close: async () => {} };
  }
  const onLost = (spans: number): void => log.info('traces_lost', { spans });
  const tracing = openTracing({ settings, version, onLost });
  return { observer: createSpanObserver(tracing.sink, now), close: tracing.close };
}
