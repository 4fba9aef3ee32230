import type { FastifyInstance } from 'fastify';

import { SignalboxError } from '../../sdk/errors.ts';
import { printable } from '../config/printable.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** Collects the methods of every route that is added from now on. */
export function watchMethods(app: FastifyInstance): () => ReadonlyMap<string, ReadonlySet<string>> {
  const methods = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const known = methods.get(url) ?? new Set();
    for (const one of [method].flat()) known.add(one);
    methods.set(url, known);
  });
  return () => methods;
}

/** Answers every other method of the routes so far, so that the router itself tells a wrong method from a wrong path. */
export function refuseOtherMethods(
  app: FastifyInstance,
  routes: ReadonlyMap<string, ReadonlySet<string>>,
): void {
  for (const [url, methods] of routes) {
    const allowed = METHODS.filter((method) => methods.has(method));
    const others = METHODS.filter((method) => !methods.has(method));
    app.route({
      url,
      method: others,
      schema: { hide: true },
      config: { role: 'agent' },
      // Before a body is read.
      onRequest: async (request, reply) => {
        const path = printable(request.url.split('?')[0] ?? '', 200);
        reply.header('allow', allowed.join(', '));
        throw new SignalboxError('method_not_allowed', { path, allowed: allowed.join(', ') });
      },
      handler: async () => undefined,
    });
  }
}
