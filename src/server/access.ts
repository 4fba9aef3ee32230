import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isIPv4 } from 'node:net';

import { SignalboxError } from '../../sdk/errors.ts';

/** Who may call a server. */
export interface AccessRules {
  /** The address it listens on. */
  readonly host: string;
  /** Without one, this machine alone is served. */
  readonly token: string | undefined;
}

/** The parts of a request that access depends on. */
export interface AccessRequest {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** Whether what it asks for is open to those without the token. */
  readonly isOpen: boolean;
}

/** Throws `bind_refused` when a server would be open to other machines without a token. */
export function checkBinding({ host, token }: AccessRules): void {
  if (token === undefined && !isLoopback(host)) throw new SignalboxError('bind_refused', { host });
}

/** Throws `host_refused`, `origin_refused` or `unauthorised` for a request that may not be answered. */
export function checkAccess(rules: AccessRules, request: AccessRequest): void {
  const { headers } = request;
  if (headers.host === undefined) {
    throw new SignalboxError('request_invalid', { detail: 'it has no host header' });
  }
  if (rules.token === undefined && !isOwnHost(headers.host, rules.host)) {
    throw new SignalboxError('host_refused');
  }
  if (isFromElsewhere(request, headers.host)) throw new SignalboxError('origin_refused');
  if (rules.token !== undefined && !request.isOpen && !hasToken(headers, rules.token)) {
    throw new SignalboxError('unauthorised');
  }
}

/** A name that another machine's DNS may have pointed at this one is not ours. */
function isOwnHost(header: string, configured: string): boolean {
  const match = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9.-]+))(?::\d{1,5})?$/i.exec(header);
  const name = (match?.[1] ?? match?.[2])?.toLowerCase();
  return name !== undefined && (isLoopback(name) || name === configured.toLowerCase());
}

function isLoopback(host: string): boolean {
  const name = host.toLowerCase();
  return name === 'localhost' || name === '::1' || (isIPv4(name) && name.startsWith('127.'));
}

/** Whether a browser sent it for a page that is not ours. Programs send neither header. */
function isFromElsewhere({ method, headers }: AccessRequest, host: string): boolean {
  const { origin } = headers;
  if (origin !== undefined && originHost(origin) !== host.toLowerCase()) return true;
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return false;
  // Following a link is no cross-site call: the page that holds the link sees nothing of the answer.
  const isLink =
    method === 'GET' &&
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document';
  return !isLink;
}

function originHost(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

function hasToken(headers: IncomingHttpHeaders, token: string): boolean {
  const given = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
  return given !== undefined && timingSafeEqual(digest(given), digest(token));
}

/** Digests are of one length, so that a comparison tells nothing of the token's. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
