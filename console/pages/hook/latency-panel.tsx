import { useEffect, useRef } from 'preact/hooks';

import type { HookDetail } from '../../api/shapes.ts';
import { showClock, showCount, showMs } from '../../parts/figures.ts';
import { theme } from '../../theme.ts';

/** How long calls took, minute by minute of the last hour. */
export function LatencyPanel({ latency }: { readonly latency: HookDetail['latency'] }) {
  const place = useRef<HTMLDivElement>(null);
  const { series } = latency;
  const calls = series.reduce((total, minute) => total + minute.calls, 0);
  const shade = theme.value;
  useEffect(() => {
    const { current } = place;
    if (current === null || calls === 0) return undefined;
    let end: (() => void) | undefined;
    let isGone = false;
    // Only this page draws.
    void import('./latency-chart.ts').then(({ drawLatency }) => {
      if (!isGone) end = drawLatency(current, latency);
    });
    return () => {
      isGone = true;
      end?.();
    };
  }, [latency, shade, calls]);
  return (
    <section class="panel" aria-label="Latency">
      <header>
        <h2>Latency, last hour</h2>
        <span class="soft small">
          {showCount(calls)} calls. Darker: more calls took so long. Lines: <b class="p50">p50</b>{' '}
          and <b class="p99">p99</b>
        </span>
      </header>
      {calls === 0 ? (
        <p class="soft">It was not called in the last hour.</p>
      ) : (
        <>
          <div ref={place} class="chart" aria-hidden="true" />
          <details>
            <summary class="small">As a table</summary>
            <table class="matrix">
              <thead>
                <tr>
                  <th scope="col">Minute</th>
                  <th scope="col" class="number">
                    Calls
                  </th>
                  <th scope="col" class="number">
                    Failures
                  </th>
                  <th scope="col" class="number">
                    p50
                  </th>
                  <th scope="col" class="number">
                    p99
                  </th>
                </tr>
              </thead>
              <tbody>
                {series
                  .filter((minute) => minute.calls > 0)
                  .map((minute) => (
                    <tr key={minute.time}>
                      <th scope="row">{showClock(minute.time)}</th>
                      <td data-label="Calls" class="number">
                        {showCount(minute.calls)}
                      </td>
                      <td data-label="Failures" class="number">
                        {showCount(minute.failures)}
                      </td>
                      <td data-label="p50" class="number">
                        {showMs(minute.p50Ms)}
                      </td>
                      <td data-label="p99" class="number">
                        {showMs(minute.p99Ms)}
                      </td>
                    </tr>
                  ))}
              </tbody>
            </table>
          </details>
        </>
      )}
    </section>
  );
}
