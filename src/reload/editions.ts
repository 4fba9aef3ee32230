import type { Host } from '../../host/sandbox.ts';
import type { Context } from '../verdict.ts';
import { dropSandboxes, type Edition } from './edition.ts';

/** The editions at work: the current one, and those in which turns still run. The maker closes it. */
export interface Editions {
  readonly current: Edition;
  /** The edition of a call: that in which its turn began. To be asked in the task in which the call is then counted. */
  of(context: Context): Edition;
  /** The editions that the next call of a session may be of. */
  atHand(sessionId: string | undefined): readonly Edition[];
  /** Every edition that is not ended. */
  all(): readonly Edition[];
  /** Their hosts, each once. */
  hosts(): readonly Host[];
  /** Puts another edition in the place of the current one. Turns that run stay where they are, unless it holds for them too. */
  replace(next: Edition, options?: { readonly holdsAtOnce?: boolean }): void;
  /** Ends an edition that never became current. */
  discard(edition: Edition): Promise<void>;
  endTurn(sessionId: string): void;
  /** Resolves when no call runs and what is over is ended. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

/** A turn of a session and where it began. */
interface Pin {
  readonly turnId: string;
  readonly edition: Edition;
  /** Looks for idle turns since its last call. */
  age: number;
}

/** Sessions whose turn is remembered; past it the oldest goes on in the current edition. */
const KEPT = 50_000;
/** A turn without a call for this many looks is over. */
const IDLE_LOOKS = 10;
const LOOK_MS = 60_000;

/** Editions that begin with one. */
export function createEditions(first: Edition): Editions {
  const pins = new Map<string, Pin>();
  const live = new Map<Edition, { pins: number; ending?: Promise<void> }>([[first, { pins: 0 }]]);
  let current = first;

  const end = async (edition: Edition): Promise<void> => {
    await edition.inFlight.idle();
    live.delete(edition);
    await dropSandboxes(edition, [...live.keys()]);
    await edition.close();
  };
  const endIfOver = (edition: Edition): void => {
    const use = live.get(edition);
    if (use === undefined || edition === current || use.pins > 0) return;
    // Nobody waits for it: what cannot be ended now ends with the runtime, and must not end it.
    use.ending ??= end(edition).catch(() => undefined);
  };
  const unpin = (sessionId: string): void => {
    const pin = pins.get(sessionId);
    if (pin === undefined) return;
    pins.delete(sessionId);
    const use = live.get(pin.edition);
    if (use !== undefined) use.pins -= 1;
    endIfOver(pin.edition);
  };
  const timer = setInterval(() => {
    for (const [sessionId, pin] of pins) {
      pin.age += 1;
      if (pin.age > IDLE_LOOKS) unpin(sessionId);
    }
  }, LOOK_MS).unref();

  return {
    get current() {
      return current;
    },
    of({ sessionId, turnId }) {
      if (sessionId === undefined || turnId === undefined) return current;
      const pin = pins.get(sessionId);
      if (pin?.turnId === turnId) {
        pin.age = 0;
        return pin.edition;
      }
      unpin(sessionId);
      pins.set(sessionId, { turnId, edition: current, age: 0 });
      const use = live.get(current);
      if (use !== undefined) use.pins += 1;
      if (pins.size > KEPT) unpin(pins.keys().next().value as string);
      return current;
    },
    atHand(sessionId) {
      const pinned = sessionId === undefined ? undefined : pins.get(sessionId)?.edition;
      return pinned === undefined || pinned === current ? [current] : [current, pinned];
    },
    all: () => [...live.keys()],
    hosts: () => [...new Set([...live.keys()].map(({ host }) => host))],
    replace(next, { holdsAtOnce = false } = {}) {
      const before = current;
      live.set(next, { pins: 0 });
      current = next;
      if (holdsAtOnce) for (const sessionId of pins.keys()) unpin(sessionId);
      endIfOver(before);
    },
    async discard(edition) {
      await dropSandboxes(edition, [...live.keys()]);
      await edition.close();
    },
    endTurn: unpin,
    async idle() {
      // Ending one lets no call into another.
      await Promise.all([...live.keys()].map(({ inFlight }) => inFlight.idle()));
      await Promise.all([...live.values()].map(async ({ ending }) => ending));
    },
    async close() {
      clearInterval(timer);
      for (const edition of [...live.keys()].toReversed()) {
        live.delete(edition);
        await dropSandboxes(edition, [...live.keys()]);
        await edition.close();
      }
    },
  };
}
