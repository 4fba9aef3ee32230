import { LIMITS } from '../../sdk/limits.ts';
import { isTooDeep } from '../../sdk/parse-decision.ts';
import { POINTS } from '../../sdk/points.ts';
import type { PointRow } from '../../sdk/points/row.ts';
import { BridgeError, countProblem } from './refusal.ts';
import type { BridgeOrigin, BridgeRow } from './row.ts';

/** A custom event, as hooks at the point `event` see it. */
export interface EmittedEvent {
  readonly name: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Takes an event and fires it later: the run that emits it may hold the sandbox that has to handle it. */
export type EmitPort = (event: EmittedEvent, origin: BridgeOrigin) => void;

/** `ctx.emit(name, data)`. */
export const EMIT_BRIDGES = {
  emit: {
    capability: 'emits:events',
    credit: 'emitCalls',
    effect: 'inside',
    problem: (args) =>
      countProblem(args, 1, 2) ?? nameProblem(args[0]) ?? dataProblem(args[1] ?? {}),
    scope: () => undefined,
    perform({ emit }, args, { origin }) {
      // One level deep: two hooks that answer each other's events would never end.
      if (origin.point === 'event') {
        throw new BridgeError('invalid', 'No event is emitted while one is handled');
      }
      const data = (args[1] ?? {}) as EmittedEvent['data'];
      return emit && emitted(() => emit({ name: args[0] as string, data }, origin));
    },
  },
} as const satisfies Readonly<Record<string, BridgeRow>>;

async function emitted(emit: () => void): Promise<null> {
  emit();
  return null;
}

/** Names that loops give their own events: a hook that could use one could say that an approval was granted. */
const RESERVED: ReadonlySet<string> = new Set(
  Object.values<PointRow>(POINTS).flatMap(({ names }) => Object.values(names).flat()),
);

function nameProblem(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > 128) return 'the name must be a short string';
  if (!/^[A-Za-z0-9_.-]+:[A-Za-z0-9_.-]+$/.test(value)) {
    return 'the name must be two plain words around a colon, such as "acme:refund-seen"';
  }
  return RESERVED.has(value) ? "the name is one of the loop's own events" : undefined;
}

function dataProblem(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return 'the data must be an object';
  }
  if (isTooDeep(value, LIMITS.nesting)) return `the data is nested deeper than ${LIMITS.nesting}`;
  const isLong = Buffer.byteLength(JSON.stringify(value)) > LIMITS.eventBytes;
  return isLong ? `the data is longer than ${LIMITS.eventBytes} bytes` : undefined;
}
