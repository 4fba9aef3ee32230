import { countProblem } from './refusal.ts';
import type { BridgeRow } from './row.ts';
import { bodyProblem, headersProblem, METHODS, urlProblem } from './fetch-arguments.ts';

/** A request whose first host is granted. */
export interface FetchRequest {
  /** http or https, without credentials. */
  readonly url: URL;
  readonly method: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Aborted when the run is over. */
  readonly signal: AbortSignal;
  /** Whether a redirect may lead to a host. */
  readonly mayUse: (host: string) => boolean;
}

/** A response as data: the hook sees no stream. */
export interface FetchResponse {
  readonly status: number;
  /** After redirects. */
  readonly url: string;
  /** By name in lower case; several of one name are joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends requests for hooks. It follows redirects within `mayUse` alone and rejects with a BridgeError that says what was against it. */
export type FetchPort = (request: FetchRequest) => Promise<FetchResponse>;

interface Init {
  readonly method?: string | null;
  readonly headers?: Readonly<Record<string, string>> | null;
  readonly body?: string | null;
}

/** `ctx.fetch(url, {method, headers, body})`. */
export const FETCH_BRIDGES = {
  fetch: {
    capability: 'net:fetch',
    credit: 'fetchCalls',
    effect: 'outside',
    problem: (args) => countProblem(args, 1, 2) ?? urlProblem(args[0]) ?? initProblem(args[1]),
    // A host is granted as the URL standard writes it, so that no other spelling of it gets past.
    scope: (args) => new URL(args[0] as string).hostname,
    perform({ fetch }, args, { signal, mayUse }) {
      const { method, headers, body } = (args[1] ?? {}) as Init;
      return fetch?.({
        url: new URL(args[0] as string),
        method: (method ?? 'GET').toUpperCase(),
        headers: Object.fromEntries(
          Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
        ),
        body: body ?? undefined,
        signal,
        mayUse,
      });
    },
  },
} as const satisfies Readonly<Record<string, BridgeRow>>;

const INIT_KEYS = ['method', 'headers', 'body'];

function initProblem(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'object' || Array.isArray(value)) return 'the second argument is no object';
  if (Object.keys(value).some((key) => !INIT_KEYS.includes(key))) {
    return `the second argument may have ${INIT_KEYS.join(', ')} and nothing else`;
  }
  const { method, headers, body } = value as Readonly<Record<string, unknown>>;
  const known = typeof method === 'string' ? method.toUpperCase() : (method ?? 'GET');
  if (typeof known !== 'string' || !METHODS.includes(known))
    return `the method must be one of ${METHODS.join(', ')}`;
  return headersProblem(headers ?? {}) ?? bodyProblem(body ?? undefined, known);
}
