import type { FastifyInstance } from 'fastify';

import { POINT_NAMES } from '../../sdk/points.ts';
import type { LiveRuntime } from '../live-runtime.ts';
import { healthReasons } from './health-routes.ts';
import { answers } from './openapi.ts';

/** Adds the routes that say who is asking and how everything stands. */
export function addOverviewRoutes(
  app: FastifyInstance,
  runtime: LiveRuntime,
  version: string,
): void {
  app.get('/v1/me', {
    config: { role: 'agent' },
    schema: {
      operationId: 'me',
      summary: 'Say whose token this is and what it may do',
      response: answers('Me', 401, 403, 429, 503),
    },
    handler: async ({ caller }) => ({ ...caller, version }),
  });
  app.get('/v1/overview', {
    config: { role: 'operator' },
    schema: {
      operationId: 'overview',
      summary: 'Show every point with the hooks that stand at it, and how they do',
      response: answers('Overview', 401, 403, 429, 503),
    },
    handler: async () => overviewOf(runtime),
  });
  app.get('/v1/coverage', {
    config: { role: 'operator' },
    schema: {
      operationId: 'coverage',
      summary: 'Show which points and hooks were reached since the start, and what passed by',
      response: answers('Coverage', 401, 403, 429, 503),
    },
    handler: async () => runtime.coverage(),
  });
}

async function overviewOf(runtime: LiveRuntime): Promise<object> {
  const { feed, metrics, approvals } = runtime;
  const inventory = runtime.inventory();
  const { passedWithoutHook, passedDespiteFailure } = metrics.snapshot();
  const waiting = await approvals.list({ status: 'pending' });
  const points = POINT_NAMES.map((point) => {
    const withoutHook = passedWithoutHook[point] ?? 0;
    const hooks = inventory.hooks
      .flatMap(({ hook, mode, state, points: bound }) =>
        bound
          .filter((at) => at.point === point)
          .map(({ order, failPolicy }) => ({ hook, order, failPolicy, mode, state })),
      )
      .sort((a, b) => a.mode.localeCompare(b.mode) || a.order - b.order);
    return {
      point,
      calls: (feed.firesByPoint.get(point) ?? 0) + withoutHook,
      withoutHook,
      despiteFailure: passedDespiteFailure[point] ?? 0,
      hooks,
    };
  });
  const hooks = inventory.hooks.map(({ hook, origin, sandbox, mode, state }) => {
    const { failures: failuresLastHour, p50Ms, p99Ms } = feed.hour(hook);
    const { calls, failures } = feed.total(hook);
    const from = origin.kind === 'package' && { package: origin.name, version: origin.version };
    return { hook, ...from, sandbox, mode, state, calls, failures, failuresLastHour, p50Ms, p99Ms };
  });
  return {
    health: inventory.health,
    reasons: healthReasons(inventory),
    startedAt: feed.startedAt,
    approvalsWaiting: waiting.length,
    points,
    hooks,
  };
}
