import { BridgeError, type FetchRequest } from '../../host/bridges.ts';

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Headers that are meant for one origin alone. */
const CREDENTIALS: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'x-api-key',
  'api-key',
]);

/**
 * The request that a response sends on, or `undefined` when it is an answer. Throws when it leads where the hook may not
 * go. Method, body and credentials change as the fetch standard says: https://fetch.spec.whatwg.org/#http-redirect-fetch
 */
export function redirected(
  request: FetchRequest,
  status: number,
  location: string | undefined,
): FetchRequest | undefined {
  if (!REDIRECTS.has(status) || location === undefined) return undefined;
  const url = URL.parse(location, request.url.href);
  if (url === null) throw refused('is no URL');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw refused('is not http');
  if (request.url.protocol === 'https:' && url.protocol === 'http:') throw refused('leaves https');
  if (url.username !== '' || url.password !== '') throw refused('holds a password');
  if (!request.mayUse(url.hostname)) throw refused('is at a host that is not granted');
  const isChanged =
    (status === 303 && request.method !== 'HEAD' && request.method !== 'GET') ||
    ((status === 301 || status === 302) && request.method === 'POST');
  const isAway = url.origin !== request.url.origin;
  const headers = Object.entries(request.headers).filter(
    ([name]) => !(isAway && CREDENTIALS.has(name)) && !(isChanged && name.startsWith('content-')),
  );
  return {
    ...request,
    url,
    headers: Object.fromEntries(headers),
    ...(isChanged && { method: 'GET', body: undefined }),
  };
}

function refused(why: string): BridgeError {
  return new BridgeError('unavailable', `The target of a redirect ${why}`);
}
