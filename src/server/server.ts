import type { AddressInfo } from 'node:net';
import { fastify, type FastifyInstance, type FastifyReply } from 'fastify';

import { misfit } from '../../sdk/check-value.ts';
import { SignalboxError } from '../../sdk/errors.ts';
import type { Schema } from '../../sdk/json-schema.ts';
import { printable } from '../config/printable.ts';
import type { Runtime } from '../runtime.ts';
import { checkAccess, checkBinding } from './access.ts';
import { addApprovalRoutes } from './approval-routes.ts';
import { refuseConnection } from './bad-connection.ts';
import { answerOf } from './error-answer.ts';
import { addHealthRoute, HEALTH_PATH } from './health-route.ts';
import { addHookRoutes } from './hook-routes.ts';
import { addInspectRoutes } from './inspect-routes.ts';
import { registerOpenApi } from './openapi.ts';
import { addPointRoute } from './point-route.ts';

/** How a server listens and what it takes. */
export interface ServerOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** What callers must show; without one, this machine alone is served. */
  readonly token?: string | undefined;
  /** The largest payload; `null`, whatever a process can hold. */
  readonly payloadBytes: number | null;
  /** Version of the runtime, for the OpenAPI document. */
  readonly version: string;
  /** How long a stopping server lets calls finish; 10 seconds. */
  readonly drainMs?: number;
  /** Hears of what no caller is told. */
  readonly onFault?: (error: unknown) => void;
}

/** A server that listens. The maker closes it, before the runtime. */
export interface Server {
  readonly url: string;
  readonly port: number;
  /** Stops taking calls and lets those that run finish. */
  close(): Promise<void>;
}

/** What a body may hold besides the payload. */
const ENVELOPE_BYTES = 256 * 1024;
const MAX_BODY_BYTES = 256 * 1024 * 1024;
const MAX_CONNECTIONS = 256;
const HEADERS_MS = 10_000;
const REQUEST_MS = 30_000;

/** Serves a runtime over HTTP. Throws `bind_refused`, `listen_failed`. */
export async function openServer(runtime: Runtime, options: ServerOptions): Promise<Server> {
  const { host, port } = options;
  const token = options.token === '' ? undefined : options.token;
  checkBinding({ host, token });
  const state = { isStopping: false };
  const app = await createApp(runtime, { ...options, token }, state);
  try {
    await app.listen({ host, port });
  } catch (error) {
    await app.close();
    throw new SignalboxError('listen_failed', { host, port, detail: listenDetail(error) });
  }
  const { port: bound } = app.server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    port: bound,
    async close() {
      state.isStopping = true;
      const { drainMs = 10_000 } = options;
      const timer = setTimeout(() => app.server.closeAllConnections(), drainMs);
      await app.close().finally(() => clearTimeout(timer));
    },
  };
}

async function createApp(
  runtime: Runtime,
  options: ServerOptions,
  state: { readonly isStopping: boolean },
): Promise<FastifyInstance> {
  const maxBytes = options.payloadBytes ?? MAX_BODY_BYTES;
  const app = fastify({
    bodyLimit: Math.min(maxBytes + ENVELOPE_BYTES, MAX_BODY_BYTES),
    requestTimeout: REQUEST_MS,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    // A request without a host is answered by us, in JSON.
    http: { headersTimeout: HEADERS_MS, requireHostHeader: false },
    clientErrorHandler: refuseConnection,
    frameworkErrors: (error, _request, reply: FastifyReply) => {
      const { status, body } = answerOf(error, maxBytes);
      void reply.code(status).send(body);
    },
  });
  app.server.maxConnections = MAX_CONNECTIONS;
  app.removeContentTypeParser('text/plain');
  app.setValidatorCompiler(({ schema, httpPart }) =>
    validator(schema as Schema, httpPart ?? 'body'),
  );
  app.setSerializerCompiler(() => (value) => JSON.stringify(value));
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    const isOpen = request.routeOptions.url === HEALTH_PATH;
    const { method, headers } = request;
    checkAccess({ host: options.host, token: options.token }, { method, headers, isOpen });
    if (state.isStopping) throw new SignalboxError('server_stopping');
  });
  app.addHook('onSend', async (_request, reply) => {
    // Otherwise the caller's connection stays open for a next request and holds up the end.
    if (state.isStopping) reply.header('connection', 'close');
  });
  app.setErrorHandler((error, _request, reply) => {
    const { status, body } = answerOf(error, maxBytes);
    if (status === 500) options.onFault?.(error);
    if (status === 401) reply.header('www-authenticate', 'Bearer');
    // A body that nobody reads would hold up whatever comes after it.
    if (status !== 400 && status !== 404) reply.header('connection', 'close');
    return reply.code(status).send(body);
  });
  await registerOpenApi(app, options.version);
  await app.register(async (routes) => {
    addHealthRoute(routes, runtime);
    addInspectRoutes(routes, runtime);
    addHookRoutes(routes, runtime);
    addPointRoute(routes, runtime);
    addApprovalRoutes(routes, runtime.approvals);
    routes.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());
  });
  app.setNotFoundHandler((request) => {
    const path = printable(request.url.split('?')[0] ?? '', 200);
    const allowed = ['GET', 'POST', 'PUT', 'DELETE'].filter((method) =>
      hasRoute(app, method, path),
    );
    if (allowed.length === 0) throw new SignalboxError('not_found', { path });
    throw new SignalboxError('method_not_allowed', { path, allowed: allowed.join(', ') });
  });
  return app;
}

function hasRoute(app: FastifyInstance, method: string, path: string): boolean {
  const url = path
    .replace(/^\/v1\/points\/[^/]+$/, '/v1/points/:point')
    .replace(/^\/v1\/approvals\/[^/]+/, '/v1/approvals/:id')
    .replace(/^\/v1\/sessions\/[^/]+\/hooks\/[^/]+$/, '/v1/sessions/:session/hooks/:hook')
    .replace(/^\/v1\/sessions\/[^/]+/, '/v1/sessions/:session');
  return app.hasRoute({ method, url });
}

/** Holds the parts of a request against their schemas, and names the key that is wrong. */
function validator(schema: Schema, part: string) {
  return (value: unknown): { error: Error } | { value: unknown } => {
    const detail = misfit(value, schema, part === 'body' ? 'the body' : part);
    return detail === undefined
      ? { value }
      : { error: new SignalboxError('request_invalid', { detail }) };
  };
}

function listenDetail(error: unknown): string {
  const { code = 'unknown error' } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return 'the port is in use';
  if (code === 'EACCES') return 'the port needs more rights';
  return code === 'ENOTFOUND' || code === 'EADDRNOTAVAIL' ? 'no such address here' : code;
}
