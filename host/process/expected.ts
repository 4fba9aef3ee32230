import type { SandboxKind } from '../sandbox.ts';
import type { FromChild } from '../messages.ts';
import type { Activity } from './activity.ts';

/** What a host knows of the activity that a message is about. */
export interface Known {
  readonly kind: SandboxKind;
  /** Whose code runs. */
  readonly running: Activity | undefined;
  /** The one that the message names. */
  readonly named: Activity | undefined;
  /** It was cancelled and has not been reported stopped. */
  readonly isStopping: boolean;
}

/** Messages of an isolate process that end a segment. */
const ENDS: ReadonlySet<FromChild['type']> = new Set(['settle', 'yield', 'unrun']);

/** Whether an honest child may say that: it speaks of what it was asked for alone, of a cancelled activity until it has stopped. */
export function isExpected(
  { type }: Exclude<FromChild, { readonly type: 'ready' }>,
  { kind, running, named, isStopping }: Known,
): boolean {
  if (isStopping) return true;
  if (type === 'stopped' || named === undefined) return false;
  // Nothing comes of a run before its turn, and what has made itself heard was not left out.
  const isEarly = named !== running && named.startedAt === Infinity;
  if (isEarly || (type === 'unrun' && named.sentAs === 'run')) return false;
  return kind === 'worker' || !ENDS.has(type) || named === running;
}
