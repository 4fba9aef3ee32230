import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import type { FetchRequest, FetchResponse } from '../../host/bridges.ts';
import { openFetch, type FetchOptions, type ResolvedAddress } from '../../src/bridges/fetch.ts';

/** A request as a server saw it. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A server on loopback that is closed after the test. */
export interface LocalServer {
  readonly port: number;
  readonly seen: SeenRequest[];
}

/** Starts a server; it has read the whole request when `answer` is called. */
export async function localServer(answer: RequestListener): Promise<LocalServer> {
  const seen: SeenRequest[] = [];
  const server: Server = createServer((request, response) => {
    void text(request).then((body) => {
      const { method = '', url = '', headers } = request;
      seen.push({ method, url, headers, body });
      answer(request, response);
    });
  });
  server.listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
  return { port: (server.address() as AddressInfo).port, seen };
}

/** A resolver that knows a few names. */
export function names(
  known: Readonly<Record<string, readonly string[]>>,
): (host: string) => Promise<readonly ResolvedAddress[]> {
  return async (host) =>
    (known[host] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
}

/** A fetch whose hosts a.test and b.test are on loopback, allowed there, at the ports given. */
export function fetchOf(
  ports: readonly number[],
  options: Partial<FetchOptions> = {},
): (url: string, request?: Partial<FetchRequest>) => Promise<FetchResponse> {
  const hosts = ['a.test', 'b.test'];
  const { fetch, close } = openFetch({
    rules: {
      ports: hosts.flatMap((host) => ports.map((port) => `${host}:${port}`)),
      private: hosts,
    },
    resolve: names({ 'a.test': ['127.0.0.1'], 'b.test': ['127.0.0.1'] }),
    ...options,
  });
  onTestFinished(close);
  return (url, request) =>
    fetch({
      url: new URL(url),
      method: 'GET',
      headers: {},
      body: undefined,
      signal: new AbortController().signal,
      mayUse: (host) => hosts.includes(host),
      ...request,
    });
}
