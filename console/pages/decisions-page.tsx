import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';

import { Page } from '../parts/page.tsx';
import { ChoiceSwitch } from '../parts/choice-switch.tsx';
import { FilterBar } from './decisions/filter-bar.tsx';
import { NO_FILTER, type Filter } from './decisions/filter.ts';
import { LiveDecisions } from './decisions/live-decisions.tsx';
import { RecordDetail } from './decisions/record-detail.tsx';
import { RecordedDecisions } from './decisions/recorded-decisions.tsx';

const VIEWS = { live: 'Live', kept: 'Recorded' } as const;

/** What the hooks decided: now, and as the records keep it. */
export function DecisionsPage({ id }: { readonly id: string }) {
  const [view, setView] = useState<keyof typeof VIEWS>(id === '' ? 'live' : 'kept');
  const [filter, setFilter] = useState<Filter>(NO_FILTER);
  const [, goTo] = useLocation();
  const show = (next: keyof typeof VIEWS): void => {
    setView(next);
    if (id !== '') goTo('/decisions');
  };
  return (
    <Page
      title="Decisions"
      lead={
        view === 'live'
          ? 'Every call that hooks look at, as it happens.'
          : 'Whatever was not a plain allow, and every failure, as the records keep it.'
      }
      tools={<ChoiceSwitch label="What to show" choices={VIEWS} value={view} onChange={show} />}
    >
      <FilterBar filter={filter} onChange={setFilter} isLive={view === 'live'} />
      {view === 'live' ? (
        <LiveDecisions filter={filter} />
      ) : (
        <RecordedDecisions
          filter={filter}
          opened={id}
          onOpen={(record) => goTo(`/decisions/${encodeURIComponent(record)}`)}
          detail={id === '' ? null : <RecordDetail id={id} onClose={() => goTo('/decisions')} />}
        />
      )}
    </Page>
  );
}
