import { isDeepStrictEqual } from 'node:util';
import type { Runtime } from '../runtime.ts';
import type { Verdict } from '../verdict.ts';
import type { ReplayRow } from './conversation-run.ts';
import type { RecordingEntry } from './recording.ts';
import { replay, type ReplayOptions, type ReplayProgress } from './replay.ts';

/** What callers get of a verdict. */
const PARTS = ['action', 'hook', 'code', 'reason', 'payload', 'result', 'text', 'inject'] as const;

/** A part in which two verdicts may differ. */
export type ChangedPart = (typeof PARTS)[number];

/** One side of a change. */
export type ComparedSide = Pick<ReplayRow, 'action' | 'hook' | 'code' | 'reason'>;

/** A fire that two runtimes answer differently. Holds nothing of its payload. */
export interface Change extends Pick<ReplayRow, 'conversation' | 'call' | 'point' | 'tool'> {
  readonly changed: readonly ChangedPart[];
  readonly before: ComparedSide;
  readonly after: ComparedSide;
}

/** What came of a comparison. */
export interface Comparison {
  readonly fires: number;
  readonly changes: number;
  readonly before: ReplayProgress;
  readonly after: ReplayProgress;
}

/** Who hears of what, and when to stop. */
export interface ComparisonOptions extends Pick<ReplayOptions, 'onProblem' | 'signal'> {
  readonly onChange: (change: Change) => void | Promise<void>;
  readonly onFire?: (fires: number, changes: number) => void;
}

interface Answer {
  readonly row: ReplayRow;
  readonly verdict: Verdict | undefined;
}

/** Replays one recording through two runtimes side by side; in memory is no more than where they are. */
export async function compare(
  runtimes: { readonly before: Runtime; readonly after: Runtime },
  read: () => AsyncIterable<RecordingEntry>,
  { onChange, onFire, onProblem, signal }: ComparisonOptions,
): Promise<Comparison> {
  const failed = new AbortController();
  const ended = new AbortController();
  const stop = AbortSignal.any([failed.signal, ...(signal === undefined ? [] : [signal])]);
  let [fires, changes] = [0, 0];
  const pairing = createPairing(AbortSignal.any([stop, ended.signal]), async (before, after) => {
    fires += 1;
    const change = changeOf(before, after);
    if (change !== undefined) {
      changes += 1;
      await onChange(change);
    }
    onFire?.(fires, changes);
  });
  const side = async (name: 'before' | 'after'): Promise<ReplayProgress> => {
    try {
      return await replay(runtimes[name], read(), {
        signal: stop,
        onDecision: (row, verdict) => pairing[name]({ row, verdict }),
        // Both read the same file.
        ...(name === 'before' && onProblem !== undefined && { onProblem }),
      });
    } catch (error) {
      failed.abort();
      throw error;
    } finally {
      // Nobody is left waiting for a side that is through.
      ended.abort();
    }
  };
  const [before, after] = await Promise.all([side('before'), side('after')]);
  return { fires, changes, before, after };
}

/** Lets each of two sides wait until the other has come as far. */
function createPairing(
  stop: AbortSignal,
  onPair: (before: Answer, after: Answer) => Promise<void>,
): Record<'before' | 'after', (answer: Answer) => Promise<void>> {
  const waiting: { before?: Waiting; after?: Waiting } = {};
  stop.addEventListener('abort', () => {
    for (const one of [waiting.before, waiting.after]) one?.go();
  });
  const come = async (own: 'before' | 'after', answer: Answer): Promise<void> => {
    if (stop.aborted) return;
    const other = own === 'before' ? 'after' : 'before';
    const there = waiting[other];
    if (there === undefined) {
      await new Promise<void>((go) => (waiting[own] = { answer, go }));
      return;
    }
    delete waiting[other];
    try {
      if (own === 'before') await onPair(answer, there.answer);
      else await onPair(there.answer, answer);
    } finally {
      there.go();
    }
  };
  return {
    before: (answer) => come('before', answer),
    after: (answer) => come('after', answer),
  };
}

interface Waiting {
  readonly answer: Answer;
  readonly go: () => void;
}

function changeOf(before: Answer, after: Answer): Change | undefined {
  const changed = PARTS.filter(
    (part) => !isDeepStrictEqual(partOf(before, part), partOf(after, part)),
  );
  if (changed.length === 0) return undefined;
  const { conversation, call, point, tool } = before.row;
  const sides = { before: sideOf(before.row), after: sideOf(after.row) };
  return { conversation, call, point, tool, changed, ...sides };
}

function partOf({ row, verdict }: Answer, part: ChangedPart): unknown {
  switch (part) {
    case 'action':
    case 'hook':
    case 'code':
    case 'reason':
      return row[part];
    case 'payload':
    case 'result':
    case 'text':
      return verdict?.[part];
    case 'inject':
      return verdict?.inject.map((injection) => ({ ...injection, hook: undefined }));
  }
}

function sideOf({ action, hook, code, reason }: ReplayRow): ComparedSide {
  return { action, hook, code, reason };
}
