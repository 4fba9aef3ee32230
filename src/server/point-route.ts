import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';

import { SignalboxError } from '../../sdk/errors.ts';
import { POINT_NAMES, type PayloadInput, type Point } from '../../sdk/points.ts';
import type { Runtime } from '../runtime.ts';
import type { Context, Verdict } from '../verdict.ts';
import { FIRE_ROUTE } from './gate.ts';
import { answers } from './openapi.ts';
import { pointOf } from './point-name.ts';
import { FIRE_SCHEMA } from './schemas.ts';

interface FireRequest {
  readonly Params: { readonly point: string };
  readonly Body: {
    readonly payload: Readonly<Record<string, unknown>>;
    readonly context?: Context;
    readonly deadlineMs?: number;
  };
}

/** Adds the route by which an agent loop asks the chain of a point. */
export function addPointRoute(app: FastifyInstance, runtime: Runtime): void {
  app.post<FireRequest>(FIRE_ROUTE, {
    config: { role: 'agent' },
    schema: {
      operationId: 'fire',
      summary: 'Ask the hooks of a point',
      description:
        'Any answer but 200 means "undecided": the caller must not go on with what it asked about. The caller is the agent loop; its word on sessions, agents and users is believed.',
      params: { type: 'object', properties: { point: { type: 'string', enum: POINT_NAMES } } },
      body: FIRE_SCHEMA,
      response: answers('Verdict', 400, 401, 403, 404, 413, 415, 500, 503, 504),
    },
    // Before the body is read.
    onRequest(request, _reply, done) {
      pointOf(request.params.point);
      done();
    },
    handler: async (request, reply) => {
      const { payload, context, deadlineMs } = request.body;
      const point = pointOf(request.params.point);
      const gone = new AbortController();
      const onClose = (): void => gone.abort();
      reply.raw.once('close', onClose);
      try {
        return await withDeadline(deadlineMs, gone.signal, (signal) =>
          // The runtime itself holds the payload against its point.
          runtime.fire(point, payload as PayloadInput<Point>, {
            ...context,
            ...traceparentIn(request.headers),
            signal,
          }),
        );
      } finally {
        reply.raw.off('close', onClose);
      }
    },
  });
}

/** Where in a trace the caller is; source: W3C Trace Context. What is malformed is told apart by whoever makes spans. */
function traceparentIn({ traceparent }: IncomingHttpHeaders): Pick<Context, 'traceparent'> {
  return typeof traceparent === 'string' ? { traceparent } : {};
}

/** Ends a fire when its caller has gone or its time is up; then there is no verdict, whatever the chain still says. */
async function withDeadline(
  deadlineMs: number | undefined,
  gone: AbortSignal,
  fire: (signal: AbortSignal) => Promise<Verdict>,
): Promise<Verdict> {
  if (deadlineMs === undefined) return fire(gone);
  const late = new AbortController();
  const passed = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.abort();
    passed.reject(new SignalboxError('deadline_passed', { deadlineMs }));
  }, deadlineMs);
  try {
    return await Promise.race([passed.promise, fire(AbortSignal.any([gone, late.signal]))]);
  } finally {
    clearTimeout(timer);
  }
}
