import type { Overview, Station } from '../../api/shapes.ts';
import { StationRow } from './station-row.tsx';

/** All points, in the order in which an agent meets them. Those without hooks stand close together. */
export function StationLine({ overview }: { readonly overview: Overview }) {
  const figures = new Map(overview.hooks.map((hook) => [hook.hook, hook]));
  return (
    <section class="panel line-panel" aria-label="Points and their hooks">
      <div class="station-head" aria-hidden="true">
        <span>Point</span>
        <span class="hook-row">
          <span />
          <span>Hook, in order</span>
          <span>If it fails</span>
          <span class="number">Calls, 1 h</span>
          <span class="number">p50</span>
          <span class="number">p99</span>
          <span class="number">Failed, 1 h</span>
        </span>
      </div>
      <ol class="line">
        {stretches(overview.points).map((stretch) =>
          stretch.isGuarded ? (
            stretch.stations.map((station) => (
              <StationRow key={station.point} station={station} figures={figures} />
            ))
          ) : (
            <Halts key={stretch.stations[0]?.point} stations={stretch.stations} />
          ),
        )}
      </ol>
    </section>
  );
}

function Halts({ stations }: { readonly stations: readonly Station[] }) {
  return (
    <li class="halts">
      <h3 class="unseen">Points without a hook</h3>
      <ul>
        {stations.map(({ point, calls }) => (
          <li key={point} {...(calls > 0 && { title: `${calls} calls passed here unguarded` })}>
            {point}
            {calls > 0 && <b> {calls}</b>}
          </li>
        ))}
      </ul>
    </li>
  );
}

interface Stretch {
  readonly isGuarded: boolean;
  readonly stations: Station[];
}

function stretches(stations: readonly Station[]): Stretch[] {
  const found: Stretch[] = [];
  for (const station of stations) {
    const isGuarded = station.hooks.length > 0;
    const last = found.at(-1);
    if (last?.isGuarded === isGuarded) last.stations.push(station);
    else found.push({ isGuarded, stations: [station] });
  }
  return found;
}
