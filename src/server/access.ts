import type { IncomingHttpHeaders } from 'node:http';
import { isIPv4 } from 'node:net';

import { SignalboxError } from '../../sdk/errors.ts';
import { isAtLeast, type ApiCaller, type RouteRole } from './roles.ts';
import { callerOf, type Keyring } from './tokens.ts';

/** Who may call a server. */
export interface AccessRules {
  /** The address it listens on. */
  readonly host: string;
  /** Without any token, this machine alone is served, and may do everything. */
  readonly keys: Keyring;
}

/** The parts of a request that access depends on. */
export interface AccessRequest {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** Names and values by turns, as they came. */
  readonly rawHeaders: readonly string[];
}

/** Throws `bind_refused` when a server would be open to other machines without a token. */
export function checkBinding({ host, keys }: AccessRules): void {
  if (!keys.isGuarded() && !isLoopback(host)) throw new SignalboxError('bind_refused', { host });
}

/**
 * Who sent a request; `undefined` without a token where one is needed. Throws `request_invalid`, `host_refused` or
 * `origin_refused` for one that may not be answered whoever sent it, and `unauthorised` for a token that is none.
 */
export function identify(rules: AccessRules, request: AccessRequest): ApiCaller | undefined {
  const { headers, rawHeaders } = request;
  const twice = repeated(rawHeaders);
  if (twice !== undefined) throw invalid(`it has two ${twice} headers`);
  if (headers.host === undefined) throw invalid('it has no host header');
  const isLocal = !rules.keys.isGuarded();
  if (isLocal && !isOwnHost(headers.host, rules.host)) throw new SignalboxError('host_refused');
  if (isFromElsewhere(request, headers.host)) throw new SignalboxError('origin_refused');
  if (isLocal) return LOCAL;
  if (headers.authorization === undefined) return undefined;
  const given = /^Bearer +(\S+) *$/i.exec(headers.authorization)?.[1];
  const caller = given === undefined ? undefined : callerOf(rules.keys.tokens(), given);
  if (caller === undefined) throw new SignalboxError('unauthorised');
  return caller;
}

/** Whoever is on this machine, where no token tells people apart. */
const LOCAL: ApiCaller = { name: 'local', role: 'admin' };

/** Throws `unauthorised` or `role_refused`. */
export function checkRole(caller: ApiCaller | undefined, needed: RouteRole): void {
  if (needed === 'open') return;
  if (caller === undefined) throw new SignalboxError('unauthorised');
  if (isAtLeast(caller.role, needed)) return;
  throw new SignalboxError('role_refused', { role: caller.role, needed });
}

/** Headers of which servers and proxies would each believe another one. */
const SINGLE = new Set(['host', 'origin', 'authorization', 'content-type']);

function repeated(rawHeaders: readonly string[]): string | undefined {
  let seen: string[] | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? '';
    if (!SINGLE.has(name)) continue;
    if (seen?.includes(name) === true) return name;
    (seen ??= []).push(name);
  }
  return undefined;
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

function invalid(detail: string): SignalboxError {
  return new SignalboxError('request_invalid', { detail });
}
