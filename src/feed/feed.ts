import type { Point } from '../../sdk/points.ts';
import type { FireObserver, ObservedRun } from '../fire/observer.ts';
import { createFireRing } from './fire-ring.ts';
import { createHookHistory, type HookHistory } from './hook-history.ts';
import { traceOf, type FireTrace } from './trace.ts';

/** A run in shadow mode, told after its fire. */
export interface ShadowNews {
  readonly fireId: string;
  readonly point: Point;
  readonly run: ObservedRun;
}

/** What came since the batch before. */
export interface FeedBatch {
  readonly fires: readonly FireTrace[];
  /** Of fires of earlier batches; the others have it. */
  readonly shadow: readonly ShadowNews[];
  /** Fires that came too fast to be kept until now. */
  readonly missed: number;
}

/** What happens now and happened of late, in memory that does not grow. */
export interface Feed extends Pick<HookHistory, 'minutes' | 'hour' | 'total'> {
  /** ISO 8601 in UTC. */
  readonly startedAt: string;
  find(fireId: string): FireTrace | undefined;
  /** Newest first. */
  newest(limit: number): readonly FireTrace[];
  /** Those after a fire, oldest first; `undefined` when it is no longer kept. */
  after(fireId: string): readonly FireTrace[] | undefined;
  /** Fires that hooks looked at, by point, since the start. */
  readonly firesByPoint: ReadonlyMap<Point, number>;
  /** Batches of at least one fire or shadow run, some milliseconds late. Returns what ends it. */
  subscribe(listener: (batch: FeedBatch) => void): () => void;
  /** Delivers what is gathered now: who reads the newest and then subscribes has nothing twice. */
  flush(): void;
  /** To be added to the observers of a runtime. */
  readonly observer: FireObserver;
}

/** How many fires are kept. */
const KEPT_FIRES = 2000;

/** How long news is gathered: a write for each fire would cost more than the fire. */
const BATCH_MS = 50;

/** A feed without anything in it; `now` in milliseconds since 1970. */
export function createFeed(now: () => number): Feed {
  const ring = createFireRing(KEPT_FIRES);
  const history = createHookHistory(now);
  const firesByPoint = new Map<Point, number>();
  const mailing = createMailing((limit) => ring.newest(limit).map(traceOf));
  const count = (time: number, { hook, ms, code }: ObservedRun): void =>
    history.add(hookOf(hook), { time, ms, isFailure: code !== undefined });
  return {
    startedAt: new Date(now()).toISOString(),
    find: (fireId) => {
      const kept = ring.find(fireId);
      return kept === undefined ? undefined : traceOf(kept);
    },
    newest: (limit) => ring.newest(limit).map(traceOf),
    after: (fireId) => ring.after(fireId)?.map(traceOf),
    minutes: history.minutes,
    hour: history.hour,
    total: history.total,
    firesByPoint,
    subscribe: mailing.subscribe,
    flush: mailing.flush,
    observer: {
      onVerdict(fire) {
        ring.add(fire);
        firesByPoint.set(fire.point, (firesByPoint.get(fire.point) ?? 0) + 1);
        for (const run of fire.hooks) count(fire.startTime, run);
        mailing.noteFire();
      },
      onShadow({ fireId, point }, run) {
        ring.addShadow(fireId, run);
        count(now(), run);
        mailing.noteShadow({ fireId, point, run });
      },
    },
  };
}

/** The hook of a handler that its module registered. */
function hookOf(name: string): string {
  const slash = name.indexOf('/');
  return slash === -1 ? name : name.slice(0, slash);
}

/** Gathers news for those who listen; nothing is done where nobody does. */
function createMailing(newest: (limit: number) => FireTrace[]) {
  const listeners = new Set<(batch: FeedBatch) => void>();
  let fires = 0;
  let shadow: ShadowNews[] = [];
  let timer: NodeJS.Timeout | undefined;
  const send = (): void => {
    timer = undefined;
    const kept = newest(fires).toReversed();
    const there = new Set(kept.map(({ fireId }) => fireId));
    const later = shadow.filter(({ fireId }) => !there.has(fireId));
    const batch = { fires: kept, shadow: later, missed: fires - kept.length };
    fires = 0;
    shadow = [];
    for (const listener of listeners) listener(batch);
  };
  const start = (): void => {
    timer ??= setTimeout(send, BATCH_MS).unref();
  };
  return {
    flush(): void {
      if (timer === undefined) return;
      clearTimeout(timer);
      send();
    },
    subscribe(listener: (batch: FeedBatch) => void): () => void {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearTimeout(timer);
        timer = undefined;
        fires = 0;
        shadow = [];
      };
    },
    noteFire(): void {
      if (listeners.size === 0) return;
      fires += 1;
      start();
    },
    noteShadow(news: ShadowNews): void {
      if (listeners.size === 0) return;
      // More than what is kept of fires would grow with them.
      if (shadow.length < KEPT_FIRES) shadow.push(news);
      start();
    },
  };
}
