import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import { ApiError, ask, withQuery } from '../../api/client.ts';
import type { DecisionRecord } from '../../api/decision-shapes.ts';
import { token } from '../../api/token.ts';
import { ActionTag } from '../../parts/action-tag.tsx';
import { showClock, showMs } from '../../parts/figures.ts';
import { EmptyNote, ErrorNote } from '../../parts/notes.tsx';
import { useIsNarrow } from '../../parts/narrow.ts';
import { VirtualGrid } from '../../parts/virtual-grid.tsx';
import { queryOf, type Filter } from './filter.ts';

interface Chapter {
  readonly records: readonly DecisionRecord[];
  /** Where the older ones begin. */
  readonly next?: string;
}

const PAGE = '200';

/** The records that pass a filter, read on as the operator scrolls. */
export function RecordedDecisions({
  filter,
  opened,
  onOpen,
  detail,
}: {
  readonly filter: Filter;
  readonly opened: string;
  readonly onOpen: (id: string) => void;
  readonly detail: ComponentChildren;
}) {
  const isNarrow = useIsNarrow();
  const { chapter, error, readOn } = useChapter(filter);
  return (
    <>
      {error !== undefined && <ErrorNote error={error} onRetry={readOn} />}
      <div class={opened === '' ? 'split' : 'split opened'}>
        {chapter?.records.length === 0 ? (
          <EmptyNote title="No such decision is recorded">
            Plain allows leave no record; “Live” shows them as they happen.
          </EmptyNote>
        ) : (
          <VirtualGrid
            class="decision-grid"
            label="Recorded decisions, newest first"
            columns={['Time', 'Decision', 'Point', 'Hook', 'Reason', 'Took']}
            rows={chapter?.records ?? []}
            rowPx={isNarrow ? 64 : 40}
            keyOf={({ id }) => id}
            opened={opened}
            onOpen={({ id }) => onOpen(id)}
            onEnd={readOn}
            cells={cellsOf}
          />
        )}
        {detail}
      </div>
    </>
  );
}

function useChapter(filter: Filter) {
  const [chapter, setChapter] = useState<Chapter>();
  const [error, setError] = useState<ApiError>();
  const [isReading, setReading] = useState(false);
  const key = token.value;

  const read = async (before: string, gone?: AbortSignal): Promise<void> => {
    const query = { ...queryOf(filter), limit: PAGE, before };
    setReading(true);
    try {
      const page = await ask<Chapter>(withQuery('/v1/decisions', query), {
        ...(gone !== undefined && { signal: gone }),
      });
      setChapter((had) => ({
        ...page,
        records: before === '' ? page.records : [...(had?.records ?? []), ...page.records],
      }));
      setError(undefined);
    } catch (refused) {
      if (gone?.aborted !== true && refused instanceof ApiError) setError(refused);
    } finally {
      setReading(false);
    }
  };
  useEffect(() => {
    const gone = new AbortController();
    setChapter(undefined);
    // Not at each letter that is typed.
    const timer = setTimeout(() => void read('', gone.signal), 150);
    return () => {
      clearTimeout(timer);
      gone.abort();
    };
  }, [filter, key]);
  const readOn = (): void => {
    if (isReading) return;
    if (chapter === undefined) void read('');
    else if (chapter.next !== undefined) void read(chapter.next);
  };
  return { chapter, error, readOn };
}

function cellsOf(record: DecisionRecord) {
  const { time, action, point, hook, code, reason, durationMs, wouldBlock } = record;
  return (
    <>
      <span role="gridcell" class="cell-time">
        <time dateTime={time} title={time}>
          {showClock(time)}
        </time>
      </span>
      <span role="gridcell" class="cell-action">
        <ActionTag action={wouldBlock ? 'block' : action} wouldBe={wouldBlock} />
      </span>
      <span role="gridcell" class="cell-point">
        {point}
      </span>
      <span role="gridcell" class="cell-hook">
        {hook}
      </span>
      <span role="gridcell" class="cell-reason">
        {code !== undefined && <code>{code} </code>}
        {reason}
      </span>
      <span role="gridcell" class="cell-ms number">
        {showMs(durationMs)}
      </span>
    </>
  );
}
