import { encodeFrame, type Frame } from './frames.ts';
import { LIMITS } from '../sdk/limits.ts';

/** Changes with every change of the wire. */
export const PROTOCOL = 3;

/** Longest frame that the host accepts from a child, in bytes. */
export const MAX_FROM_CHILD_BYTES = LIMITS.answerBytes + 65_536;

/** Longest frame that a child accepts from the host, in bytes: a bundle or a payload, escaped. */
export const MAX_TO_CHILD_BYTES = 64 * 1024 * 1024;

/** What a child needs to load a hook. */
export interface HookDefinition {
  readonly name: string;
  readonly contract: string;
  /** JSON text of the adapter's input: config, and what hook.json says. */
  readonly input: string;
  readonly code: string;
  readonly file: string;
  readonly memoryMb: number;
}

/**
 * From host to child. A *place* is a loaded hook: an isolate, or the hook's module in the worker threads.
 * `open`, `run` and `deliver` each start a segment of hook code, which ends with `settle` or `yield`. `next` and `behind`
 * are runs that are sent ahead: the one starts if the run before it plainly let pass, the other whatever came before it if
 * nothing waits in its place; else the child says `unrun`.
 */
export type ToChild =
  | {
      readonly type: 'open';
      readonly id: number;
      readonly place: number;
      readonly hook: HookDefinition;
    }
  | {
      readonly type: RunType;
      readonly id: number;
      readonly place: number;
      readonly ops: string;
      readonly input: string;
    }
  | { readonly type: 'deliver'; readonly id: number; readonly seq: number; readonly text: string }
  | { readonly type: 'cancel'; readonly id: number; readonly place: number }
  | { readonly type: 'drop'; readonly place: number };

/** How a run is sent: at once, or ahead. */
export type RunType = 'run' | 'next' | 'behind';

/** How a segment ended for good; the child knows it from its own state or from the guest's sealed answer. */
export const OUTCOMES = [
  'answer',
  'thrown',
  'invalid',
  'size',
  'memory',
  'load_error',
  'opened',
  'crash',
] as const;

/** A value of {@link OUTCOMES}. */
export type Outcome = (typeof OUTCOMES)[number];

/** From child to host. */
export type FromChild =
  | {
      readonly type: 'ready';
      readonly protocol: number;
      readonly buildHash: string;
      /** Code caches that it made for want of a file of them; else empty. */
      readonly caches: string;
    }
  | {
      readonly type: 'settle';
      readonly id: number;
      /** The code ran for less than {@link QUICK_MS}, and waited for nothing. */
      readonly isQuick: boolean;
      readonly outcome: Outcome;
      readonly text: string;
    }
  | { readonly type: 'yield' | 'unrun'; readonly id: number }
  | { readonly type: 'bridge'; readonly id: number; readonly seq: number; readonly text: string }
  | { readonly type: 'log'; readonly id: number; readonly line: string }
  | { readonly type: 'stopped'; readonly id: number };

const TO_CHILD = { open: 1, run: 2, deliver: 3, cancel: 4, drop: 5, next: 6, behind: 7 } as const;
/** Types of runs by the kinds of their frames. */
const RUN_TYPES: Readonly<Record<number, RunType>> = {
  [TO_CHILD.run]: 'run',
  [TO_CHILD.next]: 'next',
  [TO_CHILD.behind]: 'behind',
};
const FROM_CHILD = {
  ready: 1,
  settle: 2,
  yield: 3,
  bridge: 4,
  log: 5,
  stopped: 6,
  unrun: 7,
} as const;

/** A run that takes less, in milliseconds of its own process, may have others behind it. */
export const QUICK_MS = 1;

/** Stands beside the number of an outcome. */
const QUICK_MARK = 0x80;

