import type { ComponentChildren } from 'preact';
import { useErrorBoundary } from 'preact/hooks';

import { Page } from './page.tsx';

/** Keeps what goes wrong in a page from taking the whole console with it. */
export function FaultWall({ children }: { readonly children: ComponentChildren }) {
  const [error, reset] = useErrorBoundary();
  if (error === undefined) return <>{children}</>;
  return (
    <Page title="This page broke">
      <div class="note bad" role="alert">
        <strong>{error instanceof Error ? error.message : 'Something went wrong'}</strong>
        <span>The hooks are not touched by it. The other pages work.</span>
        <button type="button" class="button quiet" onClick={reset}>
          Try again
        </button>
      </div>
    </Page>
  );
}
