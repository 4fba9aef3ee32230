import type { FastifyInstance } from 'fastify';

import type { Runtime } from '../runtime.ts';
import type { AnswerName } from './answer-schemas.ts';
import { answers } from './openapi.ts';
import { actorOf } from './roles.ts';

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
  const of = (answer: AnswerName) => ({ response: answers(answer, 400, 401, 403, 404, 429, 503) });
  app.get('/v1/hooks/metrics', {
    config: { role: 'operator' },
    schema: {
      operationId: 'hookMetrics',
      summary: 'Calls, panics, timeouts and durations by hook and point',
      ...of('HookMetrics'),
    },
    handler: async () => ({ metrics: runtime.hookMetrics() }),
  });
  app.get('/v1/hooks/bag', {
    config: { role: 'operator' },
    schema: {
      operationId: 'hookBag',
      summary: 'Producers and consumers of each key that hooks share',
      ...of('Bag'),
    },
    handler: async () => ({ keys: runtime.bag() }),
  });
  app.get<OfSession>('/v1/sessions/:session/hooks', {
    config: { role: 'operator' },
    schema: {
      operationId: 'sessionHooks',
      summary: 'The hooks that a session has',
      params: SESSION,
      ...of('SessionHooks'),
    },
    handler: async ({ params }) => ({ hooks: runtime.sessionHooks.list(params.session) }),
  });
  app.get<OfSession>('/v1/sessions/:session/transcript', {
    config: { role: 'operator' },
    schema: {
      operationId: 'sessionTranscript',
      summary: 'What hooks did in a session',
      params: SESSION,
      ...of('Transcript'),
    },
    handler: async ({ params }) => ({ lines: await runtime.transcript(params.session) }),
  });
  app.put<OfHook>('/v1/sessions/:session/hooks/:hook', {
    config: { role: 'admin' },
    schema: {
      operationId: 'grantHook',
      summary: 'Attach a hook of agent-os to a session',
      params: HOOK,
      ...of('SessionHooks'),
    },
    handler: async ({ params: { session, hook }, caller }) => {
      await runtime.sessionHooks.grant(session, hook, { who: actorOf(caller) });
      return { hooks: runtime.sessionHooks.list(session) };
    },
  });
  app.delete<OfHook>('/v1/sessions/:session/hooks/:hook', {
    config: { role: 'admin' },
    schema: {
      operationId: 'revokeHook',
      summary: 'Take a hook of agent-os from a session',
      params: HOOK,
      ...of('SessionHooks'),
    },
    handler: async ({ params: { session, hook }, caller }) => {
      await runtime.sessionHooks.revoke(session, hook, { who: actorOf(caller) });
      return { hooks: runtime.sessionHooks.list(session) };
    },
  });
}
