import { useState } from 'preact/hooks';

import { ApiError, ask } from '../../api/client.ts';
import type { Reload } from '../../api/shapes.ts';
import { ErrorNote } from '../../parts/notes.tsx';
import { useIsAdmin } from '../../parts/session.ts';

/** Takes over runtime.json as it is now, whole or not at all. */
export function ReloadButton({ onReloaded }: { readonly onReloaded: () => void }) {
  const isAdmin = useIsAdmin();
  const [report, setReport] = useState<Reload>();
  const [error, setError] = useState<ApiError>();
  const [isRunning, setRunning] = useState(false);
  const reload = async (): Promise<void> => {
    setRunning(true);
    setReport(undefined);
    setError(undefined);
    try {
      setReport(await ask<Reload>('/v1/reload', { method: 'POST' }));
      onReloaded();
    } catch (refused) {
      if (refused instanceof ApiError) setError(refused);
    } finally {
      setRunning(false);
    }
  };
  if (!isAdmin) return null;
  return (
    <div class="reload">
      <button type="button" class="button" disabled={isRunning} onClick={() => void reload()}>
        {isRunning ? 'Reading runtime.json' : 'Reload configuration'}
      </button>
      <p class="small soft name" role="status">
        {report !== undefined && describe(report)}
      </p>
      {error !== undefined && <ErrorNote error={error} />}
    </div>
  );
}

function describe({ changed, needsRestart }: Reload): string {
  const news = changed.map(({ name, change }) => `${name} ${change}`).join(', ');
  const later = needsRestart.length === 0 ? '' : `. After a restart: ${needsRestart.join(', ')}`;
  return `${news === '' ? 'Nothing changed' : news}${later}`;
}
