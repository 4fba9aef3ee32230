import type { FastifyInstance } from 'fastify';

import type { Inventory, Runtime } from '../runtime.ts';
import { answers } from './openapi.ts';

/** The path that is open to those without the token. */
export const HEALTH_PATH = '/healthz';

/** Adds the route that says whether every hook that should be live is. */
export function addHealthRoute(app: FastifyInstance, runtime: Runtime): void {
  app.get(HEALTH_PATH, {
    schema: {
      operationId: 'health',
      summary: 'Say whether the hooks are live as configured',
      response: answers('Health', 403, 503),
      security: [],
    },
    handler: async () => {
      const inventory = runtime.inventory();
      return { status: inventory.health, reasons: healthReasons(inventory) };
    },
  });
}

function healthReasons({ hooks, absent, health }: Inventory): object[] {
  if (health === 'ok') return [];
  const failing = hooks.flatMap(({ hook, failure }) =>
    failure === undefined ? [] : [{ hook, code: failure.code, message: failure.detail }],
  );
  const missing = absent.flatMap(({ hook, code, detail = '' }) =>
    code === undefined ? [] : [{ hook, code, message: detail }],
  );
  return [...failing, ...missing];
}
