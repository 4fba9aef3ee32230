import type { Decision } from './decisions.ts';

/** A decision without what every decision may carry besides: `{ ...allow(), notice: { text } }`. */
type Of<A extends Decision['action']> = Omit<
  Extract<Decision, { action: A }>,
  'inject' | 'notice' | 'suppressOutput' | 'outputs' | 'retry'
>;

type Modify<Fields> = Omit<Of<'modify'>, 'payload'> & { readonly payload: Fields };

/** What an `ask` may say besides its reason; the defaults are those of {@link ASK_DEFAULTS}. */
export type AskOptions = Omit<Of<'ask'>, 'action' | 'reason'>;

/**
 * Lets it pass.
 *
 * @example
 * ```ts
 * allow(); // { action: 'allow' }
 * ```
 */
export function allow(): Of<'allow'> {
  return { action: 'allow' };
}

/**
 * Stops it. The reason is read by the user or the model: name the rule, never the data that broke it.
 *
 * @example
 * ```ts
 * block('Refunds need a ticket'); // { action: 'block', reason: 'Refunds need a ticket' }
 * ```
 */
export function block(reason: string): Of<'block'> {
  return { action: 'block', reason };
}

/**
 * Lets a person decide; without an approver it is a block.
 *
 * @example
 * ```ts
 * ask('Refund above the limit', { timeoutMs: 60_000 }); // { action: 'ask', reason: 'Refund above the limit', timeoutMs: 60000 }
 * ```
 */
export function ask(reason: string, options: AskOptions = {}): Of<'ask'> {
  return { ...options, action: 'ask', reason };
}

/**
 * Lets it pass with top-level fields of the payload replaced; `null` removes an optional one.
 *
 * @example
 * ```ts
 * modify({ text: 'hello' }, 'greeting only'); // { action: 'modify', payload: { text: 'hello' }, note: 'greeting only' }
 * ```
 */
export function modify<Fields extends object>(payload: Fields, note?: string): Modify<Fields> {
  return note === undefined ? { action: 'modify', payload } : { action: 'modify', payload, note };
}

/**
 * Answers in place of the guarded operation, which does not run.
 *
 * @example
 * ```ts
 * result({ rate: 1.1 }); // { action: 'result', result: { rate: 1.1 } }
 * ```
 */
export function result(value: unknown, options: Pick<Of<'result'>, 'isError'> = {}): Of<'result'> {
  return { ...options, action: 'result', result: value };
}

/**
 * Has the model try again with this feedback; a third time in one turn is a block.
 *
 * @example
 * ```ts
 * rework('Cite the order number'); // { action: 'rework', feedback: 'Cite the order number' }
 * ```
 */
export function rework(feedback: string): Of<'rework'> {
  return { action: 'rework', feedback };
}

/**
 * Keeps it from the client, or shows the text given in its place.
 *
 * @example
 * ```ts
 * suppress('…'); // { action: 'suppress', text: '…' }
 * ```
 */
export function suppress(text?: string): Of<'suppress'> {
  return text === undefined ? { action: 'suppress' } : { action: 'suppress', text };
}
