import type { PackageHistory } from '../../api/package-shapes.ts';
import { showDay } from '../../parts/figures.ts';

/** What was done, in words before the name of a package or hook. */
const DEEDS: Readonly<Record<string, string>> = {
  add: 'added',
  update: 'updated',
  remove: 'removed',
  consent: 'agreed to what is asked by',
  revoke: 'revoked grants of',
  narrow: 'narrowed the grants of',
  restore: 'gave back grants to',
};

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
          {history.map(({ time, who, what, package: name, version, capabilities }, at) => (
            <li key={at}>
              <time dateTime={time} class="soft small">
                {showDay(time)}
              </time>
              <span class="name">
                <strong>{who}</strong> {DEEDS[what] ?? what} {name} {version}
                {capabilities !== undefined && (
                  <span class="soft small block">{capabilities.join(', ')}</span>
                )}
              </span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
