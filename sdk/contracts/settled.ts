/** What `next` makes of a value: at once, or when a promise settles. A hook that is not async costs no promise. */
export function whenSettled(value: unknown, next: (settled: unknown) => unknown): unknown {
  if (typeof value !== 'object' && typeof value !== 'function') return next(value);
  if (value === null) return next(value);
  const { then } = value as { readonly then?: unknown };
  return typeof then === 'function' ? awaited(value, next) : next(value);
}

async function awaited(value: unknown, next: (settled: unknown) => unknown): Promise<unknown> {
  return next(await value);
}
