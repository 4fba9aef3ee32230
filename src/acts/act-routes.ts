import type { FastifyInstance } from 'fastify';

import type { LiveRuntime } from '../live-runtime.ts';
import { answers } from '../server/openapi.ts';

const SHOWN = 500;

/** Adds the route that shows what operators did. */
export function addActRoutes(app: FastifyInstance, { acts }: Pick<LiveRuntime, 'acts'>): void {
  app.get('/v1/acts', {
    config: { role: 'operator' },
    schema: {
      operationId: 'acts',
      summary: 'List what operators changed while hooks ran, newest first, with who did',
      response: answers('Acts', 401, 403, 429, 503),
    },
    handler: async () => {
      const rows = await acts.list(SHOWN);
      return { acts: rows.map((act) => ({ ...act, time: new Date(act.time).toISOString() })) };
    },
  });
}
