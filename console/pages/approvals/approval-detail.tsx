import { useResource } from '../../api/resource.ts';
import type { Approval } from '../../api/approval-shapes.ts';
import { showDay, showJson } from '../../parts/figures.ts';
import { Loaded } from '../../parts/notes.tsx';
import { DetailFrame } from '../decisions/detail-frame.tsx';
import { AnswerForm } from './answer-form.tsx';
import { ChangeList } from './change-list.tsx';
import { Remaining } from './remaining.tsx';

/** One question with the call exactly as it would run, and what hooks changed in it. */
export function ApprovalDetail({
  id,
  onClose,
  onAnswered,
}: {
  readonly id: string;
  readonly onClose: () => void;
  readonly onAnswered: () => void;
}) {
  const approval = useResource<Approval>(`/v1/approvals/${encodeURIComponent(id)}`, 4000);
  return (
    <DetailFrame title={titleOf(approval.value)} onClose={onClose}>
      <Loaded from={approval}>
        {(value) => (
          <>
            <Question approval={value} />
            {value.status === 'pending' && value.question !== undefined && (
              <AnswerForm
                approval={value}
                onAnswered={() => {
                  approval.refresh();
                  onAnswered();
                }}
              />
            )}
          </>
        )}
      </Loaded>
    </DetailFrame>
  );
}

function titleOf(approval: Approval | undefined): string {
  return approval?.toolName ?? approval?.point ?? 'Question';
}

function Question({ approval }: { readonly approval: Approval }) {
  const { question, status, hook, point, expiresAt, createdAt, answeredBy, sessionId } = approval;
  return (
    <>
      <p class="soft small">
        <strong class="name">{hook}</strong> asked at {point}, {showDay(createdAt)}
        {sessionId !== undefined && (
          <>
            , session <code>{sessionId}</code>
          </>
        )}
      </p>
      {status === 'pending' ? (
        <p>
          <Remaining until={expiresAt} />
        </p>
      ) : (
        <p>
          This question is settled: <strong>{status}</strong>
          {answeredBy !== undefined && ` by ${answeredBy}`}. What it was about is no longer kept.
        </p>
      )}
      {question !== undefined && (
        <>
          <p class="reason">
            {question.prompt}
            {question.reason !== question.prompt && (
              <span class="soft small block">{question.reason}</span>
            )}
          </p>
          <h3>What will run</h3>
          <pre tabIndex={0} aria-label="What will run">
            {showJson(question.payload)}
          </pre>
          <ChangeList changes={question.changes} />
        </>
      )}
    </>
  );
}
