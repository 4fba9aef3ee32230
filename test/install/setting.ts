import { withoutNpm } from './registry.ts';

/** A registry of its own and real bundles take their time on a busy machine. */
export const SLOW_MS = 240_000;

/** Takes out of this process what `npm test` says of its own configuration: a project's .npmrc would not count. */
export function forgetNpm(): void {
  const kept = withoutNpm(process.env);
  for (const key of Object.keys(process.env)) if (!(key in kept)) delete process.env[key];
}
