import type { Manifest } from '../../../sdk/manifest.ts';
import { newlyAsked } from './consent.ts';

/** A hook of one version of a package; `bytes` is unknown where the cache has lost its bundle. */
export interface HookState {
  readonly points: Manifest['points'] | readonly string[];
  readonly capabilities: readonly string[];
  readonly bytes?: number | undefined;
}

/** What is other about a hook in another version of its package. */
export interface HookDifference {
  readonly hook: string;
  readonly change: 'added' | 'removed' | 'changed' | 'same';
  readonly points: Change;
  /** By what they cover: a narrower capability than before is not added. */
  readonly capabilities: Change;
  readonly bytes: { readonly before?: number | undefined; readonly after?: number | undefined };
}

/** What came and what went. */
export interface Change {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

const NOTHING: HookState = { points: [], capabilities: [] };

/** Compares the hooks of two versions, by name in code-unit order. */
export function compareHooks(
  before: Readonly<Record<string, HookState>>,
  after: Readonly<Record<string, HookState>>,
): readonly HookDifference[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.map((hook) => {
    const old = Object.hasOwn(before, hook) ? before[hook] : undefined;
    const fresh = Object.hasOwn(after, hook) ? after[hook] : undefined;
    const from = old ?? NOTHING;
    const to = fresh ?? NOTHING;
    const points = {
      added: to.points.filter((point) => !from.points.some((other) => other === point)),
      removed: from.points.filter((point) => !to.points.some((other) => other === point)),
    };
    const capabilities = {
      added: newlyAsked(to.capabilities, from.capabilities),
      removed: newlyAsked(from.capabilities, to.capabilities),
    };
    const bytes = { before: old?.bytes, after: fresh?.bytes };
    const isSame =
      [points, capabilities].every(({ added, removed }) => added.length + removed.length === 0) &&
      bytes.before === bytes.after;
    const change =
      old === undefined ? 'added' : fresh === undefined ? 'removed' : isSame ? 'same' : 'changed';
    return { hook, change, points, capabilities, bytes };
  });
}
