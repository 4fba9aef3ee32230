import type { build } from 'esbuild';

/** How long the bundler's own process may wait for more work, in milliseconds. */
const LINGER_MS = 50;

/** Who is bundling: the bundler keeps one process for all of this one, and ends it for all. */
const users = new Set<symbol>();

/**
 * Lends the bundler, which is loaded only when somebody needs it. Its process is ended soon after the last one is done,
 * so that a runtime leaves none behind.
 */
export async function withBundler<T>(use: (bundle: typeof build) => Promise<T>): Promise<T> {
  const user = Symbol('user');
  users.add(user);
  const esbuild = await import('esbuild');
  try {
    return await use(esbuild.build);
  } finally {
    users.delete(user);
    const timer = setTimeout(() => {
      if (users.size === 0) void esbuild.stop();
    }, LINGER_MS);
    timer.unref();
  }
}
