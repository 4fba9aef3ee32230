import type { ServerRole } from '../config/runtime-config.ts';
import type { Statuses } from './error-answer.ts';

/** Who is behind a request. */
export interface ApiCaller {
  /** That of the token; `local` on a server without tokens. */
  readonly name: string;
  readonly role: ServerRole;
}

/** What a route asks for; `open`, nothing. */
export type RouteRole = ServerRole | 'open';

const RANKS = { open: 0, agent: 1, operator: 2, admin: 3 } as const satisfies Record<
  RouteRole,
  number
>;

/** Whether a role may do what another one may. */
export function isAtLeast(role: RouteRole, needed: RouteRole): boolean {
  return RANKS[role] >= RANKS[needed];
}

/** Who did something, for records: what callers say of themselves stands beside the token that shows it. */
export function actorOf(caller: ApiCaller | undefined, claimed?: string): string {
  const { name = 'unknown' } = caller ?? {};
  const isClaim = claimed !== undefined && claimed.trim() !== '' && claimed !== name;
  return isClaim ? `${claimed} (${name})` : name;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may call the route; `admin` where it does not say. */
    role?: RouteRole;
    /** Codes that are no fault of the server here; their messages may name its files. */
    statuses?: Statuses;
  }
  interface FastifyRequest {
    /** Set before a handler runs; `undefined` for strangers at an open route. */
    caller: ApiCaller | undefined;
  }
}
