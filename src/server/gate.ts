import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { SignalboxError } from '../../sdk/errors.ts';
import { checkRole, identify, type AccessRules } from './access.ts';

/** How often one caller may come, a minute; `null`, as often as it likes. */
export interface RateLimits {
  /** Of everything but fires. */
  readonly requestsPerMinute: number | null;
  readonly firesPerMinute: number | null;
}

/** Wrong tokens of one address that are answered one by one, a minute. */
const FAILURES_PER_MINUTE = 60;

/** Addresses and tokens whose requests are counted at a time; the longest unseen are forgotten. */
const COUNTED_CALLERS = 10_000;

/** The route of which agents make very many calls. */
export const FIRE_ROUTE = '/v1/points/:point';

/** What every answer says to browsers: nothing of other origins is loaded, run, framed or told. */
const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** Lets in who may call a route, as often as allowed. Everything that is added afterwards is behind it. */
export async function addGate(
  app: FastifyInstance,
  rules: AccessRules & { readonly limits: RateLimits },
): Promise<void> {
  await app.register(rateLimit, { global: false, cache: COUNTED_CALLERS });
  const { requestsPerMinute, firesPerMinute } = rules.limits;
  const checkFailures = limiter(app, 'failures', FAILURES_PER_MINUTE);
  const checkRequests = limiter(app, 'requests', requestsPerMinute);
  const checkFires = limiter(app, 'fires', firesPerMinute);
  app.decorateRequest('caller', undefined);
  const refuse = async (error: unknown, ...asked: Asked): Promise<never> => {
    const isGuess = error instanceof SignalboxError && error.code === 'unauthorised';
    if (isGuess) await checkFailures?.(...asked);
    throw error;
  };
  // A promise only where something is awaited: each costs every fire a turn.
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(HEADERS);
    const { method, headers } = request;
    const { rawHeaders } = request.raw;
    const { config, url } = request.routeOptions;
    try {
      request.caller = identify(rules, { method, headers, rawHeaders });
      // Where nothing is, any caller is told so.
      checkRole(request.caller, request.is404 ? 'agent' : (config.role ?? 'admin'));
    } catch (error) {
      return refuse(error, request, reply);
    }
    const check = url === FIRE_ROUTE ? checkFires : checkRequests;
    if (check !== undefined) return check(request, reply);
    done();
    return undefined;
  });
}

type Asked = [request: FastifyRequest, reply: FastifyReply];
type Check = (...asked: Asked) => Promise<void>;

/** Makes what throws `rate_limited` for a caller that came too often within a minute. */
function limiter(app: FastifyInstance, name: string, max: number | null): Check | undefined {
  if (max === null) return undefined;
  const count = app.createRateLimit({
    max,
    timeWindow: 60_000,
    keyGenerator: ({ caller, ip }) => `${name} ${caller?.name ?? ''} ${caller ? '' : ip}`,
  });
  return async (request, reply) => {
    const state = await count(request);
    if (state.isAllowed || !state.isExceeded) return;
    reply.header('retry-after', String(state.ttlInSeconds));
    throw new SignalboxError('rate_limited', { seconds: state.ttlInSeconds });
  };
}