/** Encodes a message for a child. */
export function encodeToChild(message: ToChild): Buffer {
  switch (message.type) {
    case 'open':
      return encodeFrame({
        kind: TO_CHILD.open,
        id: message.id,
        number: message.place,
        text: JSON.stringify(message.hook),
      });
    case 'run':
    case 'next':
    case 'behind':
      return encodeFrame({
        kind: TO_CHILD[message.type],
        id: message.id,
        number: message.place,
        text: `${message.ops}\n${message.input}`,
      });
    case 'deliver':
      return encodeFrame({
        kind: TO_CHILD.deliver,
        id: message.id,
        number: message.seq,
        text: message.text,
      });
    case 'cancel':
      return encodeFrame({
        kind: TO_CHILD.cancel,
        id: message.id,
        number: message.place,
        text: '',
      });
    case 'drop':
      return encodeFrame({ kind: TO_CHILD.drop, id: 0, number: message.place, text: '' });
  }
}

/** Reads a message from the host, which a child trusts; `undefined` for a kind that it does not know. */
export function decodeToChild(frame: Frame): ToChild | undefined {
  const { id, number, text } = frame;
  const type = RUN_TYPES[frame.kind];
  if (type !== undefined) {
    const { head, rest } = cut(text);
    return { type, id, place: number, ops: head, input: rest };
  }
  switch (frame.kind) {
    case TO_CHILD.open:
      return { type: 'open', id, place: number, hook: JSON.parse(text) as HookDefinition };
    case TO_CHILD.deliver:
      return { type: 'deliver', id, seq: number, text };
    case TO_CHILD.cancel:
      return { type: 'cancel', id, place: number };
    case TO_CHILD.drop:
      return { type: 'drop', place: number };
    default:
      return undefined;
  }
}

/** Encodes a message for the host. */
export function encodeFromChild(message: FromChild): Buffer {
  switch (message.type) {
    case 'ready':
      return encodeFrame({
        kind: FROM_CHILD.ready,
        id: 0,
        number: message.protocol,
        text: `${message.buildHash}\n${message.caches}`,
      });
    case 'settle':
      return encodeFrame({
        kind: FROM_CHILD.settle,
        id: message.id,
        number: OUTCOMES.indexOf(message.outcome) + (message.isQuick ? QUICK_MARK : 0),
        text: message.text,
      });
    case 'yield':
    case 'unrun':
    case 'stopped':
      return encodeFrame({ kind: FROM_CHILD[message.type], id: message.id, number: 0, text: '' });
    case 'bridge':
      return encodeFrame({
        kind: FROM_CHILD.bridge,
        id: message.id,
        number: message.seq,
        text: message.text,
      });
    case 'log':
      return encodeFrame({ kind: FROM_CHILD.log, id: message.id, number: 0, text: message.line });
  }
}

/** Reads a message from a child, which may be hostile; `undefined` for anything that is no message. */
export function decodeFromChild(frame: Frame): FromChild | undefined {
  const { id, number, text } = frame;
  switch (frame.kind) {
    case FROM_CHILD.ready: {
      const { head, rest } = cut(text);
      return { type: 'ready', protocol: number, buildHash: head, caches: rest };
    }
    case FROM_CHILD.settle: {
      const isQuick = number >= QUICK_MARK;
      const outcome = OUTCOMES[isQuick ? number - QUICK_MARK : number];
      return outcome === undefined ? undefined : { type: 'settle', id, isQuick, outcome, text };
    }
    case FROM_CHILD.yield:
      return { type: 'yield', id };
    case FROM_CHILD.bridge:
      return { type: 'bridge', id, seq: number, text };
    case FROM_CHILD.log:
      return { type: 'log', id, line: text };
    case FROM_CHILD.unrun:
      return { type: 'unrun', id };
    case FROM_CHILD.stopped:
      return { type: 'stopped', id };
    default:
      return undefined;
  }
}

/** The first line of a text, and what follows it. */
function cut(text: string): { readonly head: string; readonly rest: string } {
  const at = text.indexOf('\n');
  return at < 0 ? { head: text, rest: '' } : { head: text.slice(0, at), rest: text.slice(at + 1) };
}
