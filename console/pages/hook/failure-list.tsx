import { Link } from 'wouter-preact';

import type { DecisionRecord } from '../../api/decision-shapes.ts';
import { showDay, showMs } from '../../parts/figures.ts';

/** The last failures on record. */
export function FailureList({ failures }: { readonly failures: readonly DecisionRecord[] }) {
  return (
    <section class="panel" aria-label="Last failures">
      <h2>Last failures</h2>
      {failures.length === 0 ? (
        <p class="soft">None on record.</p>
      ) : (
        <ol class="history">
          {failures.map(({ id, time, code, point, reason, durationMs, action }) => (
            <li key={id}>
              <time dateTime={time} class="soft small">
                {showDay(time)}
              </time>
              <span class="name">
                <Link href={`/decisions/${encodeURIComponent(id)}`}>{code}</Link> at {point}, came
                to {action} <span class="soft small">after {showMs(durationMs)}</span>
                {reason !== undefined && <span class="soft small block">{reason}</span>}
              </span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
