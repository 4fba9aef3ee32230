import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { Point } from '../../sdk/points.ts';
import type { Context } from '../verdict.ts';

/** Keeps which model call an asynchronous task is in, so that what belongs to one call carries one id. */
export interface RequestSlot {
  /**
   * The context with the id of the call, to be asked for in the caller's own task. A request opens a call; its response
   * and an error close it; retries and throttling belong to it. An id that the caller gives wins; without a call there is none.
   */
  contextOf(point: Point, payload: unknown, context: Context): Context;
}

type Role = 'opens' | 'closes' | 'belongs';

const ROLES: Readonly<Partial<Record<Point, Role>>> = {
  preModelCall: 'opens',
  postModelCall: 'closes',
  error: 'closes',
  preRetry: 'belongs',
};

/** A slot per asynchronous task. */
export function createRequestSlot(): RequestSlot {
  const slot = new AsyncLocalStorage<string | undefined>();
  return {
    contextOf(point, payload, context) {
      const role = ROLES[point] ?? (isThrottle(point, payload) ? 'belongs' : undefined);
      if (role === undefined) return context;
      const explicit = context.requestId ?? idIn(payload);
      const requestId = explicit ?? (role === 'opens' ? randomUUID() : slot.getStore());
      if (role === 'closes') slot.enterWith(undefined);
      else if (requestId !== slot.getStore()) slot.enterWith(requestId);
      return requestId === undefined ? context : { ...context, requestId };
    },
  };
}

function isThrottle(point: Point, payload: unknown): boolean {
  return point === 'event' && (payload as { name?: unknown } | null)?.name === 'provider:throttle';
}

/** An id in the payload, or in the data of an event. */
function idIn(payload: unknown): string | undefined {
  const { requestId, data } = (payload ?? {}) as { requestId?: unknown; data?: unknown };
  const inner = (data as { request_id?: unknown } | null | undefined)?.request_id;
  return [requestId, inner].find((id) => typeof id === 'string');
}
