import { useRef, useState } from 'preact/hooks';

import { ApiError, ask } from '../../api/client.ts';
import type { Approval } from '../../api/approval-shapes.ts';
import { ErrorNote } from '../../parts/notes.tsx';
import { useKeys } from './keys.ts';

const ALWAYS = 'Allow always';

/** Approves or denies the question that is shown, once. */
export function AnswerForm({
  approval,
  onAnswered,
}: {
  readonly approval: Approval;
  readonly onAnswered: () => void;
}) {
  const note = useRef<HTMLTextAreaElement>(null);
  const [error, setError] = useState<ApiError>();
  const [isSending, setSending] = useState(false);
  const canRemember = approval.question?.options.includes(ALWAYS) === true;

  const answer = async (words: string): Promise<void> => {
    if (isSending) return;
    setSending(true);
    setError(undefined);
    try {
      const text = note.current?.value.trim() ?? '';
      await ask(`/v1/approvals/${encodeURIComponent(approval.id)}/answer`, {
        method: 'POST',
        body: { answer: words, ...(text !== '' && { note: text }) },
      });
      onAnswered();
    } catch (refused) {
      if (refused instanceof ApiError) setError(refused);
      setSending(false);
    }
  };
  useKeys({
    a: () => void answer('Allow once'),
    d: () => void answer('Deny'),
    n: () => note.current?.focus(),
  });

  return (
    <form class="answer" onSubmit={(event) => event.preventDefault()}>
      <label class="field">
        <span>Note, goes to the model</span>
        <textarea
          ref={note}
          class="input"
          rows={2}
          maxLength={4000}
          onKeyDown={(event) =>
            event.key === 'Escape' && (event.stopPropagation(), note.current?.blur())
          }
        />
      </label>
      {error !== undefined && <ErrorNote error={error} />}
      <div class="row">
        <button
          type="button"
          class="button main"
          disabled={isSending}
          onClick={() => void answer('Allow once')}
        >
          Approve <kbd aria-hidden="true">a</kbd>
        </button>
        <button
          type="button"
          class="button stop"
          disabled={isSending}
          onClick={() => void answer('Deny')}
        >
          Deny <kbd aria-hidden="true">d</kbd>
        </button>
        {canRemember && (
          <button
            type="button"
            class="button quiet"
            disabled={isSending}
            title="The same question about the same tool is not asked again in this session"
            onClick={() => void answer(ALWAYS)}
          >
            Allow for the session
          </button>
        )}
      </div>
    </form>
  );
}
