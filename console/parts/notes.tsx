import type { ComponentChildren } from 'preact';

import type { ApiError } from '../api/client.ts';
import type { Resource } from '../api/resource.ts';

/** What the server said instead of an answer. */
export function ErrorNote({
  error,
  onRetry,
}: {
  readonly error: ApiError;
  readonly onRetry?: () => void;
}) {
  return (
    <div class="note bad" role="alert">
      <strong>{error.message}</strong>
      <span>
        <code>{error.code}</code>
        {error.hint !== '' && ` · ${error.hint}`}
      </span>
      {onRetry !== undefined && (
        <button type="button" class="button quiet" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** What stands where there is nothing. */
export function EmptyNote({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
}) {
  return (
    <div class="note empty">
      <svg
        viewBox="0 0 40 48"
        fill="none"
        stroke="currentColor"
        stroke-width="2"
        aria-hidden="true"
      >
        <path d="M2 44h36M6 44v-6M14 44v-6M26 44v-6M34 44v-6M20 44V8M20 10h14v6H20" />
      </svg>
      <strong>{title}</strong>
      <span>{children}</span>
    </div>
  );
}

/** Shows what a resource holds; before that, that it is on its way or why it is not. */
export function Loaded<T>({
  from,
  children,
}: {
  readonly from: Resource<T>;
  readonly children: (value: T) => ComponentChildren;
}) {
  const { value, error, refresh } = from;
  return (
    <>
      {error !== undefined && <ErrorNote error={error} onRetry={refresh} />}
      {value === undefined && error === undefined && (
        <div class="shimmer" role="status" aria-label="Loading" />
      )}
      {value !== undefined && children(value)}
    </>
  );
}
