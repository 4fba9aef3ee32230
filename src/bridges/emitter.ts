import type { EmitPort } from '../../host/bridges.ts';
import type { Payload } from '../chain/call.ts';
import type { InFlight } from '../fire/in-flight.ts';
import type { Context } from '../verdict.ts';

/** What events are fired with. */
export interface EmitterParts {
  /** `emitter` is the hook that emits. */
  readonly fire: (payload: Payload, context: Context, emitter: string) => Promise<unknown>;
  readonly inFlight: InFlight;
}

/** Fires what hooks emit, each event after the run that emitted it has gone on. */
export function createEmitter({ fire, inFlight }: EmitterParts): EmitPort {
  return ({ name, data }, { context, hook }) => {
    // The bridge hands the context of the fire through as it was.
    const { signal: _s, toolSchema: _t, ...rest } = context as Context;
    inFlight.enter();
    setImmediate(() => {
      fire({ name, data }, rest, hook)
        // Nobody waits for it; what its hooks did is recorded.
        .catch(() => undefined)
        .finally(() => inFlight.leave());
    });
  };
}
