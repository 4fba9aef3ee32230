import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Action } from '../../sdk/decisions.ts';
import { SignalboxError } from '../../sdk/errors.ts';
import type { Point } from '../../sdk/points.ts';
import { nameOf, type Acts } from '../acts/acts.ts';
import { nearest } from '../config/nearest.ts';
import { printable } from '../config/printable.ts';
import type { FireObservers, ObservedFire, ObservedRun } from '../fire/observer.ts';
import type { Substitute } from '../reload/substitute.ts';
import type { InventoryRow } from '../runtime.ts';
import type { FaultName } from '../testing/faults.ts';

/** Which hook of a runtime at work is made to fail, how, for how many calls, and who wants it. */
export interface LiveFaultOrder {
  readonly who: string;
  readonly hook: string;
  readonly fault: FaultName;
  /** 1 to 1000. */
  readonly calls: number;
  readonly reason?: string | undefined;
  /** Needed, with a reason, where calls that the hook guards would pass. */
  readonly force?: boolean | undefined;
}

/** What callers got of a fault. */
export interface LiveFault {
  readonly hook: string;
  readonly fault: FaultName;
  readonly by: string;
  /** ISO 8601 in UTC. */
  readonly startedAt: string;
  readonly calls: number;
  /** Calls that it has met. */
  readonly met: number;
  /** Why it is over; absent while it is not. */
  readonly ended?: 'calls' | 'time' | 'request' | 'change';
  readonly points: readonly {
    readonly point: Point;
    readonly calls: number;
    /** Actions of the verdicts; for a hook in shadow mode, its own. */
    readonly got: Readonly<Partial<Record<Action, number>>>;
    readonly codes: Readonly<Record<string, number>>;
  }[];
}

/** Makes hooks of a runtime at work fail: real callers get what comes of it. */
export interface LiveFaults {
  /**
   * Puts a fault in the place of a hook once it is kept who did; calls that run by then are not hit. Rejects with
   * `hook_unknown`, `request_invalid`, `fault_refused`, `database`.
   */
  inject(order: LiveFaultOrder): Promise<LiveFault>;
  /** Puts the hook back, if it is not yet, and keeps who did. A reload and a change of mode put it back as well. */
  end(order: { readonly who: string }): void;
  /** The one at work, or the last one. */
  current(): LiveFault | undefined;
}

/** What live faults are made with. */
export interface LiveFaultParts {
  readonly substitute: Substitute;
  readonly hooks: () => readonly InventoryRow[];
  readonly observers: FireObservers;
  readonly acts: Pick<Acts, 'note'>;
  readonly onProblem: (error: SignalboxError) => void;
}

export const MAX_CALLS = 1000;
/** A hook that is hardly called does not stay broken. */
const MAX_MS = 600_000;

/** No fault yet. */
export function createLiveFaults(parts: LiveFaultParts): LiveFaults {
  const { substitute, hooks, observers, acts, onProblem } = parts;
  let last: Tally | undefined;
  let end = (_why: NonNullable<LiveFault['ended']>, _who?: string): void => undefined;
  let isStarting = false;

  async function start(order: LiveFaultOrder, by: string): Promise<LiveFault> {
    const { hook, fault, calls, reason = '' } = order;
    const { rigFault } = await import('../testing/faults.ts');
    const folder = await mkdtemp(join(tmpdir(), 'signalbox-fault-'));
    const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
    try {
      const why = printable(reason.trim(), 500);
      const detail = `${fault}, ${calls} calls${why === '' ? '' : `: ${why}`}`;
      await acts.note({ by, act: 'fault injected', target: hook, detail });
      const tally = createTally({ hook, fault, calls, by });
      const watch = (onOver: (why: 'calls' | 'time') => void): (() => void) => {
        const timer = setTimeout(() => onOver('time'), MAX_MS).unref();
        const unobserve = observers.add({
          onVerdict: (fire) => void (tally.note(fire) && onOver('calls')),
          onShadow: ({ point }, run) => void (tally.noteRun(point, run) && onOver('calls')),
        });
        return () => {
          clearTimeout(timer);
          unobserve();
        };
      };
      let unwatch = (): void => undefined;
      let ender = by;
      const restore = await substitute({
        rig: rigFault(fault, { name: hook, folder }),
        onBegin() {
          tally.begin();
          last = tally;
          unwatch = watch((why) => end(why));
        },
        onEnd() {
          tally.end('change');
          unwatch();
          void remove();
          const said = `${fault}, ${tally.read().met} calls`;
          const ended = { by: ender, act: 'fault ended', target: hook, detail: said };
          acts.note(ended).catch((error: unknown) => {
            if (error instanceof SignalboxError) onProblem(error);
          });
        },
      });
      end = (why, who = by) => {
        if (tally.read().ended !== undefined) return;
        ender = who;
        tally.end(why);
        restore();
      };
      return tally.read();
    } catch (error) {
      await remove();
      throw error;
    }
  }

  return {
    async inject(order) {
      const by = nameOf(order.who);
      const isBusy = isStarting || (last !== undefined && last.read().ended === undefined);
      if (isBusy) throw refused(order.hook, 'another fault is not over yet');
      checkOrder(order, hooks());
      isStarting = true;
      try {
        return await start(order, by);
      } finally {
        isStarting = false;
      }
    },
    end: ({ who }) => end('request', nameOf(who)),
    current: () => last?.read(),
  };
}

