import type { AddressInfo } from 'node:net';
import { fastify, type FastifyInstance, type FastifyReply } from 'fastify';

import { misfit } from '../../sdk/check-value.ts';
import { SignalboxError } from '../../sdk/errors.ts';
import type { Schema } from '../../sdk/json-schema.ts';
import { printable } from '../config/printable.ts';
import { addChaosRoutes } from '../chaos/chaos-routes.ts';
import { addConsoleRoutes } from '../console/console-route.ts';
import type { LiveRuntime } from '../live-runtime.ts';
import { checkBinding } from './access.ts';
import { addActRoutes } from '../acts/act-routes.ts';
import { addApprovalRoutes } from './approval-routes.ts';
import { refuseConnection } from './bad-connection.ts';
import { addControlRoutes } from './control-routes.ts';
import { addDecisionRoutes } from './decision-routes.ts';
import { addDecisionStream } from './decision-stream.ts';
import { answerOf } from './error-answer.ts';
import { addGate, type RateLimits } from './gate.ts';
import { addHealthRoutes } from './health-routes.ts';
import { addHookRoutes } from './hook-routes.ts';
import { addInspectRoutes } from './inspect-routes.ts';
import { addOverviewRoutes } from './overview-routes.ts';
import { addPackageRoutes } from './package-routes.ts';
import { addTryRoutes } from './try-routes.ts';
import { refuseOtherMethods, watchMethods } from './methods.ts';
import { registerOpenApi } from './openapi.ts';
import { addPointRoute } from './point-route.ts';
import { isAtLeast, type RouteRole } from './roles.ts';
import { createKeyring, type Keyring, type ServerToken } from './tokens.ts';

/** How a server listens and what it takes. */
export interface ServerOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** A token that may do everything. Without any token, this machine alone is served. */
  readonly token?: string | undefined;
  /** More of them, with their roles, as they are at the moment. */
  readonly tokens?: () => readonly ServerToken[];
  /** None, if absent. */
  readonly limits?: RateLimits;
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
const MAX_PARAM_CHARS = 512;
const NO_LIMITS: RateLimits = { requestsPerMinute: null, firesPerMinute: null };

/** Serves a runtime over HTTP. Throws `bind_refused`, `listen_failed`. */
export async function openServer(runtime: LiveRuntime, options: ServerOptions): Promise<Server> {
  const { host, port } = options;
  const keys = createKeyring(options.token, options.tokens);
  checkBinding({ host, keys });
  const state = { isStopping: false };
  const app = await createApp(runtime, { ...options, keys }, state);
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
  runtime: LiveRuntime,
  options: ServerOptions & { readonly keys: Keyring },
  state: { readonly isStopping: boolean },
): Promise<FastifyInstance> {
  const maxBytes = options.payloadBytes ?? MAX_BODY_BYTES;
  const app = fastify({
    bodyLimit: Math.min(maxBytes + ENVELOPE_BYTES, MAX_BODY_BYTES),
    requestTimeout: REQUEST_MS,
    // Names of packages, and ids of sessions, are longer than the default.
    routerOptions: { maxParamLength: MAX_PARAM_CHARS },
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
  const methods = watchMethods(app);
  const { host, keys, limits = NO_LIMITS } = options;
  await addGate(app, { host, keys, limits });
  app.addHook('onRequest', (_request, _reply, done) => {
    done(state.isStopping ? new SignalboxError('server_stopping') : undefined);
  });
  app.addHook('onResponse', ({ method, url, caller, routeOptions }, { statusCode }, done) => {
    done();
    if (caller === undefined || !isAct(method, routeOptions.config.role)) return;
    const act = routeOptions.schema?.operationId;
    const path = printable(url.split('?')[0] ?? '', 300);
    runtime.log.info('api_act', {
      act,
      path,
      status: statusCode,
      by: caller.name,
      role: caller.role,
    });
  });
  app.addHook('onSend', (...[, reply, , done]) => {
    // Otherwise the caller's connection stays open for a next request and holds up the end.
    if (state.isStopping) reply.header('connection', 'close');
    done();
  });
  app.setErrorHandler((error, { routeOptions }, reply) => {
    const { status, body } = answerOf(error, maxBytes, routeOptions.config.statuses);
    if (status === 500) options.onFault?.(error);
    if (status === 401) reply.header('www-authenticate', 'Bearer');
    // A body that nobody reads would hold up whatever comes after it.
    if (status !== 400 && status !== 404) reply.header('connection', 'close');
    return reply.code(status).send(body);
  });
  await registerOpenApi(app, options.version);
  await app.register(async (routes) => {
    addHealthRoutes(routes, runtime);
    addInspectRoutes(routes, runtime);
    addHookRoutes(routes, runtime);
    addActRoutes(routes, runtime);
    addChaosRoutes(routes, runtime);
    addPointRoute(routes, runtime);
    addOverviewRoutes(routes, runtime, options.version);
    addControlRoutes(routes, runtime);
    addDecisionRoutes(routes, runtime);
    addDecisionStream(routes, runtime.feed, keys);
    addPackageRoutes(routes, runtime);
    addTryRoutes(routes, runtime);
    addApprovalRoutes(routes, runtime.approvals);
    await addConsoleRoutes(routes);
    const hidden = { schema: { hide: true }, config: { role: 'agent' as const } };
    routes.get('/openapi.json', hidden, async () => app.swagger());
    refuseOtherMethods(routes, methods());
  });
  app.setNotFoundHandler((request) => {
    throw new SignalboxError('not_found', {
      path: printable(request.url.split('?')[0] ?? '', 200),
    });
  });
  return app;
}

/** Whether a request changes something that agents may not. */
function isAct(method: string, role: RouteRole = 'admin'): boolean {
  return method !== 'GET' && method !== 'HEAD' && isAtLeast(role, 'operator');
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
