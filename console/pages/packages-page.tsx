import { useResource } from '../api/resource.ts';
import type { Packages } from '../api/package-shapes.ts';
import { EmptyNote, Loaded } from '../parts/notes.tsx';
import { Page } from '../parts/page.tsx';
import { ConsentHistory } from './packages/consent-history.tsx';
import { FindingList } from './packages/finding-list.tsx';
import { PackagePanel } from './packages/package-panel.tsx';

/** What code of others may do here, what it did, and who allowed it. */
export function PackagesPage() {
  const packages = useResource<Packages>('/v1/packages', 10_000);
  return (
    <Page
      title="Packages"
      lead="What code of others declares, what you granted, and what it used of that."
    >
      <Loaded from={packages}>
        {(value) => (
          <>
            {value.packages.length === 0 && (
              <EmptyNote title="No package">
                Add one with <code>signalbox add &lt;package&gt;</code>. It asks for your consent
                first.
              </EmptyNote>
            )}
            {value.packages.map((row) => (
              <PackagePanel
                key={`${row.package}@${row.version}`}
                row={row}
                onChanged={packages.refresh}
              />
            ))}
            <FindingList findings={value.findings} />
            <ConsentHistory history={value.history} />
          </>
        )}
      </Loaded>
    </Page>
  );
}