function checkOrder(order: LiveFaultOrder, hooks: readonly InventoryRow[]): void {
  const { hook, fault, calls, force = false, reason = '' } = order;
  const row = hooks.find((one) => one.hook === hook);
  if (row === undefined) {
    const names = hooks.map((one) => one.hook);
    const data = { hook: printable(hook, 80), nearest: nearest(hook, names) ?? '' };
    throw new SignalboxError('hook_unknown', data);
  }
  if (!Number.isInteger(calls) || calls < 1 || calls > MAX_CALLS) {
    throw new SignalboxError('request_invalid', { detail: `"calls" must be 1 to ${MAX_CALLS}` });
  }
  if (fault === 'slow-store') throw refused(hook, 'other hooks have the same store');
  const isGuard = row.capabilities.granted.some((name) => name.startsWith('gates_'));
  const isOpen = row.points.some(({ failPolicy }) => failPolicy === 'open');
  if (row.mode === 'enforce' && isGuard && isOpen && !(force && reason.trim() !== '')) {
    throw refused(hook, 'calls that it guards would pass, which needs force and a reason');
  }
}

function refused(hook: string, detail: string): SignalboxError {
  return new SignalboxError('fault_refused', { hook: printable(hook, 80), detail });
}

/** Counts what came of a fault. The notes tell whether it has met as many calls as it should. */
interface Tally {
  begin(): void;
  note(fire: ObservedFire): boolean;
  noteRun(point: Point, run: ObservedRun): boolean;
  end(why: NonNullable<LiveFault['ended']>): void;
  read(): LiveFault;
}

interface PointTally {
  calls: number;
  readonly got: Partial<Record<Action, number>>;
  readonly codes: Record<string, number>;
}

function createTally(order: Pick<LiveFault, 'hook' | 'fault' | 'by' | 'calls'>): Tally {
  let startedMs = Date.now();
  const points = new Map<Point, PointTally>();
  let met = 0;
  let ended: LiveFault['ended'];
  /** A handler that a module registered is named after its hook. */
  const isOf = ({ hook }: ObservedRun): boolean =>
    hook === order.hook || hook.startsWith(`${order.hook}/`);
  const add = (point: Point, action: Action, runs: readonly ObservedRun[]): boolean => {
    const tally = points.get(point) ?? { calls: 0, got: {}, codes: {} };
    points.set(point, tally);
    met += 1;
    tally.calls += 1;
    tally.got[action] = (tally.got[action] ?? 0) + 1;
    for (const { code } of runs) {
      if (code !== undefined) tally.codes[code] = (tally.codes[code] ?? 0) + 1;
    }
    return met >= order.calls;
  };
  return {
    note({ point, action, hooks, startTime }) {
      const runs = hooks.filter(isOf);
      // One that began before has met the hook itself.
      return runs.length > 0 && startTime >= startedMs && add(point, action, runs);
    },
    noteRun: (point, run) => isOf(run) && add(point, run.action, [run]),
    begin() {
      startedMs = Date.now();
    },
    end(why) {
      ended ??= why;
    },
    read: () => ({
      ...order,
      startedAt: new Date(startedMs).toISOString(),
      met,
      ...(ended !== undefined && { ended }),
      points: [...points].map(([point, tally]) => ({ point, ...structuredClone(tally) })),
    }),
  };
}
