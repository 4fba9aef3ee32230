/**
 * How good something is: `fine`; `reduced`, one defence less where others hold; `weak`, hooks of others should not be
 * run here.
 */
export type State = 'fine' | 'reduced' | 'weak';

/** One thing that doctor looked at. */
export interface Finding {
  readonly about: 'engine' | 'layer' | 'place' | 'hazard';
  readonly name: string;
  readonly state: State;
  readonly detail: string;
  /** What to do about it; absent where nothing is to be done. */
  readonly advice?: string;
}
