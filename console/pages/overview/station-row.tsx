import { Link } from 'wouter-preact';

import type { HookFigures, Station, StationHook } from '../../api/shapes.ts';
import { showCount, showMs } from '../../parts/figures.ts';
import { Semaphore } from '../../parts/semaphore.tsx';

/** One point with the hooks that stand at it. */
export function StationRow({
  station,
  figures,
}: {
  readonly station: Station;
  readonly figures: ReadonlyMap<string, HookFigures>;
}) {
  const { point, calls, hooks, despiteFailure } = station;
  return (
    <li class="station">
      <div class="station-name">
        <h3>{point}</h3>
        <span class="soft small">
          {showCount(calls)} {calls === 1 ? 'call' : 'calls'}
        </span>
        {despiteFailure > 0 && (
          <span class="small masked">
            {showCount(despiteFailure)} went on although a hook failed
          </span>
        )}
      </div>
      <ul>
        {hooks.map((hook) => (
          <HookRow key={hook.hook} hook={hook} figures={figures.get(hook.hook)} />
        ))}
      </ul>
    </li>
  );
}

function HookRow({
  hook: { hook, mode, state, failPolicy },
  figures,
}: {
  readonly hook: StationHook;
  readonly figures: HookFigures | undefined;
}) {
  const failures = figures?.failuresLastHour ?? 0;
  const hasRun = figures !== undefined && figures.calls > 0;
  return (
    <li class="hook-row">
      <Semaphore state={state} mode={mode} />
      <span class="hook-name">
        <Link href={`/hooks/${encodeURIComponent(hook)}`} class="name">
          {hook}
        </Link>
        <span class="soft small name">
          {figures?.package === undefined
            ? 'local'
            : `${figures.package}${figures.version === undefined ? '' : ` ${figures.version}`}`}
          {mode === 'shadow' && ' · shadow'}
          {state === 'failing' && ' · failing'}
        </span>
      </span>
      <Figure label="If it fails" isText>
        <span class={`tag ${failPolicy === 'open' ? 'caution' : ''}`}>{failPolicy}</span>
      </Figure>
      <Figure label="Calls, 1 h">{showCount(figures?.calls ?? 0)}</Figure>
      <Figure label="p50">{hasRun ? showMs(figures.p50Ms) : '–'}</Figure>
      <Figure label="p99">{hasRun ? showMs(figures.p99Ms) : '–'}</Figure>
      <Figure label="Failed, 1 h">
        {failures > 0 ? <span class="tag danger">{showCount(failures)}</span> : '0'}
      </Figure>
    </li>
  );
}

/** The label is seen on narrow screens alone, where there are no columns; it is always read out. */
function Figure({
  label,
  isText = false,
  children,
}: {
  readonly label: string;
  readonly isText?: boolean;
  readonly children: preact.ComponentChildren;
}) {
  return (
    <span class={isText ? 'figure' : 'figure number'}>
      <span class="figure-label">{label} </span>
      {children}
    </span>
  );
}
