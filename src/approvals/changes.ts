import type { Payload } from '../chain/call.ts';
import type { Decision } from '../../sdk/decisions.ts';
import { canonicalText } from './canonical.ts';

/** One value that a hook changed in what a person is asked about. */
export interface Change {
  readonly hook: string;
  /** JSON pointer into the payload. */
  readonly path: string;
  /** Absent where there was none. */
  readonly before?: unknown;
  /** Absent where it was removed. */
  readonly after?: unknown;
}

/** What each hook of a chain changed, in the order they ran. */
export function changesOf(
  before: Payload,
  steps: readonly { readonly hook: string; readonly decision: Decision }[],
): readonly Change[] {
  let payload = before;
  return steps.flatMap(({ hook, decision }) => {
    if (decision.action !== 'modify') return [];
    const next = { ...payload, ...decision.payload };
    const changes = Object.keys(decision.payload).flatMap((key) =>
      compare(pointer('', key), payload[key], next[key] ?? undefined),
    );
    payload = next;
    return changes.map((change) => ({ hook, ...change }));
  });
}

function compare(path: string, before: unknown, after: unknown): Omit<Change, 'hook'>[] {
  if (isRecord(before) && isRecord(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...keys].flatMap((key) =>
      compare(pointer(path, key), own(before, key), own(after, key)),
    );
  }
  if (canonicalText(before) === canonicalText(after)) return [];
  return [{ path, ...(before !== undefined && { before }), ...(after !== undefined && { after }) }];
}

function own(record: Payload, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

function pointer(path: string, key: string): string {
  return `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function isRecord(value: unknown): value is Payload {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
