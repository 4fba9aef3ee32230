/** A field for JSON that says where it is wrong, and runs what is right. */
export function PayloadEditor({
  text,
  onInput,
  onExample,
  isRunning,
  onRun,
}: {
  readonly text: string;
  readonly onInput: (text: string) => void;
  readonly onExample: () => void;
  readonly isRunning: boolean;
  readonly onRun: (payload: unknown) => void;
}) {
  const parsed = parse(text);
  const run = (): void => {
    if ('value' in parsed && !isRunning) onRun(parsed.value);
  };
  return (
    <>
      <label class="field">
        <span>Payload, as JSON</span>
        <textarea
          class="input code payload"
          spellcheck={false}
          autocapitalize="off"
          rows={12}
          value={text}
          aria-invalid={'fault' in parsed}
          aria-describedby="payload-fault"
          onInput={(event) => onInput(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
            event.preventDefault();
            run();
          }}
        />
      </label>
      <p id="payload-fault" class="small fault" role="status">
        {'fault' in parsed ? parsed.fault : ''}
      </p>
      <div class="row">
        <button
          type="button"
          class="button main"
          disabled={isRunning || 'fault' in parsed}
          onClick={run}
        >
          {isRunning ? 'Running' : 'Run'} <kbd aria-hidden="true">Ctrl ⏎</kbd>
        </button>
        <button type="button" class="button" onClick={onExample}>
          Example
        </button>
      </div>
    </>
  );
}

function parse(text: string): { readonly value: unknown } | { readonly fault: string } {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : 'This is not JSON' };
  }
}
