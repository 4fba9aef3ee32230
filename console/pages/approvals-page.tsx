import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';

import { useResource } from '../api/resource.ts';
import type { Approval } from '../api/approval-shapes.ts';
import { ChoiceSwitch } from '../parts/choice-switch.tsx';
import { EmptyNote, Loaded } from '../parts/notes.tsx';
import { Page } from '../parts/page.tsx';
import { ApprovalDetail } from './approvals/approval-detail.tsx';
import { ApprovalList } from './approvals/approval-list.tsx';
import { useKeys } from './approvals/keys.ts';

const VIEWS = { pending: 'Waiting', all: 'All' } as const;

/** What hooks ask of people. */
export function ApprovalsPage({ id }: { readonly id: string }) {
  const [view, setView] = useState<keyof typeof VIEWS>('pending');
  const [, goTo] = useLocation();
  const path = view === 'pending' ? '/v1/approvals?status=pending' : '/v1/approvals';
  const list = useResource<{ approvals: readonly Approval[] }>(path, 2000);
  const approvals = list.value?.approvals ?? [];
  const open = (next: string): void =>
    goTo(next === '' ? '/approvals' : `/approvals/${encodeURIComponent(next)}`);
  const first = approvals[0]?.id;
  useEffect(() => {
    // On a narrow screen the question would hide the list.
    if (id === '' && first !== undefined && matchMedia('(min-width: 72rem)').matches) open(first);
  }, [id, first]);
  const go = (step: number): void => {
    const at = approvals.findIndex((approval) => approval.id === id);
    const next = approvals[Math.max(0, Math.min(approvals.length - 1, at + step))];
    if (next !== undefined) open(next.id);
  };
  useKeys({ j: () => go(1), k: () => go(-1) });

  return (
    <Page
      title="Approvals"
      lead="Calls that wait for a person. What you approve is exactly what is shown; it runs once."
      tools={<ChoiceSwitch label="Which" choices={VIEWS} value={view} onChange={setView} />}
    >
      <p class="soft small keys">
        <kbd>j</kbd> <kbd>k</kbd> next and last · <kbd>a</kbd> approve · <kbd>d</kbd> deny ·{' '}
        <kbd>n</kbd> note
      </p>
      <Loaded from={list}>
        {() => (
          <div class={id === '' ? 'split approvals' : 'split approvals opened'}>
            {approvals.length === 0 ? (
              <EmptyNote title="Nobody waits for you">
                A hook’s question appears here within two seconds. Questions wait only where{' '}
                <code>approvals.enabled</code> is set.
              </EmptyNote>
            ) : (
              <ApprovalList approvals={approvals} opened={id} onOpen={open} />
            )}
            {id !== '' && (
              <ApprovalDetail key={id} id={id} onClose={() => open('')} onAnswered={list.refresh} />
            )}
          </div>
        )}
      </Loaded>
    </Page>
  );
}
