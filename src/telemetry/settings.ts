/** The `telemetry` part of runtime.json. */
export interface TelemetrySettings {
  /** Absent: where a receiver is named. */
  readonly traces?: boolean;
  /** Base URL of a receiver of OTLP over HTTP. */
  readonly endpoint?: string;
  /** The share of traces that is kept of those that begin here. */
  readonly ratio: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether spans are made; source of the names: the environment variables of the OpenTelemetry specification. */
export function isTracing({ traces, endpoint }: TelemetrySettings, env: Environment): boolean {
  if (env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return false;
  const named = [
    endpoint,
    env['OTEL_EXPORTER_OTLP_ENDPOINT'],
    env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'],
  ];
  return traces ?? named.some((url) => url !== undefined && url !== '');
}
