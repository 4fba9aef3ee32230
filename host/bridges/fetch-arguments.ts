import { LIMITS } from '../../sdk/limits.ts';

/** Checks say what is wrong with an argument, or `undefined`; they never echo it. */
type Problem = string | undefined;

/** The methods of a request. */
export const METHODS: readonly string[] = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
];

const MAX_URL_CHARS = 8192;
const MAX_HEADERS = 64;

/** A URL that may be asked for at all; whether its host is granted is another question. */
export function urlProblem(value: unknown): Problem {
  if (typeof value !== 'string') return 'the URL must be a string';
  if (value.length > MAX_URL_CHARS) return `the URL is longer than ${MAX_URL_CHARS} characters`;
  const url = URL.parse(value);
  if (url === null) return 'the URL is not a whole one, such as https://api.example.com/path';
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'the URL must be https or http';
  if (url.username !== '' || url.password !== '') {
    return 'the URL holds a user or a password; send them in a header';
  }
  return undefined;
}

// https://www.rfc-editor.org/rfc/rfc9110#name-tokens
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;

/** Visible ASCII, blanks and tabs: what every server reads alike, and no way to begin another line. */
const VALUE = /^[\t\u0020-\u007e]*$/;

/**
 * Headers that belong to the connection, name another host, or speak for a proxy: the host sets them, or nobody. The last
 * line would let a request look as if it came from elsewhere.
 */
const RESERVED =
  /^(?:host|connection|keep-alive|content-length|transfer-encoding|te|trailer|upgrade|expect|http2-settings|accept-encoding|date|via|max-forwards|proxy-.*|sec-.*|:.*)$|^(?:forwarded|x-forwarded-.*|x-real-ip|x-http-method(?:-override)?|x-method-override|metadata-flavor|x-aws-ec2-.*)$/;

/** A flat object of header names and values. */
export function headersProblem(value: unknown): Problem {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return 'the headers must be a plain object';
  }
  const entries = Object.entries(value);
  if (entries.length > MAX_HEADERS) return `there are more than ${MAX_HEADERS} headers`;
  const seen = new Set<string>();
  let bytes = 0;
  for (const [name, item] of entries) {
    if (!TOKEN.test(name)) return 'a header name is no token';
    const lower = name.toLowerCase();
    if (RESERVED.test(lower)) return 'a header is there that hooks may not set';
    if (seen.has(lower)) return 'a header is there twice';
    seen.add(lower);
    if (typeof item !== 'string') return 'a header value is no string';
    if (!VALUE.test(item)) return 'a header value holds more than visible ASCII';
    bytes += name.length + item.length + 4;
    if (bytes > LIMITS.fetchHeaderBytes) {
      return `the headers are longer than ${LIMITS.fetchHeaderBytes} bytes`;
    }
  }
  return undefined;
}

/** A body is text, and there only where the method takes one. */
export function bodyProblem(value: unknown, method: string): Problem {
  if (value === undefined) return undefined;
  if (typeof value !== 'string') return 'the body must be a string; use JSON.stringify';
  if (method === 'GET' || method === 'HEAD') return `${method} takes no body`;
  const isLong =
    value.length > LIMITS.fetchBodyBytes || Buffer.byteLength(value) > LIMITS.fetchBodyBytes;
  return isLong ? `the body is longer than ${LIMITS.fetchBodyBytes} bytes` : undefined;
}
