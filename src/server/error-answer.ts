import { SignalboxError, type ErrorCode } from '../../sdk/errors.ts';

/** An error as HTTP shows it. */
export interface ErrorAnswer {
  readonly status: number;
  readonly body: {
    readonly error: { readonly code: ErrorCode; readonly message: string; readonly hint: string };
  };
}

/** Codes with their statuses. */
export type Statuses = Readonly<Partial<Record<ErrorCode, number>>>;

/** The status of each code that a request can end with; any other is the server's own fault, unless its route says so. */
const STATUSES: Statuses = {
  request_invalid: 400,
  payload_invalid: 400,
  unserialisable: 400,
  unauthorised: 401,
  role_refused: 403,
  host_refused: 403,
  origin_refused: 403,
  not_found: 404,
  point_unknown: 404,
  hook_unknown: 404,
  approval_unknown: 404,
  decision_unknown: 404,
  approval_settled: 409,
  mode_refused: 409,
  fault_refused: 409,
  reload_refused: 409,
  method_not_allowed: 405,
  body_too_large: 413,
  payload_size: 413,
  media_type_unsupported: 415,
  rate_limited: 429,
  streams_full: 503,
  runtime_closed: 503,
  server_stopping: 503,
  not_ready: 503,
  console_unavailable: 503,
  deadline_passed: 504,
};

/** What fastify finds wrong before a handler runs, by its codes. */
const FRAMEWORK_CODES: Readonly<Record<string, [ErrorCode, string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['body_too_large', ''],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['media_type_unsupported', ''],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['request_invalid', 'the body is not as long as it says'],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['request_invalid', 'the body is empty'],
  FST_ERR_CTP_INVALID_JSON_BODY: [
    'request_invalid',
    'the body is not JSON, or has a key such as "__proto__"',
  ],
  FST_ERR_BAD_URL: ['request_invalid', 'the path is not a URL path'],
  FST_ERR_MAX_PARAM_LENGTH: ['request_invalid', 'a part of the path is too long'],
};

/** Turns whatever a request failed with into an answer that shows no stack or value, and paths only with a code of `own`. */
export function answerOf(error: unknown, maxBytes: number, own: Statuses = {}): ErrorAnswer {
  const known = error instanceof SignalboxError ? error : fromFramework(error, maxBytes);
  const status = own[known.code] ?? STATUSES[known.code];
  // What is no fault of the request may name files of this machine.
  const { message, hint } = status === undefined ? new SignalboxError('internal') : known;
  return { status: status ?? 500, body: { error: { code: known.code, message, hint } } };
}

function fromFramework(error: unknown, maxBytes: number): SignalboxError {
  const { code = '', statusCode = 500 } = (error ?? {}) as { code?: string; statusCode?: number };
  const [known, detail] = FRAMEWORK_CODES[code] ?? [];
  if (known !== undefined) return new SignalboxError(known, { detail: detail ?? '', maxBytes });
  if (statusCode >= 400 && statusCode < 500) {
    return new SignalboxError('request_invalid', { detail: 'it does not keep to HTTP' });
  }
  return new SignalboxError('internal');
}
