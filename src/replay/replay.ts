import { randomUUID } from 'node:crypto';

import type { SignalboxError } from '../../sdk/errors.ts';
import {
  runConversation,
  type FiringRuntime,
  type ReplayRow,
  type ReplayStep,
} from './conversation-run.ts';
import type { Verdict } from '../verdict.ts';
import type { RecordingEntry } from './recording.ts';
import { runAhead } from './run-ahead.ts';
import { createTurnstile } from './turnstile.ts';

/** How far a replay is, or came. */
export interface ReplayProgress {
  readonly conversations: number;
  readonly calls: number;
  readonly fires: number;
  /** Fires whose verdict is not `allow`. */
  readonly decisions: number;
  /** Runs of hooks that failed, whatever their failPolicy made of it. */
  readonly failures: number;
  /** Lines, messages and arguments that could not be read. */
  readonly problems: number;
}

/** Who hears of what, and when to stop. A replay waits for what a listener returns. */
export interface ReplayOptions {
  /** Rows come in the order of the recording, as soon as those before them have come; with the verdict, if there is one. */
  readonly onDecision?: (row: ReplayRow, verdict?: Verdict) => void | Promise<void>;
  readonly onProblem?: (error: SignalboxError) => void;
  readonly onProgress?: (progress: ReplayProgress) => void;
  /** Conversations at once, 16 by default: as many isolates as a process keeps. */
  readonly concurrency?: number;
  /** Ends the replay before the next fire; what was decided is still delivered. */
  readonly signal?: AbortSignal;
}

/** Finished conversations that may wait for a slower one before them, per running one. */
const WAITING_PER_RUNNING = 4;

/**
 * Fires what recorded conversations show. Calls of one conversation go in order, conversations run side by side. What
 * the recording holds stays as it is: after a blocked call the next recorded event still fires.
 */
export async function replay(
  runtime: FiringRuntime,
  source: AsyncIterable<RecordingEntry>,
  options: ReplayOptions = {},
): Promise<ReplayProgress> {
  const { concurrency = 16, signal } = options;
  const failed = new AbortController();
  const stop = signal === undefined ? failed.signal : AbortSignal.any([failed.signal, signal]);
  const running = createTurnstile(concurrency);
  const undelivered = createTurnstile(concurrency * (1 + WAITING_PER_RUNNING));
  const tally = createTally(options);
  const name = randomUUID().slice(0, 8);
  let delivered = Promise.resolve();
  let serial = 0;
  try {
    for await (const entry of source) {
      await undelivered.enter();
      await running.enter();
      if (stop.aborted) break;
      serial += 1;
      const session = { sessionId: `replay-${name}-${serial}`, stop };
      const { ended, items } = runAhead(runConversation(runtime, entry, session));
      // The reader of the items is told as well, unless an earlier failure has ended the reading.
      ended.catch(() => undefined).finally(running.leave);
      delivered = delivered.then(() => tally.deliver(items)).finally(undelivered.leave);
      delivered.catch(() => failed.abort());
    }
  } finally {
    await delivered;
  }
  return tally.progress();
}

function createTally({ onDecision, onProblem, onProgress }: ReplayOptions) {
  let progress: ReplayProgress = {
    conversations: 0,
    calls: 0,
    fires: 0,
    decisions: 0,
    failures: 0,
    problems: 0,
  };
  return {
    progress: () => progress,
    async deliver(steps: AsyncIterable<ReplayStep>): Promise<void> {
      let hasRows = false;
      for await (const step of steps) {
        if (step.kind === 'problem') {
          onProblem?.(step.error);
          progress = { ...progress, problems: progress.problems + 1 };
        } else {
          await onDecision?.(step.row, step.verdict);
          progress = withRow(progress, step);
          if (!hasRows) progress = { ...progress, conversations: progress.conversations + 1 };
          hasRows = true;
        }
        onProgress?.(progress);
      }
    },
  };
}

function withRow(
  progress: ReplayProgress,
  { row, failures }: ReplayStep & { readonly kind: 'row' },
): ReplayProgress {
  return {
    ...progress,
    // Each call has one row before it runs, and may have none after.
    calls: progress.calls + (row.point === 'preToolUse' ? 1 : 0),
    fires: progress.fires + 1,
    decisions: progress.decisions + (row.action === 'allow' ? 0 : 1),
    failures: progress.failures + failures,
  };
}
