import { useResource } from '../api/resource.ts';
import type { Overview } from '../api/shapes.ts';
import { showDay } from '../parts/figures.ts';
import { EmptyNote, Loaded } from '../parts/notes.tsx';
import { Page } from '../parts/page.tsx';
import { CoveragePanel } from './overview/coverage-panel.tsx';
import { HealthReasons } from './overview/health-reasons.tsx';
import { Instruments } from './overview/instruments.tsx';
import { ReloadButton } from './overview/reload-button.tsx';
import { StationLine } from './overview/station-line.tsx';

/** Whether every guard is up: the points as a line of stations with the hooks that stand at each. */
export function OverviewPage() {
  const overview = useResource<Overview>('/v1/overview', 2000);
  return (
    <Page
      title="Overview"
      lead={since(overview.value)}
      tools={<ReloadButton onReloaded={overview.refresh} />}
    >
      <Loaded from={overview}>
        {(value) => (
          <>
            <Instruments overview={value} />
            <HealthReasons reasons={value.reasons} />
            {value.hooks.length === 0 && (
              <EmptyNote title="No hook stands here yet">
                Put one into <code>hooks/</code>, or add a package with{' '}
                <code>signalbox add &lt;package&gt;</code>.
              </EmptyNote>
            )}
            <StationLine overview={value} />
            <CoveragePanel />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function since(overview: Overview | undefined): string {
  const what = 'Every point of an agent’s life, and the hooks that stand there.';
  return overview === undefined ? what : `${what} Counted since ${showDay(overview.startedAt)}.`;
}
