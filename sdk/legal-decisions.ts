import type { Action, Decision } from './decisions.ts';
import type { Listed } from './hook-context.ts';
import type { Payloads, Point, PointRows } from './points.ts';

type Row<P extends Point> = PointRows[P];

/** Whether the capabilities hold `Name`; where none are listed, hook.json may say so. */
type Holds<C extends Listed, Name> = C extends readonly (infer Held)[]
  ? Name extends Held
    ? true
    : false
  : true;

/** The payload as it is delivered: without the content fields that no listed capability reads. */
export type Delivered<P extends Point, C extends Listed> =
  Holds<C, Row<P>['reads']> extends true
    ? Payloads[P]
    : Omit<Payloads[P], Row<P>['content'][number]>;

type RemovedBy<T, K extends keyof T> = undefined extends Required<T>[K]
  ? null
  : Record<never, never> extends Pick<T, K>
    ? null
    : never;

/** The fields of a point that `modify` may replace; `null` removes one that is optional. */
export type Changes<P extends Point> = {
  readonly [K in Extract<keyof Payloads[P], Row<P>['writable'][number]>]?:
    Payloads[P][K] | RemovedBy<Payloads[P], K>;
};

type Of<A extends Action> = Extract<Decision, { action: A }>;

type Shape<P extends Point, A extends Action> = A extends 'modify'
  ? Omit<Of<'modify'>, 'payload'> & { readonly payload: Changes<P> }
  : Of<A>;

type Forbidden<P extends Point, C extends Listed> = (P extends 'preRetry'
  ? unknown
  : { readonly retry?: never }) &
  (Holds<C, 'injects_context'> extends true ? unknown : { readonly inject?: never });

type ActionAt<P extends Point, C extends Listed> =
  Holds<C, Row<P>['gates']> extends true ? Row<P>['decisions'][number] : 'allow';

/** The decisions that are legal at a point, for a hook with the capabilities that are listed. */
export type DecisionAt<P extends Point, C extends Listed = undefined> = P extends Point
  ? Shape<P, ActionAt<P, C>> & Forbidden<P, C>
  : never;
