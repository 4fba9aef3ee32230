import { useRef, useState } from 'preact/hooks';

import { ApiError, ask } from '../api/client.ts';
import type { ReplayAnswer } from '../api/trial-shapes.ts';
import { ErrorNote } from '../parts/notes.tsx';
import { Page } from '../parts/page.tsx';
import { ReplayResult } from './replay/replay-result.tsx';

/** Shows what the hooks of now would have done in recorded conversations. */
export function ReplayPage() {
  const picker = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const [name, setName] = useState('');
  const [isRunning, setRunning] = useState(false);
  const [answer, setAnswer] = useState<ReplayAnswer>();
  const [error, setError] = useState<ApiError>();

  const run = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    setName(file.name);
    setAnswer(undefined);
    setError(undefined);
    setRunning(true);
    try {
      const body = { recording: await file.text() };
      setAnswer(await ask<ReplayAnswer>('/v1/replay', { method: 'POST', body }));
    } catch (refused) {
      setError(refused instanceof ApiError ? refused : unreadable());
    } finally {
      setRunning(false);
    }
  };

  return (
    <Page
      title="Replay"
      lead="Give it a recorded conversation and see what today’s hooks would stop in it. It leaves no trace."
    >
      <div
        class={isOver ? 'drop over' : 'drop'}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          void run(event.dataTransfer?.files[0]);
        }}
      >
        <input
          ref={picker}
          type="file"
          class="unseen"
          tabIndex={-1}
          accept=".jsonl,.ndjson,.json"
          aria-label="Recording"
          onChange={(event) => {
            void run(event.currentTarget.files?.[0]);
            event.currentTarget.value = '';
          }}
        />
        <strong>{name === '' ? 'Drop a recording here' : name}</strong>
        <span class="soft">JSONL of conversations in the shape of the OpenAI API, or of calls</span>
        <button
          type="button"
          class="button main"
          disabled={isRunning}
          onClick={() => picker.current?.click()}
        >
          {isRunning ? 'Replaying' : 'Choose a file'}
        </button>
      </div>
      {error !== undefined && <ErrorNote error={error} />}
      {isRunning && <div class="shimmer" role="status" aria-label="Replaying" />}
      {answer !== undefined && <ReplayResult answer={answer} />}
    </Page>
  );
}

function unreadable(): ApiError {
  return new ApiError('The file cannot be read', {
    code: 'unreadable',
    hint: 'Choose it again: it may have changed since',
    status: 0,
  });
}
