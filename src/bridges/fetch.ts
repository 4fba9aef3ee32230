import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import { callbackify } from 'node:util';
import { Agent } from 'undici';
import {
  BridgeError,
  type FetchPort,
  type FetchRequest,
  type FetchResponse,
} from '../../host/bridges.ts';
import { LIMITS } from '../../sdk/limits.ts';
import { addressKind } from './addresses.ts';
import { discard, readText } from './body.ts';
import { redirected } from './redirect.ts';

/** An address that a name resolves to. */
export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** What hooks may reach beyond public addresses at the usual ports. */
export interface FetchRules {
  /** `host:port` that are open besides the usual port of the scheme. */
  readonly ports: readonly string[];
  /** Hosts that may be in the operator's own networks. */
  readonly private: readonly string[];
}

/** What a fetch port is made with. */
export interface FetchOptions {
  readonly rules: FetchRules;
  /** The system's resolver, if absent. */
  readonly resolve?: (host: string) => Promise<readonly ResolvedAddress[]>;
}

/** A fetch port and its end. The maker closes it. */
export interface OpenFetch {
  readonly fetch: FetchPort;
  close(): Promise<void>;
}

/** Source: the fetch standard allows 20; guards that need more than a few have taken a wrong turn. */
const MAX_REDIRECTS = 5;

/**
 * Sends requests of hooks. A name is resolved once, when the socket connects, and the socket goes to the very address that
 * was checked. No connection serves two requests: what one hook does to it would be done to another. Proxies of the
 * environment are not used, since the check would be theirs to make.
 */
export function openFetch({ rules, resolve = resolveBySystem }: FetchOptions): OpenFetch {
  const check = createAddressCheck(rules);
  const agent = new Agent({
    pipelining: 0,
    allowH2: false,
    maxHeaderSize: LIMITS.fetchHeaderBytes,
    headersTimeout: LIMITS.maxTimeoutMs,
    bodyTimeout: LIMITS.maxTimeoutMs,
    maxCachedSessions: 0,
    connect: { lookup: checkedLookup(resolve, check), timeout: LIMITS.maxTimeoutMs },
  });
  const send = async (request: FetchRequest): Promise<FetchResponse> => {
    let current = request;
    for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
      const { url } = current;
      checkPort(url, rules);
      if (isIP(url.hostname) !== 0 || url.hostname.startsWith('[')) {
        check(url.hostname, url.hostname.replace(/^\[|\]$/g, ''));
      }
      const { statusCode, headers, body } = await agent.request({
        origin: url.origin,
        path: url.pathname + url.search,
        method: current.method as 'GET',
        headers: { 'user-agent': 'signalbox', 'accept-encoding': 'identity', ...current.headers },
        body: current.body ?? null,
        signal: current.signal,
      });
      const plain = plainHeaders(headers);
      const next = nextOf(current, { statusCode, location: plain['location'], body });
      if (next === undefined) {
        const isBare = current.method === 'HEAD';
        if (isBare) discard(body);
        const text = isBare ? '' : await readText(body, plain);
        return { status: statusCode, url: url.href, headers: plain, body: text };
      }
      current = next;
    }
    throw new BridgeError('unavailable', `There were more than ${MAX_REDIRECTS} redirects`);
  };
  return {
    async fetch(request) {
      try {
        return await send(request);
      } catch (error) {
        throw told(error);
      }
    },
    close: () => agent.destroy(),
  };
}

interface Answered {
  readonly statusCode: number;
  readonly location: string | undefined;
  readonly body: Readable;
}

/** The request that a redirect asks for; its own body is read by nobody, also where it leads nowhere. */
function nextOf(
  request: FetchRequest,
  { statusCode, location, body }: Answered,
): FetchRequest | undefined {
  try {
    const next = redirected(request, statusCode, location);
    if (next !== undefined) discard(body);
    return next;
  } catch (error) {
    discard(body);
    throw error;
  }
}

type AddressCheck = (host: string, address: string) => void;

/** Throws for an address that hooks may not reach at a host. */
function createAddressCheck(rules: FetchRules): AddressCheck {
  const open = new Set(rules.private.map((host) => host.toLowerCase()));
  return (host, address) => {
    const kind = addressKind(address);
    if (kind === 'public' || (kind === 'private' && open.has(host))) return;
    throw new BridgeError('unavailable', 'The host is not at a public address');
  };
}

/** A lookup for sockets: every address must pass, so that it does not matter which one is tried. */
function checkedLookup(
  resolve: NonNullable<FetchOptions['resolve']>,
  check: AddressCheck,
): LookupFunction {
  const find = callbackify(async (host: string) => {
    const addresses = await resolve(host);
    for (const { address } of addresses) check(host, address);
    return addresses;
  });
  return (host, options, done) =>
    find(host, (error, addresses) => {
      const [first] = addresses ?? [];
      if (first === undefined) return done(error ?? new Error('no address'), '', 0);
      if (options.all === true) return done(null, [...addresses]);
      return done(null, first.address, first.family);
    });
}

function resolveBySystem(host: string): Promise<readonly ResolvedAddress[]> {
  return lookup(host, { all: true });
}

function checkPort(url: URL, { ports }: FetchRules): void {
  // The URL standard leaves out the usual port of a scheme.
  if (url.port === '') return;
  if (ports.some((open) => open.toLowerCase() === `${url.hostname}:${url.port}`)) return;
  throw new BridgeError('unavailable', 'The port is not open to hooks');
}

function plainHeaders(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      typeof value === 'string' ? value : (value ?? []).join(', '),
    ]),
  );
}

/** The error that the hook is told: connection errors may name addresses, which it need not learn. */
function told(error: unknown): BridgeError {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof BridgeError) return cause;
  }
  return new BridgeError('unavailable', 'The request failed');
}
