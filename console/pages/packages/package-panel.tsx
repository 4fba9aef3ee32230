import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';

import { ApiError, ask } from '../../api/client.ts';
import type { PackageRow } from '../../api/package-shapes.ts';
import { showDay } from '../../parts/figures.ts';
import { ErrorNote } from '../../parts/notes.tsx';
import { useIsAdmin } from '../../parts/session.ts';
import { CapabilityTable } from './capability-table.tsx';

const LOOKS: Readonly<Record<string, string>> = {
  locked: 'clear',
  own: 'route',
  tampered: 'danger',
  missing: 'danger',
  unlocked: 'caution',
};

/** One package with its capabilities. */
export function PackagePanel({
  row,
  onChanged,
}: {
  readonly row: PackageRow;
  readonly onChanged: () => void;
}) {
  const isAdmin = useIsAdmin();
  const [error, setError] = useState<ApiError>();
  const change = async (capability: string, method: 'PUT' | 'DELETE'): Promise<void> => {
    setError(undefined);
    try {
      const path = [row.package, 'grants', capability].map(encodeURIComponent).join('/');
      await ask(`/v1/packages/${path}`, { method });
      onChanged();
    } catch (refused) {
      if (refused instanceof ApiError) setError(refused);
    }
  };
  return (
    <section class="panel" aria-label={`Package ${row.package}`}>
      <header>
        <h2 class="name">
          {row.package} <span class="soft">{row.version}</span>
        </h2>
        <span class="row">
          <span class={`tag ${LOOKS[row.integrity] ?? ''}`}>{row.integrity}</span>
          {row.provenance !== undefined && (
            <>
              <span class="tag">signature {row.provenance.signature}</span>
              <span class="tag">provenance {row.provenance.attestation}</span>
            </>
          )}
        </span>
      </header>
      <p class="small">
        <span class="soft">Hooks: </span>
        {row.hooks.map((hook, at) => (
          <span key={hook}>
            {at > 0 && ', '}
            <Link class="name" href={`/hooks/${encodeURIComponent(hook)}`}>
              {hook}
            </Link>
          </span>
        ))}
        {row.consent?.by !== undefined && (
          <span class="soft">
            . {row.consent.by} agreed
            {row.consent.at !== undefined && `, ${showDay(row.consent.at)}`}
          </span>
        )}
      </p>
      {error !== undefined && <ErrorNote error={error} />}
      <CapabilityTable
        rows={row.capabilities}
        canChange={isAdmin && row.package !== 'local'}
        onChange={(capability, method) => void change(capability, method)}
      />
    </section>
  );
}
