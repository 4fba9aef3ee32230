import { Link } from 'wouter-preact';

import { useResource } from '../../api/resource.ts';
import type { Coverage } from '../../api/shapes.ts';
import { showCount } from '../../parts/figures.ts';

/** What no hook looked at, and which hooks never looked. */
export function CoveragePanel() {
  const { value } = useResource<Coverage>('/v1/coverage', 10_000);
  const openPaths = value?.openPaths.filter(({ withoutHook }) => withoutHook > 0) ?? [];
  const idle = Map.groupBy(value?.hooksNeverRun ?? [], ({ hook }) => hook);
  if (openPaths.length + idle.size === 0) return null;
  return (
    <div class="halves">
      {openPaths.length > 0 && (
        <section class="panel" aria-label="Calls that passed unguarded">
          <h2>Passed unguarded</h2>
          <ul class="gaps">
            {openPaths.map(({ point, source, isSubAgent, withoutHook }) => (
              <li key={`${point} ${source} ${isSubAgent}`}>
                <span class="name">
                  {point}
                  <span class="soft small">
                    {' '}
                    from {source}
                    {isSubAgent && ', by a sub-agent'}
                  </span>
                </span>
                <b>{showCount(withoutHook)}</b>
              </li>
            ))}
          </ul>
        </section>
      )}
      {idle.size > 0 && (
        <section class="panel" aria-label="Hooks that never ran">
          <h2>Never ran</h2>
          <ul class="gaps">
            {[...idle].map(([hook, places]) => (
              <li key={hook}>
                <Link class="name" href={`/hooks/${encodeURIComponent(hook)}`}>
                  {hook}
                </Link>
                <span class="soft small name">
                  {places
                    .map(({ point, calls }) => `${point} (${showCount(calls)} calls)`)
                    .join(', ')}
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}
