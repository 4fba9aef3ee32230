import type { FastifyInstance } from 'fastify';

import { SignalboxError } from '../../sdk/errors.ts';
import type { LiveFault } from '../chaos/live-faults.ts';
import type { LiveRuntime } from '../live-runtime.ts';
import type { Inventory } from '../runtime.ts';
import { answers, textAnswers } from './openapi.ts';
import { isAtLeast } from './roles.ts';

const OPEN = { role: 'open' } as const;

/** Adds the routes that tell machines whether the hooks work, and what was counted. */
export function addHealthRoutes(app: FastifyInstance, runtime: LiveRuntime): void {
  app.get('/healthz', {
    config: OPEN,
    schema: {
      operationId: 'health',
      summary: 'Say whether the hooks are live as configured; why not, to operators',
      response: answers('Health', 403, 429, 503),
      security: [],
    },
    handler: async ({ caller }) => {
      const inventory = runtime.inventory();
      const { health: status } = inventory;
      // Names of hooks and what is wrong with them is nothing for strangers.
      const mayKnow = caller !== undefined && isAtLeast(caller.role, 'operator');
      return mayKnow ? { status, reasons: healthReasons(inventory) } : { status };
    },
  });
  app.get('/readyz', {
    config: OPEN,
    schema: {
      operationId: 'ready',
      summary:
        'Say that calls are taken; 503 when the server stops, nothing can be recorded, or a required hook is not live',
      response: answers('Ready', 403, 429, 503),
      security: [],
    },
    handler: async () => {
      const { ready, reasons } = await runtime.readiness();
      if (!ready) throw new SignalboxError('not_ready', { detail: reasons.join('; ') });
      return { ready };
    },
  });
  app.get('/metrics', {
    config: { role: 'operator' },
    schema: {
      operationId: 'metrics',
      summary: 'What was counted since the start, in the Prometheus text format',
      response: textAnswers('text/plain', 401, 403, 429, 503),
    },
    handler: async (_request, reply) =>
      reply.type(runtime.metrics.contentType).send(await runtime.metrics.text()),
  });
}

/** What is wrong, hook by hook. */
export function healthReasons({ hooks, absent, masked, fault, health }: Inventory): object[] {
  if (health === 'ok') return [];
  const failing = hooks.flatMap(({ hook, failure }) =>
    failure === undefined ? [] : [{ hook, code: failure.code, message: failure.detail }],
  );
  const missing = absent.flatMap(({ hook, code, detail = '' }) =>
    code === undefined ? [] : [{ hook, code, message: detail }],
  );
  const passing = masked.map(({ hook, code, point, lastAt }) => {
    const message = `its failPolicy let a call of ${point} pass, last at ${lastAt}`;
    return { hook, code, message };
  });
  const broken =
    fault === undefined
      ? []
      : [{ hook: fault.hook, code: 'fault_injected', message: messageOf(fault) }];
  return [...broken, ...failing, ...missing, ...passing];
}

function messageOf({ fault, by, met, calls }: LiveFault): string {
  return `${by} has it fail (${fault}): ${met} of ${calls} calls so far`;
}
