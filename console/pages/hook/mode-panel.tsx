import { useState } from 'preact/hooks';

import { ApiError, ask } from '../../api/client.ts';
import type { Mode } from '../../api/shapes.ts';
import { ErrorNote } from '../../parts/notes.tsx';
import { useIsAdmin } from '../../parts/session.ts';

/** Whether calls obey the hook. Making them stop to needs a reason, which is recorded. */
export function ModePanel({
  hook,
  mode,
  onChanged,
}: {
  readonly hook: string;
  readonly mode: Mode;
  readonly onChanged: () => void;
}) {
  const isAdmin = useIsAdmin();
  const [reason, setReason] = useState('');
  const [error, setError] = useState<ApiError>();
  const isDown = mode === 'enforce';
  const change = async (event: Event): Promise<void> => {
    event.preventDefault();
    setError(undefined);
    try {
      await ask(`/v1/hooks/${encodeURIComponent(hook)}/mode`, {
        method: 'PUT',
        body: {
          mode: isDown ? 'shadow' : 'enforce',
          ...(reason.trim() !== '' && { reason: reason.trim() }),
          ...(isDown && { force: true }),
        },
      });
      setReason('');
      onChanged();
    } catch (refused) {
      if (refused instanceof ApiError) setError(refused);
    }
  };
  return (
    <section class="panel" aria-label="Mode">
      <h2>{isDown ? 'It is obeyed' : 'It only watches'}</h2>
      <p class="soft">
        {isDown
          ? 'What it decides happens. In shadow mode calls pass it by, and what it would have done is recorded.'
          : 'What it would do is recorded and nothing comes of it. Enforced, its decisions happen from the next call on.'}
      </p>
      {isAdmin ? (
        <form class="answer" onSubmit={(event) => void change(event)}>
          <label class="field">
            <span>{isDown ? 'Reason, recorded with who did it' : 'Reason, if there is one'}</span>
            <input
              class="input"
              value={reason}
              maxLength={500}
              required={isDown}
              onInput={(event) => setReason(event.currentTarget.value)}
            />
          </label>
          {error !== undefined && <ErrorNote error={error} />}
          <div class="row">
            <button class={isDown ? 'button stop' : 'button main'}>
              {isDown ? 'Put into shadow mode' : 'Enforce it'}
            </button>
          </div>
        </form>
      ) : (
        <p class="soft small">Changing it takes the token of an admin.</p>
      )}
    </section>
  );
}
