import type { LiveRuntime } from '../../src/live-runtime.ts';
import { openServer, type Server, type ServerOptions } from '../../src/server/server.ts';
import { readTokens } from '../../src/server/tokens.ts';

/** A token of each role; variables of an environment hold them. */
export const TOKENS = {
  agent: 'agent-0123456789abcdef',
  operator: 'operator-0123456789abcdef',
  admin: 'admin-0123456789abcdef',
} as const;

/** How a request of a test differs from a plain GET. */
export interface RequestDraft {
  readonly method?: string;
  readonly token?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** A server of a test. The maker closes it. */
export interface Served {
  readonly server: Server;
  readonly url: string;
  /** What comes back, its body read as JSON of whatever shape. */
  call(path: string, draft?: RequestDraft): Promise<{ status: number; body: Answer }>;
  fetch(path: string, draft?: RequestDraft): Promise<Response>;
}

/** The tests say which keys are there. */
export type Answer = Readonly<Record<string, unknown>> & {
  readonly error?: { readonly code: string; readonly message: string; readonly hint: string };
};

/** Serves a runtime to the three roles. */
export async function serveRoles(
  runtime: LiveRuntime,
  options: Partial<ServerOptions> = {},
): Promise<Served> {
  const roles = ['agent', 'operator', 'admin'] as const;
  const settings = roles.map((role) => ({ name: `the ${role}`, role, env: role }));
  const tokens = readTokens(settings, TOKENS);
  return serve(runtime, { tokens: () => tokens, ...options });
}

/** Serves a runtime to this machine. */
export async function serve(
  runtime: LiveRuntime,
  options: Partial<ServerOptions> = {},
): Promise<Served> {
  const server = await openServer(runtime, {
    host: '127.0.0.1',
    port: 0,
    payloadBytes: 4 * 1024 * 1024,
    version: '1.2.3',
    ...options,
  });
  const { url } = server;
  const request = (path: string, draft: RequestDraft = {}): Promise<Response> => {
    const { method, token, body, headers, signal } = draft;
    return fetch(`${url}${path}`, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(signal !== undefined && { signal }),
    });
  };
  return {
    server,
    url,
    fetch: request,
    async call(path, draft) {
      const response = await request(path, draft);
      return { status: response.status, body: (await response.json()) as Answer };
    },
  };
}
