import type { PackageHistory } from '../../api/shapes.ts';
import { showDay } from '../../parts/figures.ts';

/** Who allowed, changed and took back what. */
export function ConsentHistory({ history }: { readonly history: readonly PackageHistory[] }) {
  return (
    <section class="panel" aria-label="History">
      <h2>Who allowed what</h2>
      {history.length === 0 ? (
        <p class="soft">
          Nothing yet. Consents, new versions and grants that are revoked or given back appear here.
        </p>
      ) : (
        <ol class="history">
          {history.map(({ time, who, what, package: name, version }, at) => (
            <li key={at}>
              <time dateTime={time} class="soft small">
                {showDay(time)}
              </time>
              <span class="name">
                <strong>{who}</strong> {what}{' '}
                <span class="soft">
                  {name} {version}
                </span>
              </span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
