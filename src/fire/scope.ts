import type { HookEntry } from '../packages/catalog.ts';
import type { Context } from '../verdict.ts';
import type { BoundHook } from './bound-hook.ts';

/** What a contract says of which hooks run for a call and in what order, beyond their manifests. */
export interface Scope {
  /** Whether it has a say about a hook; chains without such hooks are not asked. */
  readonly concerns: (entry: HookEntry) => boolean;
  readonly narrow: (hooks: readonly BoundHook[], context: Context) => readonly BoundHook[];
}
