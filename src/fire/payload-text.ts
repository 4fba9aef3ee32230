import { LIMITS } from '../../sdk/limits.ts';
import { isTooDeep } from '../../sdk/parse-decision.ts';
import { POINTS, type Point } from '../../sdk/points.ts';
import type { Failure, Payload } from '../chain/call.ts';

/** JSON text of a payload as a hook gets it, or why every hook of the point fails. */
export type PayloadText =
  { readonly ok: true; readonly text: string } | ({ readonly ok: false } & Failure);

/** What the host puts into every payload of a fire, and how large one may be. */
export interface PayloadFrame {
  readonly point: Point;
  /** ISO 8601. */
  readonly timestamp: string;
  readonly requestId: string | undefined;
  readonly maxBytes: number | null;
}

/** Gives the text of a payload, with or without the content fields of the point. */
export type TextOf = (payload: Payload, isReader: boolean) => PayloadText;

/**
 * Writes payloads of one fire as text. Each payload is written once; a payload changes only by being replaced, so that
 * identity tells.
 */
export function createPayloadTexts(frame: PayloadFrame): TextOf {
  const head = headOf(frame);
  const { content } = POINTS[frame.point];
  let current: Payload | undefined;
  let full: PayloadText | undefined;
  let reduced: PayloadText | undefined;
  return (payload, isReader) => {
    if (payload !== current || full === undefined) {
      current = payload;
      full = write(payload, head, frame.maxBytes);
      reduced = undefined;
    }
    if (isReader || content.length === 0 || !full.ok) return full;
    return (reduced ??= write(without(payload, content), head, frame.maxBytes));
  };
}

function headOf({ timestamp, requestId }: PayloadFrame): string {
  const id = requestId === undefined ? '' : `,"requestId":${JSON.stringify(requestId)}`;
  return `{"timestamp":${JSON.stringify(timestamp)}${id}`;
}

function without(payload: Payload, keys: readonly string[]): Payload {
  return Object.fromEntries(Object.entries(payload).filter(([key]) => !keys.includes(key)));
}

function write(payload: Payload, head: string, maxBytes: number | null): PayloadText {
  let body: string | undefined;
  try {
    body = JSON.stringify(payload) as string | undefined;
  } catch (error) {
    // The text of the error names keys of the payload, or is the caller's own.
    return unserialisable(
      error instanceof RangeError
        ? 'it is too deep or too large'
        : 'it holds a circle or a value that JSON lacks',
    );
  }
  if (body === undefined || !body.startsWith('{'))
    return unserialisable('its toJSON gives no object');
  // A UTF-8 character takes at most three bytes per UTF-16 unit, so that most texts need no counting.
  if (maxBytes !== null && body.length * 3 > maxBytes && Buffer.byteLength(body) > maxBytes) {
    return { ok: false, code: 'payload_size', detail: `more than ${maxBytes} bytes` };
  }
  if (hasMany(body, LIMITS.nesting) && isTooDeep(payload, LIMITS.nesting)) {
    return unserialisable(`nested deeper than ${LIMITS.nesting}`);
  }
  return { ok: true, text: body === '{}' ? `${head}}` : `${head},${body.slice(1)}` };
}

/** Whether a text has more brackets that open than `limit`: without them nothing in it is nested deeper. */
function hasMany(text: string, limit: number): boolean {
  let count = 0;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      count += 1;
      if (count > limit) return true;
    }
  }
  return false;
}

function unserialisable(detail: string): PayloadText {
  return { ok: false, code: 'unserialisable', detail };
}
