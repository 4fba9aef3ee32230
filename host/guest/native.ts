import { stringSlice } from './intrinsics.ts';

/**
 * What the sandbox hands to the guest code: plain functions of strings and numbers, held in closures and reachable
 * by no name. The other side caps and counts everything again.
 */
export interface Native {
  /** The run or load has come to its end after the call that started it returned. */
  readonly settle: (sealed: string) => void;
  /** Starts a bridge call whose answer comes through `deliver(seq, …)`: JSON text of `[op, ...arguments]`. */
  readonly bridge: (seq: number, text: string) => void;
  readonly log: (line: string) => void;
  /** Random bytes as hex text. */
  readonly entropy: (bytes: number) => string;
}

/**
 * First letter of a sealed text, by outcome. The letter is set by the code of this folder alone, so that a hook cannot
 * choose how its run is classified.
 */
export const SEALS = {
  answer: 'a',
  thrown: 't',
  invalid: 'i',
  size: 's',
  opened: 'o',
  load_error: 'l',
} as const;

/** An outcome that the guest code can seal. */
export type SealedOutcome = keyof typeof SEALS;

const OUTCOME_OF: Readonly<Record<string, SealedOutcome>> = {
  a: 'answer',
  t: 'thrown',
  i: 'invalid',
  s: 'size',
  o: 'opened',
  l: 'load_error',
};

/** Joins an outcome and its text into one string that crosses the boundary. */
export function seal(outcome: SealedOutcome, text: string): string {
  return SEALS[outcome] + text;
}

/** Splits what {@link seal} joined; `undefined` for anything else. */
export function unseal(sealed: unknown): { outcome: SealedOutcome; text: string } | undefined {
  if (typeof sealed !== 'string' || sealed.length === 0) return undefined;
  const outcome = OUTCOME_OF[sealed.charAt(0)];
  return outcome === undefined ? undefined : { outcome, text: stringSlice(sealed, 1) };
}
