import { Link } from 'wouter-preact';

import { useResource } from '../api/resource.ts';
import type { HookDetail } from '../api/shapes.ts';
import { showJson } from '../parts/figures.ts';
import { Loaded } from '../parts/notes.tsx';
import { Page } from '../parts/page.tsx';
import { Semaphore } from '../parts/semaphore.tsx';
import { FailureList } from './hook/failure-list.tsx';
import { LatencyPanel } from './hook/latency-panel.tsx';
import { ModePanel } from './hook/mode-panel.tsx';

/** One hook: what it is, may do, costs, and failed at. */
export function HookPage({ hook }: { readonly hook: string }) {
  const detail = useResource<HookDetail>(`/v1/hooks/${encodeURIComponent(hook)}`, 5000);
  const row = detail.value?.row;
  return (
    <Page
      title={row?.label ?? hook}
      lead={row?.description}
      tools={
        row !== undefined && (
          <span class="row">
            <Semaphore state={row.state} mode={row.mode} />
            <span class="tag">{row.mode}</span>
            <span class={`tag ${row.state === 'live' ? 'clear' : 'danger'}`}>{row.state}</span>
          </span>
        )
      }
    >
      <Loaded from={detail}>
        {(value) => (
          <>
            {value.row.failure !== undefined && (
              <div class="note bad">
                <strong>Every call fails: {value.row.failure.code}</strong>
                <span class="name">{value.row.failure.detail}</span>
              </div>
            )}
            <div class="halves">
              <Identity detail={value} />
              <ModePanel hook={value.row.hook} mode={value.row.mode} onChanged={detail.refresh} />
            </div>
            <LatencyPanel latency={value.latency} />
            <FailureList failures={value.failures} />
            <div class="halves">
              <Text title="Manifest" value={value.manifest} />
              <div class="stack">
                <Text title="Config" value={value.row.config} />
                <Text title="Limits" value={value.limits} />
              </div>
            </div>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Identity({ detail: { row } }: { readonly detail: HookDetail }) {
  const { origin, capabilities } = row;
  return (
    <section class="panel" aria-label="What it is">
      <h2>What it is</h2>
      <dl class="facts">
        <dt>From</dt>
        <dd>
          {origin.kind === 'local' ? 'this checkout' : `${origin.name} ${origin.version ?? ''}`}
        </dd>
        <dt>Runs in</dt>
        <dd>
          {row.sandbox}, {row.memoryMb} MB, {row.timeoutMs} ms a call
        </dd>
        <dt>Contract</dt>
        <dd>{row.contract}</dd>
        <dt>Points</dt>
        <dd>
          {row.points.map(({ point, failPolicy, order }) => (
            <span key={point} class="block">
              <Link href={`/try/${point}/${encodeURIComponent(row.hook)}`}>{point}</Link>
              <span class="soft small">
                {order > 0 ? ` number ${order} there, ` : ' '}
                {failPolicy} when it fails
              </span>
            </span>
          ))}
        </dd>
        <dt>May</dt>
        <dd class="row">
          {capabilities.granted.length === 0 && <span class="soft">nothing</span>}
          {capabilities.granted.map((capability) => (
            <code key={capability} class="tag">
              {capability}
            </code>
          ))}
          {capabilities.missing.map((capability) => (
            <code key={capability} class="tag danger">
              {capability} not granted
            </code>
          ))}
        </dd>
      </dl>
    </section>
  );
}

function Text({ title, value }: { readonly title: string; readonly value: object }) {
  return (
    <section class="panel" aria-label={title}>
      <h2>{title}</h2>
      {Object.keys(value).length === 0 ? (
        <p class="soft">None.</p>
      ) : (
        <pre tabIndex={0} aria-label={`${title} as JSON`}>
          {showJson(value)}
        </pre>
      )}
    </section>
  );
}
