import { errorRow, SignalboxError, type ErrorCode } from '../../sdk/errors.ts';

/** What the process says to whoever started it; `signalbox --help` lists them. */
export const EXIT = {
  ok: 0,
  /** A hook failed, an answer was invalid, a fixture differed, or there were problems in what was read. */
  problems: 1,
  /** The command line or the configuration is wrong: nothing was done. */
  usage: 2,
  /** Ended by a signal before it was done. */
  interrupted: 130,
} as const;

/** Codes that callers cause and that are findings of a run that was done, or that pass by themselves. */
const FINDINGS: readonly ErrorCode[] = [
  'listen_failed',
  'row_invalid',
  'conversation_invalid',
  'result_too_large',
  'lock_mismatch',
];

/** The exit code of an error that ended a command. */
export function exitCodeOf(error: unknown): number {
  if (!(error instanceof SignalboxError) || FINDINGS.includes(error.code)) return EXIT.problems;
  const { blame } = errorRow(error.code);
  return blame === 'host' || blame === 'hook' ? EXIT.problems : EXIT.usage;
}
