import type { TestReport } from '../../api/trial-shapes.ts';
import { ActionTag } from '../../parts/action-tag.tsx';
import { showJson } from '../../parts/figures.ts';
import { TraceSteps } from '../decisions/trace-steps.tsx';

/** What a try came to: the verdict, each hook's answer, what is left of the payload, and what hooks printed. */
export function TestResult({ report }: { readonly report: TestReport }) {
  const { action, code, reason, hooks, notRun, logs, modified, input, output } = report;
  return (
    <>
      <div class="row">
        <ActionTag action={action} />
        {code !== undefined && <code>{code}</code>}
        {modified && <span class="tag route">payload changed</span>}
      </div>
      {reason !== undefined && <p class="reason">{reason}</p>}
      {hooks.length + notRun.length === 0 ? (
        <p class="soft">No hook stands at this point.</p>
      ) : (
        <TraceSteps
          trace={{
            fireId: '',
            point: '',
            time: '',
            ms: 0,
            action,
            notRun,
            hooks: hooks.map((hook) => ({
              hook: hook.name,
              action: hook.action,
              ms: hook.ms,
              ...(hook.code !== undefined && { code: hook.code }),
              ...wordsOf(hook.reason, hook.detail),
            })),
          }}
        />
      )}
      <h3>{modified ? 'The payload as it was' : 'The payload, unchanged'}</h3>
      <pre tabIndex={0} class={modified ? 'removed' : ''} aria-label="Payload before">
        {showJson(input)}
      </pre>
      {modified && (
        <>
          <h3>As the hooks left it</h3>
          <pre tabIndex={0} class="added" aria-label="Payload after">
            {showJson(output)}
          </pre>
        </>
      )}
      {logs.length > 0 && (
        <>
          <h3>What hooks printed</h3>
          <pre tabIndex={0} aria-label="Log">
            {logs.map(({ hook, line }) => `${hook}: ${line}`).join('\n')}
          </pre>
        </>
      )}
    </>
  );
}

function wordsOf(...words: readonly (string | undefined)[]): { reason?: string } {
  const said = [...new Set(words.filter((word) => word !== undefined))];
  return said.length === 0 ? {} : { reason: said.join(' · ') };
}
