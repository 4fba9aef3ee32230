import { signal } from '@preact/signals';

import { ApiError, open } from './client.ts';
import type { Trace, TraceHook } from './decision-shapes.ts';
import { readEvents } from './sse.ts';

/** How many fires are kept to look at. */
export const MAX_TRACES = 10_000;

/** How often new fires are shown: more often nobody reads, and each time is work for the page. */
const SHOW_MS = 120;
const RETRY_MS = 2000;

/** The fires of late, newest first. They stay while the operator goes from page to page. */
export const traces = signal<readonly Trace[]>([]);

export type FeedState = 'closed' | 'open' | 'lost';

/** How the feed is connected. */
export const feedState = signal<FeedState>('closed');

/** While it is held, fires gather unseen. */
export const isHeld = signal(false);

/** Whether more happened than could be told. */
export const hasGap = signal(false);

/** How many gathered while it is held. */
export const heldCount = signal(0);

/** Follows the feed until `gone`; after a break it goes on where it was. */
export async function followFeed(gone: AbortSignal): Promise<void> {
  const inbox = createInbox();
  let lastId = traces.peek()[0]?.fireId ?? '';
  const timer = setInterval(inbox.show, SHOW_MS);
  gone.addEventListener('abort', () => clearInterval(timer), { once: true });
  while (!gone.aborted) {
    try {
      const response = await open('/v1/decisions/stream?recent=500', {
        signal: gone,
        headers: { accept: 'text/event-stream', ...(lastId !== '' && { 'last-event-id': lastId }) },
      });
      feedState.value = 'open';
      for await (const { id, event, data } of readEvents(response.body ?? new ReadableStream())) {
        if (event === 'decision') {
          inbox.add(JSON.parse(data) as Trace);
          if (id !== '') lastId = id;
        } else if (event === 'shadow') {
          inbox.addShadow(JSON.parse(data) as ShadowNews);
        } else if (event === 'missed') {
          hasGap.value = true;
        }
      }
    } catch (error) {
      if (gone.aborted) break;
      // Asking again with the same token changes nothing.
      if (error instanceof ApiError && error.status === 401) break;
    }
    feedState.value = 'lost';
    await until(RETRY_MS, gone);
  }
  clearInterval(timer);
  feedState.value = 'closed';
}

interface ShadowNews {
  readonly fireId: string;
  readonly run: TraceHook;
}

/** Gathers what comes, and shows it all at once. */
function createInbox() {
  let fires: Trace[] = [];
  let runs: ShadowNews[] = [];
  return {
    add(trace: Trace): void {
      fires.push(trace);
      if (fires.length > MAX_TRACES) fires = fires.slice(-MAX_TRACES);
    },
    addShadow(news: ShadowNews): void {
      runs.push(news);
      if (runs.length > MAX_TRACES) runs = runs.slice(-MAX_TRACES);
    },
    show(): void {
      if (isHeld.value) heldCount.value = fires.length;
      if (isHeld.value || fires.length + runs.length === 0) return;
      const kept = new Set(
        traces
          .peek()
          .slice(0, fires.length)
          .map(({ fireId }) => fireId),
      );
      const fresh = fires.filter(({ fireId }) => !kept.has(fireId)).toReversed();
      const all = [...fresh, ...traces.peek()].slice(0, MAX_TRACES);
      traces.value = runs.length === 0 ? all : withShadow(all, runs);
      fires = [];
      runs = [];
      heldCount.value = 0;
    },
  };
}

function withShadow(all: readonly Trace[], runs: readonly ShadowNews[]): Trace[] {
  const byFire = Map.groupBy(runs, ({ fireId }) => fireId);
  return all.map((trace) => {
    const news = byFire.get(trace.fireId);
    if (news === undefined) return trace;
    // A fire that is told late has them already.
    const { shadow = [] } = trace;
    const isKnown = ({ hook }: TraceHook): boolean => shadow.some((run) => run.hook === hook);
    return {
      ...trace,
      shadow: [...shadow, ...news.map(({ run }) => run).filter((run) => !isKnown(run))],
    };
  });
}

function until(ms: number, gone: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    gone.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
}
