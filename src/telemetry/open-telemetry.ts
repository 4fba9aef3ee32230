import {
  context,
  isSpanContextValid,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
  type Context,
  type Tracer,
  type TracerProvider as AnyProvider,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type SpanExporter,
} from '@opentelemetry/sdk-trace';
import type { TelemetrySettings } from './settings.ts';
import type { FinishedSpan, SpanSink } from './spans.ts';

/** How long spans are gathered before they are sent. */
const BATCH_MS = 1000;
const EXPORT_MS = 5000;
/** A receiver that does not answer holds up the end of the runtime for this long, at most. */
const CLOSE_MS = 3000;

/** Spans of OpenTelemetry, and where they are sent. The maker closes it. */
export interface OpenTracing {
  readonly sink: SpanSink<Context>;
  close(): Promise<void>;
}

/** What tracing is opened with. */
export interface TracingParts {
  readonly settings: TelemetrySettings;
  readonly version: string;
  /** Told once when spans begin to get lost. */
  readonly onLost: (spans: number) => void;
}

/** Opens a provider that sends spans by OTLP over HTTP. */
export function openTracing({ settings, version, onLost }: TracingParts): OpenTracing {
  const { endpoint, ratio } = settings;
  const url = endpoint === undefined ? {} : { url: `${endpoint.replace(/\/+$/, '')}/v1/traces` };
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'signalbox', 'service.version': version }))
      .merge(
        detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] }),
      ),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: watched(new OTLPTraceExporter(url), onLost),
        scheduledDelayMillis: BATCH_MS,
        exportTimeoutMillis: EXPORT_MS,
      }),
    ],
  });
  return {
    sink: spanSink(provider, version),
    async close() {
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, CLOSE_MS);
      await Promise.race([provider.shutdown().catch(() => undefined), late]);
      clearTimeout(timer);
    },
  };
}

/** Writes spans to a provider, be it another program's. */
export function spanSink(provider: AnyProvider, version: string): SpanSink<Context> {
  const tracer = provider.getTracer('signalbox', version);
  return {
    root(span, origin) {
      const remote = origin && { ...origin, isRemote: true };
      const parent =
        remote !== undefined && isSpanContextValid(remote)
          ? trace.setSpanContext(ROOT_CONTEXT, remote)
          : context.active();
      return write(tracer, span, parent);
    },
    child: (span, parent) => void write(tracer, span, parent),
  };
}

function write(tracer: Tracer, span: FinishedSpan, parent: Context): Context {
  const { name, startTime, endTime, fields, failure } = span;
  const made = tracer.startSpan(name, { startTime }, parent);
  for (const [key, value] of Object.entries(fields)) {
    if (value !== undefined) made.setAttribute(key, value);
  }
  if (failure !== undefined) {
    made.setAttribute('error.type', failure);
    made.setStatus({ code: SpanStatusCode.ERROR, message: failure });
  }
  made.end(endTime);
  return trace.setSpan(parent, made);
}

/** An exporter whose losses are told, once until it works again. */
function watched(inner: SpanExporter, onLost: (spans: number) => void): SpanExporter {
  let isLosing = false;
  return {
    export: (spans, done) =>
      inner.export(spans, (result) => {
        if (result.code !== 0 && !isLosing) onLost(spans.length);
        isLosing = result.code !== 0;
        done(result);
      }),
    shutdown: () => inner.shutdown(),
    forceFlush: async () => inner.forceFlush?.(),
  };
}
