/**
 * Waits for all, then gives their values or throws the first error in their order: what goes on while a folder is taken
 * away would write into it again.
 */
export async function settleAll<T>(pending: readonly Promise<T>[]): Promise<readonly T[]> {
  const settled = await Promise.allSettled(pending);
  return settled.map((item) => {
    if (item.status === 'fulfilled') return item.value;
    throw item.reason;
  });
}
