import type { FastifyInstance } from 'fastify';

import type { Runtime } from '../runtime.ts';

const ERRORS = Object.fromEntries(
  [400, 401, 403, 404, 503].map((status) => [status, { $ref: 'Error#' }]),
);
const NAME = { type: 'string', minLength: 1, maxLength: 256 } as const;
const SESSION = { type: 'object', properties: { session: NAME } } as const;
const HOOK = { type: 'object', properties: { session: NAME, hook: NAME } } as const;

interface OfSession {
  readonly Params: { readonly session: string };
}
interface OfHook {
  readonly Params: { readonly session: string; readonly hook: string };
}

/** Adds the routes that show what hooks did and share, and attach hooks of agent-os to sessions. */
export function addHookRoutes(app: FastifyInstance, runtime: Runtime): void {
  const route = (operationId: string, summary: string, params?: object) => ({
    operationId,
    summary,
    ...(params !== undefined && { params }),
    response: ERRORS,
  });
  app.get('/v1/hooks/metrics', {
    config: { role: 'operator' },
    schema: route('hookMetrics', 'Calls, panics, timeouts and durations by hook and point'),
    handler: async () => ({ metrics: runtime.hookMetrics() }),
  });
  app.get('/v1/hooks/bag', {
    config: { role: 'operator' },
    schema: route('hookBag', 'Producers and consumers of each key that hooks share'),
    handler: async () => ({ keys: runtime.bag() }),
  });
  app.get<OfSession>('/v1/sessions/:session/hooks', {
    config: { role: 'operator' },
    schema: route('sessionHooks', 'The hooks that a session has', SESSION),
    handler: async ({ params }) => ({ hooks: runtime.sessionHooks.list(params.session) }),
  });
  app.get<OfSession>('/v1/sessions/:session/transcript', {
    config: { role: 'operator' },
    schema: route('sessionTranscript', 'What hooks did in a session', SESSION),
    handler: async ({ params }) => ({ lines: await runtime.transcript(params.session) }),
  });
  app.put<OfHook>('/v1/sessions/:session/hooks/:hook', {
    config: { role: 'admin' },
    schema: route('grantHook', 'Attach a hook of agent-os to a session', HOOK),
    handler: async ({ params: { session, hook } }) => {
      runtime.sessionHooks.grant(session, hook);
      return { hooks: runtime.sessionHooks.list(session) };
    },
  });
  app.delete<OfHook>('/v1/sessions/:session/hooks/:hook', {
    config: { role: 'admin' },
    schema: route('revokeHook', 'Take a hook of agent-os from a session', HOOK),
    handler: async ({ params: { session, hook } }) => {
      runtime.sessionHooks.revoke(session, hook);
      return { hooks: runtime.sessionHooks.list(session) };
    },
  });
}
