import { useState } from 'preact/hooks';

import { ApiError, ask } from '../api/client.ts';
import { useResource } from '../api/resource.ts';
import type { Overview } from '../api/shapes.ts';
import type { PointRow, TestReport } from '../api/trial-shapes.ts';
import { showJson } from '../parts/figures.ts';
import { ErrorNote, Loaded } from '../parts/notes.tsx';
import { Page } from '../parts/page.tsx';
import { PayloadEditor } from './try/payload-editor.tsx';
import { SchemaHelp } from './try/schema-help.tsx';
import { TestResult } from './try/test-result.tsx';

/** What the address asks for; empty, nothing. */
interface Wanted {
  readonly point: string;
  readonly hook: string;
}

/** Runs one hook or the chain of a point on a payload that the operator writes. */
export function TryPage({ point, hook }: Wanted) {
  const points = useResource<readonly PointRow[]>('/v1/points');
  return (
    <Page
      title="Try it"
      lead="Runs hooks the way that live calls do, in their sandboxes. Nothing is stored, recorded or counted."
    >
      <Loaded from={points}>{(rows) => <Bench points={rows} wanted={{ point, hook }} />}</Loaded>
    </Page>
  );
}

function optionOf({ point }: { readonly point: string }) {
  return (
    <option key={point} value={point}>
      {point}
    </option>
  );
}

function Bench({
  points,
  wanted,
}: {
  readonly points: readonly PointRow[];
  readonly wanted: Wanted;
}) {
  const overview = useResource<Overview>('/v1/overview');
  const guarded = overview.value?.points.filter(({ hooks }) => hooks.length > 0) ?? [];
  const [chosen, setChosen] = useState(wanted.point);
  const name = chosen === '' ? (guarded[0]?.point ?? 'preToolUse') : chosen;
  const row = points.find(({ point }) => point === name) ?? points[0];
  const [hook, setHook] = useState(wanted.hook);
  const [drafts, setDrafts] = useState<Readonly<Record<string, string>>>({});
  const [report, setReport] = useState<TestReport>();
  const [error, setError] = useState<ApiError>();
  const [isRunning, setRunning] = useState(false);
  if (row === undefined) return null;
  const hooks =
    overview.value?.points.find(({ point }) => point === row.point)?.hooks.map((at) => at.hook) ??
    [];
  const isBare = ({ point }: PointRow): boolean =>
    !guarded.some((station) => station.point === point);
  const example = showJson(row.examplePayload);
  const text = drafts[row.point] ?? example;
  const write = (draft: string): void => setDrafts({ ...drafts, [row.point]: draft });

  const run = async (payload: unknown): Promise<void> => {
    setRunning(true);
    setError(undefined);
    try {
      const body = { point: row.point, payload, ...(hooks.includes(hook) && { hookName: hook }) };
      setReport(await ask<TestReport>('/v1/test', { method: 'POST', body }));
    } catch (refused) {
      setReport(undefined);
      if (refused instanceof ApiError) setError(refused);
    } finally {
      setRunning(false);
    }
  };

  return (
    <div class="bench">
      <section class="panel" aria-label="The call">
        <div class="pair">
          <label class="field">
            <span>Point</span>
            <select
              class="input"
              value={row.point}
              onChange={(event) => {
                setChosen(event.currentTarget.value);
                setReport(undefined);
              }}
            >
              <optgroup label="With hooks">{guarded.map(optionOf)}</optgroup>
              <optgroup label="Without">{points.filter(isBare).map(optionOf)}</optgroup>
            </select>
          </label>
          <label class="field">
            <span>Run</span>
            <select
              class="input"
              value={hooks.includes(hook) ? hook : ''}
              onChange={(event) => setHook(event.currentTarget.value)}
            >
              <option value="">the whole chain ({hooks.length})</option>
              {hooks.map((at) => (
                <option key={at} value={at}>
                  {at}
                </option>
              ))}
            </select>
          </label>
        </div>
        <p class="soft small">{row.summary}</p>
        <PayloadEditor
          text={text}
          onInput={write}
          onExample={() => write(example)}
          isRunning={isRunning}
          onRun={(payload) => void run(payload)}
        />
        <SchemaHelp row={row} />
      </section>
      <section class="panel" aria-label="What came of it" aria-live="polite">
        <h2>What came of it</h2>
        {error !== undefined && <ErrorNote error={error} />}
        {report === undefined && error === undefined && (
          <p class="soft">Run it to see what each hook answers and what is left of the payload.</p>
        )}
        {report !== undefined && <TestResult report={report} />}
      </section>
    </div>
  );
}
