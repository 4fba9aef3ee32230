import type { Host } from '../../host/sandbox.ts';
import { printable } from '../config/printable.ts';
import type { Log } from '../log.ts';
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
/** One that goes on calling has the hooks it began with for so many after a change. */
const OUTDATED_LOOKS = 10;
const LOOK_MS = 60_000;

/** What an edition is needed for. */
interface Use {
  pins: number;
  /** Looks since another took its place. */
  age: number;
  /** Its sandboxes are being dropped: it keeps none of them for others. */
  isOver: boolean;
  ending?: Promise<void>;
}

/** Editions that begin with one. */
export function createEditions(first: Edition, log: Pick<Log, 'info'>): Editions {
  const pins = new Map<string, Pin>();
  const unused = (): Use => ({ pins: 0, age: 0, isOver: false });
  const live = new Map([[first, unused()]]);
  let current = first;

  /** Ends an edition, whatever part of it cannot be: the rest must not stay for that. */
  const finish = async (edition: Edition): Promise<void> => {
    const others = [...live].flatMap(([other, { isOver }]) =>
      isOver || other === edition ? [] : [other],
    );
    const steps = [() => dropSandboxes(edition, others), () => edition.close()];
    for (const step of steps) {
      try {
        await step();
      } catch (error) {
        const detail = printable(error instanceof Error ? error.message : '');
        log.info('reload_end_failed', { edition: edition.number, detail });
      }
    }
  };
  const end = (edition: Edition, use: Use): Promise<void> => {
    const ending = async (): Promise<void> => {
      await edition.inFlight.idle();
      use.isOver = true;
      await finish(edition);
      // Last: until then whoever closes the runtime waits for it.
      live.delete(edition);
    };
    return (use.ending ??= ending());
  };
  const endIfOver = (edition: Edition): void => {
    const use = live.get(edition);
    if (use === undefined || edition === current || use.pins > 0) return;
    void end(edition, use);
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
    for (const [edition, use] of live) if (edition !== current) use.age += 1;
    for (const [sessionId, pin] of pins) {
      pin.age += 1;
      // A caller that never changes the name of its turn has the new hooks too, if later.
      const isOutdated = (live.get(pin.edition)?.age ?? 0) > OUTDATED_LOOKS;
      if (pin.age > IDLE_LOOKS || isOutdated) unpin(sessionId);
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
      // There is a first: one was just added.
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
      live.set(next, unused());
      current = next;
      if (holdsAtOnce) for (const sessionId of pins.keys()) unpin(sessionId);
      endIfOver(before);
    },
    discard: finish,
    endTurn: unpin,
    async idle() {
      // Ending one lets no call into another.
      await Promise.all([...live.keys()].map(({ inFlight }) => inFlight.idle()));
      await Promise.all([...live.values()].map(async ({ ending }) => ending));
    },
    async close() {
      clearInterval(timer);
      for (const [edition, use] of [...live].toReversed()) await end(edition, use);
    },
  };
}
