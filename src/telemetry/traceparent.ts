/** Where a span comes from in a trace, as `traceparent` says it. */
export interface Origin {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
}

/** Source: W3C Trace Context, 3.2; fields that a later version adds come after a dash. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Reads a `traceparent`; what is malformed is none. */
export function readTraceparent(text: string | undefined): Origin | undefined {
  const match = text === undefined || text.length > 512 ? null : TRACEPARENT.exec(text);
  if (match === null) return undefined;
  const [, version = '', traceId = '', spanId = '', flags = '', rest] = match;
  if (version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) };
}
