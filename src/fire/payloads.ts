import { SignalboxError } from '../../sdk/errors.ts';
import { POINTS, type Point } from '../../sdk/points.ts';
import type { Payload } from '../chain/call.ts';
import { compileOwnSchema, type Validator } from '../json-validator.ts';

/** A payload as the caller gave it and found valid. */
export interface AdmittedPayload {
  /** A copy of the top level with the defaults of the point, without what the host itself puts into every payload. */
  readonly payload: Payload;
  /** A request id that the caller put into the payload. */
  readonly requestId: string | undefined;
}

/** Holds payloads against the rows of the points. */
export interface PayloadChecks {
  /** Compiles what a point needs, so that its first call does not wait for it. */
  prepare(point: Point): void;
  /** Throws `payload_invalid`. Leaves the caller's object as it is and does not follow its prototype. */
  admit(point: Point, payload: unknown): AdmittedPayload;
  /** Why a changed payload does not fit; `undefined` when it does. */
  misfit(point: Point, payload: Payload): string | undefined;
}

/** Payload checks with one compiled validator per point. */
export function createPayloadChecks(): PayloadChecks {
  const validators = new Map<Point, Validator>();
  function validatorOf(point: Point): Validator {
    const known = validators.get(point);
    if (known !== undefined) return known;
    const compiled = compileOwnSchema(POINTS[point].payload);
    validators.set(point, compiled);
    return compiled;
  }
  return {
    prepare: (point) => void validatorOf(point),
    misfit: (point, payload) => validatorOf(point)(payload),
    admit(point, given) {
      if (typeof given !== 'object' || given === null || Array.isArray(given)) {
        throw new SignalboxError('payload_invalid', { point, detail: 'it must be an object' });
      }
      // Rest takes own properties alone, so that a prototype cannot stand in for a missing field.
      const { timestamp: _, requestId, ...payload } = given as Record<string, unknown>;
      const detail = validatorOf(point)(payload);
      if (detail !== undefined) throw new SignalboxError('payload_invalid', { point, detail });
      return { payload, requestId: typeof requestId === 'string' ? requestId : undefined };
    },
  };
}
