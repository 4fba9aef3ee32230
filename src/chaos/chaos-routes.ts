import type { FastifyInstance } from 'fastify';

import type { ObjectSchema } from '../../sdk/json-schema.ts';
import type { LiveRuntime } from '../live-runtime.ts';
import { answers } from '../server/openapi.ts';
import { actorOf } from '../server/roles.ts';
import { FAULT_NAMES, type FaultName } from '../testing/faults.ts';
import { MAX_CALLS, type LiveFault } from './live-faults.ts';

const ORDER_SCHEMA = {
  type: 'object',
  properties: {
    hook: { type: 'string', minLength: 1, maxLength: 256 },
    fault: { enum: FAULT_NAMES },
    calls: { type: 'integer', minimum: 1, maximum: MAX_CALLS },
    reason: { type: 'string', maxLength: 500, description: 'Kept with who did it' },
    force: {
      type: 'boolean',
      description: 'Needed, with a reason, where calls that the hook guards would pass',
    },
  },
  required: ['hook', 'fault', 'calls'],
  additionalProperties: false,
} as const satisfies ObjectSchema;

interface OrderRequest {
  readonly Body: {
    readonly hook: string;
    readonly fault: FaultName;
    readonly calls: number;
    readonly reason?: string;
    readonly force?: boolean;
  };
}

/** Adds the routes that make a hook at work fail and show what came of it. */
export function addChaosRoutes(
  app: FastifyInstance,
  { faults }: Pick<LiveRuntime, 'faults'>,
): void {
  const shown = (fault: LiveFault | undefined): object => (fault === undefined ? {} : { fault });
  app.post<OrderRequest>('/v1/chaos', {
    config: { role: 'admin' },
    schema: {
      operationId: 'injectFault',
      summary: 'Make a hook fail for so many calls of real callers, ten minutes at most',
      body: ORDER_SCHEMA,
      response: answers('Chaos', 400, 401, 403, 404, 409, 413, 415, 429, 500, 503),
    },
    handler: async ({ body, caller }) =>
      shown(await faults.inject({ ...body, who: actorOf(caller) })),
  });
  app.get('/v1/chaos', {
    config: { role: 'operator' },
    schema: {
      operationId: 'showFault',
      summary: 'Show the fault that is at work, or the last one, with what callers got',
      response: answers('Chaos', 401, 403, 429, 503),
    },
    handler: async () => shown(faults.current()),
  });
  app.delete('/v1/chaos', {
    config: { role: 'admin' },
    schema: {
      operationId: 'endFault',
      summary: 'Put the hook back before its calls are used up',
      response: answers('Chaos', 400, 401, 403, 429, 503),
    },
    handler: async ({ caller }) => {
      faults.end({ who: actorOf(caller) });
      return shown(faults.current());
    },
  });
}
