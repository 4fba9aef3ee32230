import type { FastifyInstance } from 'fastify';

import type { Point } from '../../sdk/points.ts';
import type { Runtime, TestReport } from '../runtime.ts';
import type { Context } from '../verdict.ts';
import { answers } from './openapi.ts';
import { pointOf } from './point-name.ts';
import { TEST_SCHEMA } from './schemas.ts';

interface TestBody {
  readonly Body: {
    readonly point: Point;
    readonly hookName?: string;
    readonly payload: unknown;
    readonly context?: Context;
  };
}

/** Adds the routes that show and test the hooks. */
export function addInspectRoutes(app: FastifyInstance, runtime: Runtime): void {
  app.get('/inspect/hooks', {
    config: { role: 'operator' },
    schema: {
      operationId: 'inventory',
      summary: 'List the hooks that are live, and those that are not and why',
      response: answers('Inventory', 401, 403, 503),
    },
    handler: async () => runtime.inventory(),
  });
  app.post<TestBody>('/inspect/hooks/test', {
    config: { role: 'operator' },
    schema: {
      operationId: 'testHooks',
      summary: 'Run one hook or the chain of a point on a payload, without leaving a trace',
      body: TEST_SCHEMA,
      response: answers('TestReport', 400, 401, 403, 404, 413, 415, 500, 503),
    },
    handler: async ({ body }) => {
      pointOf(body.point);
      return shownReport(await runtime.test(body));
    },
  });
}

/** The report as it is documented: every key is always there. */
function shownReport(report: TestReport): Record<string, unknown> {
  const { action, reason = null, code = null, input, output, modified, blocked } = report;
  const hooks = report.hooks.map((hook) => ({
    name: hook.name,
    action: hook.action,
    code: hook.code ?? null,
  }));
  const { notRun, logs } = report;
  return { action, reason, code, input, output, modified, blocked, hooks, notRun, logs };
}
