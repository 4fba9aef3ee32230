import { useEffect, useMemo, useState } from 'preact/hooks';

import {
  feedState,
  followFeed,
  hasGap,
  heldCount,
  isHeld,
  MAX_TRACES,
  traces,
  type FeedState,
} from '../../api/live-feed.ts';
import type { Trace } from '../../api/decision-shapes.ts';
import { token } from '../../api/token.ts';
import { ActionTag } from '../../parts/action-tag.tsx';
import { showClock, showCount, showMs } from '../../parts/figures.ts';
import { EmptyNote } from '../../parts/notes.tsx';
import { useIsNarrow } from '../../parts/narrow.ts';
import { VirtualGrid } from '../../parts/virtual-grid.tsx';
import { passes, type Filter } from './filter.ts';
import { TraceView } from './trace-view.tsx';

const STATES: Readonly<Record<FeedState, string>> = {
  open: 'Live',
  lost: 'Connection lost, trying again',
  closed: 'Connecting',
};

/** The fires as they happen. */
export function LiveDecisions({ filter }: { readonly filter: Filter }) {
  const isNarrow = useIsNarrow();
  const [opened, setOpened] = useState<Trace>();
  const all = traces.value;
  const rows = useMemo(() => all.filter((trace) => passes(trace, filter)), [all, filter]);
  useEffect(() => {
    const gone = new AbortController();
    void followFeed(gone.signal);
    return () => gone.abort();
  }, [token.value]);

  return (
    <>
      <div class="row feed-bar">
        <span class={`feed-state ${feedState.value}`} role="status">
          <span class="lamp" aria-hidden="true" />
          {STATES[feedState.value]}
        </span>
        <span class="soft small">
          {showCount(rows.length)} shown of {showCount(all.length)}
          {all.length === MAX_TRACES && ', the oldest are let go'}
          {hasGap.value && ', some came too fast to be shown'}
        </span>
        <button
          type="button"
          class="button quiet"
          aria-pressed={isHeld.value}
          onClick={() => (isHeld.value = !isHeld.value)}
        >
          {isHeld.value ? `Go on (${showCount(heldCount.value)} new)` : 'Hold'}
        </button>
      </div>
      <div class={opened === undefined ? 'split' : 'split opened'}>
        {rows.length === 0 ? (
          <EmptyNote title={all.length === 0 ? 'No train yet' : 'Nothing passes this filter'}>
            {all.length === 0
              ? 'Decisions appear here the moment that an agent’s call reaches a hook. “Recorded” has those of before.'
              : 'Widen it, or show all.'}
          </EmptyNote>
        ) : (
          <VirtualGrid
            class="decision-grid"
            label="Live decisions, newest first"
            columns={['Time', 'Decision', 'Point', 'Hook', 'Reason', 'Took']}
            rows={rows}
            rowPx={isNarrow ? 64 : 40}
            keyOf={({ fireId }) => fireId}
            opened={opened?.fireId ?? ''}
            onOpen={setOpened}
            cells={cellsOf}
          />
        )}
        {opened !== undefined && (
          <TraceView
            trace={all.find(({ fireId }) => fireId === opened.fireId) ?? opened}
            onClose={() => setOpened(undefined)}
          />
        )}
      </div>
    </>
  );
}

function cellsOf(trace: Trace) {
  const { time, action, point, hook, code, reason, ms, hooks, shadow = [] } = trace;
  const would = shadow.find((run) => run.action !== 'allow');
  return (
    <>
      <span role="gridcell" class="cell-time">
        {showClock(time)}
      </span>
      <span role="gridcell" class="cell-action">
        {would === undefined || action !== 'allow' ? (
          <ActionTag action={action} />
        ) : (
          <ActionTag action={would.action} wouldBe />
        )}
      </span>
      <span role="gridcell" class="cell-point">
        {point}
      </span>
      <span role="gridcell" class="cell-hook">
        {hook ?? `${hooks.length} ${hooks.length === 1 ? 'hook' : 'hooks'}`}
      </span>
      <span role="gridcell" class="cell-reason">
        {code !== undefined && <code>{code} </code>}
        {reason}
      </span>
      <span role="gridcell" class="cell-ms number">
        {showMs(ms)}
      </span>
    </>
  );
}
