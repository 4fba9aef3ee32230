import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';

import { ApiError, ask } from '../../api/client.ts';
import type { PackageRow } from '../../api/shapes.ts';
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
          <Provenance provenance={row.provenance} />
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

function Provenance({ provenance }: { readonly provenance: unknown }) {
  if (provenance === undefined || provenance === null) return null;
  const parts = typeof provenance === 'object' ? Object.entries(provenance) : [];
  return (
    <>
      {parts
        .filter(([, value]) => typeof value === 'string')
        .map(([name, value]) => (
          <span key={name} class="tag">
            {name}: {value}
          </span>
        ))}
    </>
  );
}
