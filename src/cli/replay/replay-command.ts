import { readRecordings } from '../../replay/recording.ts';
import { replay, type ReplayProgress } from '../../replay/replay.ts';
import { createSummary } from '../../replay/replay-summary.ts';
import { openJsonLines } from './decisions-file.ts';
import { EXIT } from '../exit-code.ts';
import { printSummary, progressLine } from './replay-printing.ts';
import { withRuntime, type Session } from '../session.ts';

/** Options of `signalbox replay`. */
export interface ReplayFlags {
  /** A file that gets one row of JSON per fire. */
  readonly decisions?: string;
  /** The first two files are configurations to compare. */
  readonly compare?: boolean;
}

/** Replays recorded conversations and prints what the hooks did, or with `--json` one row per fire. */
export async function runReplay(
  session: Session,
  files: readonly string[],
  flags: ReplayFlags,
): Promise<number> {
  const { terminal } = session;
  const out =
    flags.decisions === undefined ? undefined : await openJsonLines(flags.decisions, files);
  // Without a file, a reader that went away was all there was to replay for.
  const stops = out === undefined ? [session.signal, terminal.closed] : [session.signal];
  const summary = createSummary();
  try {
    return await withRuntime(session, { level: 'silent' }, async (runtime) => {
      const progress = await replay(runtime, readRecordings(files), {
        signal: AbortSignal.any(stops),
        async onDecision(row) {
          summary.add(row);
          if (terminal.isJson) terminal.json(row);
          await out?.write(row);
        },
        onProblem: (error) => terminal.error(error),
        onProgress: (now) => terminal.progress(progressLine(now)),
      });
      terminal.progress();
      if (!terminal.isJson) {
        if (progress.fires > 0) printSummary(terminal, summary.rows());
        terminal.line(progressLine(progress));
      }
      return session.signal.aborted ? EXIT.interrupted : exitCodeOfReplay(progress);
    });
  } finally {
    await out?.close();
  }
}

function exitCodeOfReplay({ failures, problems }: ReplayProgress): number {
  return failures + problems > 0 ? EXIT.problems : EXIT.ok;
}
