import type { FastifyInstance } from 'fastify';

import { SignalboxError } from '../../sdk/errors.ts';
import type { ObjectSchema } from '../../sdk/json-schema.ts';
import { nearest } from '../config/nearest.ts';
import { printable } from '../config/printable.ts';
import type { LiveRuntime } from '../live-runtime.ts';
import { Latency } from '../metrics/latency.ts';
import type { Statuses } from './error-answer.ts';
import { answers } from './openapi.ts';
import { actorOf } from './roles.ts';

const NAME = { type: 'string', minLength: 1, maxLength: 256 } as const;
const PARAMS = { type: 'object', properties: { hook: NAME } } as const;

const MODE_SCHEMA = {
  type: 'object',
  properties: {
    mode: { enum: ['enforce', 'shadow'] },
    reason: { type: 'string', maxLength: 500, description: 'Kept with the change' },
    force: {
      type: 'boolean',
      description: 'Needed, with a reason, where a hook is to hold nothing back any more',
    },
  },
  required: ['mode'],
  additionalProperties: false,
} as const satisfies ObjectSchema;

interface OfHook {
  readonly Params: { readonly hook: string };
}

interface ModeRequest extends OfHook {
  readonly Body: {
    readonly mode: 'enforce' | 'shadow';
    readonly reason?: string;
    readonly force?: boolean;
  };
}

/** What a reload is refused for. Only admins can ask for one, and the files that are named are theirs. */
const REFUSALS = {
  config_missing: 409,
  config_syntax: 409,
  config_invalid: 409,
  environment_invalid: 409,
  token_unusable: 409,
  hook_required: 409,
  lock_invalid: 409,
  composition: 409,
} as const satisfies Statuses;

/** Failures that are shown with a hook. */
const SHOWN_FAILURES = 20;

/** Adds the routes that show one hook, change what its decisions count for, and take over a changed configuration. */
export function addControlRoutes(app: FastifyInstance, runtime: LiveRuntime): void {
  app.get('/v1/hooks', {
    config: { role: 'operator' },
    schema: {
      operationId: 'hooks',
      summary: 'List the hooks that are live, and those that are not and why',
      response: answers('Inventory', 401, 403, 429, 503),
    },
    handler: async () => runtime.inventory(),
  });
  app.get<OfHook>('/v1/hooks/:hook', {
    config: { role: 'operator' },
    schema: {
      operationId: 'hook',
      summary: 'Show a hook with its manifest, the last hour of its runs and its last failures',
      params: PARAMS,
      response: answers('HookDetail', 401, 403, 404, 429, 503),
    },
    handler: async ({ params }) => detailOf(runtime, params.hook),
  });
  app.put<ModeRequest>('/v1/hooks/:hook/mode', {
    config: { role: 'admin' },
    schema: {
      operationId: 'setMode',
      summary: 'Let a hook decide, or only record what it would decide, from its next call on',
      params: PARAMS,
      body: MODE_SCHEMA,
      response: answers('ModeOfHook', 400, 401, 403, 404, 409, 413, 415, 429, 500, 503),
    },
    handler: async ({ params: { hook }, body: { mode, ...why }, caller }) => {
      await runtime.setMode(hook, mode, { ...why, who: actorOf(caller) });
      return { hook, mode };
    },
  });
  app.post('/v1/reload', {
    config: { role: 'admin', statuses: REFUSALS },
    schema: {
      operationId: 'reload',
      summary: 'Take over runtime.json as it is now, whole or not at all',
      response: answers('Reload', 400, 401, 403, 409, 429, 500, 503),
    },
    handler: async ({ caller }) => runtime.reload({ who: actorOf(caller) }),
  });
}

async function detailOf(runtime: LiveRuntime, name: string): Promise<object> {
  const { hooks } = runtime.inventory();
  const row = hooks.find(({ hook }) => hook === name);
  const manifest = runtime.manifestOf(name);
  if (row === undefined || manifest === undefined) {
    const names = hooks.map(({ hook }) => hook);
    throw new SignalboxError('hook_unknown', {
      hook: printable(name, 80),
      nearest: nearest(name, names) ?? '',
    });
  }
  const failed = await runtime.records.query({ hook: name, hasCode: true, limit: SHOWN_FAILURES });
  const { timeoutMs, memoryMb } = row;
  return {
    row,
    manifest,
    limits: { timeoutMs, memoryMb },
    latency: { bucketsMs: Latency.boundsMs, series: runtime.feed.minutes(name) },
    failures: failed.records,
  };
}
