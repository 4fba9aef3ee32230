import { useState } from 'preact/hooks';

import type { ReplayAnswer, ReplayCall } from '../../api/trial-shapes.ts';
import { ActionTag } from '../../parts/action-tag.tsx';
import { ChoiceSwitch } from '../../parts/choice-switch.tsx';
import { showCount } from '../../parts/figures.ts';
import { EmptyNote } from '../../parts/notes.tsx';
import { useIsNarrow } from '../../parts/narrow.ts';
import { VirtualGrid } from '../../parts/virtual-grid.tsx';
import { DetailFrame } from '../decisions/detail-frame.tsx';

const VIEWS = { stopped: 'What is not a plain allow', all: 'All calls' } as const;

/** The calls of a recording with what would come of each. */
export function ReplayResult({ answer }: { readonly answer: ReplayAnswer }) {
  const isNarrow = useIsNarrow();
  const [view, setView] = useState<keyof typeof VIEWS>('stopped');
  const [opened, setOpened] = useState<Numbered>();
  const calls = answer.calls.map((call, at) => ({ ...call, at }));
  const rows = calls.filter((call) => view === 'all' || isNotable(call));
  const byAction = Map.groupBy(calls, ({ action }) => action);
  return (
    <>
      <div class="row">
        <strong>
          {showCount(calls.length)} {answer.isCut ? 'calls, more are not listed' : 'calls'}
        </strong>
        {[...byAction].map(([action, of]) => (
          <span key={action} class="row">
            <ActionTag action={action} /> {showCount(of.length)}
          </span>
        ))}
        <ChoiceSwitch label="Which calls" choices={VIEWS} value={view} onChange={setView} />
      </div>
      <ProblemList answer={answer} />
      <div class={opened === undefined ? 'split' : 'split opened'}>
        {rows.length === 0 ? (
          <EmptyNote title={calls.length === 0 ? 'Nothing to replay in it' : 'All signals clear'}>
            {calls.length === 0
              ? 'It holds no call that a hook would look at.'
              : 'No hook would have stopped or changed anything in this recording.'}
          </EmptyNote>
        ) : (
          <VirtualGrid
            class="decision-grid replay-grid"
            label="Calls of the recording"
            columns={['Conversation', 'Decision', 'Point', 'Hook', 'Reason']}
            rows={rows}
            rowPx={isNarrow ? 64 : 40}
            keyOf={({ at }) => String(at)}
            opened={opened === undefined ? '' : String(opened.at)}
            onOpen={setOpened}
            cells={cellsOf}
          />
        )}
        {opened !== undefined && (
          <DetailFrame title={opened.tool ?? opened.point} onClose={() => setOpened(undefined)}>
            <div class="row">
              <ActionTag action={opened.action} />
              {opened.code !== undefined && <code>{opened.code}</code>}
              <span class="soft name">
                {opened.point} in {opened.conversation}
                {opened.call !== undefined && `, tool call ${opened.call + 1}`}
              </span>
            </div>
            {opened.hook !== undefined && <p class="name">By {opened.hook}</p>}
            {opened.reason !== undefined && <p class="reason">{opened.reason}</p>}
          </DetailFrame>
        )}
      </div>
    </>
  );
}

function ProblemList({ answer: { problems, counts } }: { readonly answer: ReplayAnswer }) {
  if (problems.length === 0) return null;
  return (
    <details class="note bad">
      <summary>Cannot be read in it: {showCount(counts.problems)}</summary>
      <ul class="reasons small">
        {problems.map(({ code, message }, at) => (
          <li key={at}>
            <code>{code}</code> {message}
          </li>
        ))}
      </ul>
    </details>
  );
}

type Numbered = ReplayCall & { readonly at: number };

function isNotable({ action, code }: ReplayCall): boolean {
  return action !== 'allow' || code !== undefined;
}

function cellsOf({ conversation, action, point, tool, hook, code, reason }: Numbered) {
  return (
    <>
      <span role="gridcell" class="cell-time">
        {conversation}
      </span>
      <span role="gridcell" class="cell-action">
        <ActionTag action={action} />
      </span>
      <span role="gridcell" class="cell-point">
        {point}
        {tool !== undefined && ` · ${tool}`}
      </span>
      <span role="gridcell" class="cell-hook">
        {hook}
      </span>
      <span role="gridcell" class="cell-reason">
        {code !== undefined && <code>{code} </code>}
        {reason}
      </span>
    </>
  );
}
