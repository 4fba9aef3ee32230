import type { Outcome, RunType } from '../messages.ts';
import type { BridgeHandler, HookSource } from '../sandbox.ts';
import { LIMITS } from '../../sdk/limits.ts';

/** How an activity ended, from the host's own state. */
export type Ending =
  | { readonly by: 'guest'; readonly outcome: Outcome; readonly text: string }
  | { readonly by: 'cap' }
  | { readonly by: 'caller' }
  /** It was sent ahead and did not run. */
  | { readonly by: 'withdrawn' }
  /** The process is gone: this activity had it at the time, or another one did. */
  | { readonly by: 'loss'; readonly role: 'culprit' | 'bystander'; readonly isMemory: boolean };

/** What an activity does: load a hook, or run it. */
export type Work =
  | { readonly kind: 'load' }
  | {
      readonly kind: 'run';
      readonly input: string;
      readonly ops: string;
      readonly bridge: BridgeHandler;
    };

/** One load or run in progress in a place. */
export interface Activity {
  readonly id: number;
  readonly work: Work;
  readonly place: Place;
  /** Not before its own code may run; `Infinity` for one that waits in line. */
  startedAt: number;
  readonly capMs: number;
  /** When its cap is reached. */
  dueAt: number;
  readonly logs: string[];
  /** It did something that must not happen twice. */
  hasWritten: boolean;
  isOver: boolean;
  bridgeCalls: number;
  readonly timers: Set<NodeJS.Timeout>;
  /** Stops listening to the caller's signal. */
  unlisten: (() => void) | undefined;
  /** How it was sent; `run` once it has made itself heard: only what was sent ahead may be left out. */
  sentAs: RunType;
  /** Called once, before anything else starts in the process. */
  readonly onEnd: (ending: Ending) => void;
}

/** What a process is asked to do in one of its places. */
export interface Errand {
  readonly place: Place;
  readonly work: Work;
  readonly capMs: number;
  /** Ends it for its caller. */
  readonly signal?: AbortSignal | undefined;
  /** Called once, at the cap at the latest, before the process takes other work. */
  readonly onEnd: (ending: Ending, activity: Activity) => void;
}

/** An activity that has yet to begin. `onAbort` is told when its caller gives it up. */
export function newActivity(
  id: number,
  { place, work, capMs, signal, onEnd }: Errand,
  onAbort: (activity: Activity) => void,
): Activity {
  const activity: Activity = {
    id,
    work,
    place,
    capMs,
    startedAt: Infinity,
    dueAt: Infinity,
    logs: [],
    hasWritten: false,
    isOver: false,
    sentAs: 'run',
    bridgeCalls: 0,
    timers: new Set(),
    unlisten: undefined,
    onEnd: (ending) => onEnd(ending, activity),
  };
  if (signal !== undefined) {
    const tell = (): void => onAbort(activity);
    signal.addEventListener('abort', tell, { once: true });
    activity.unlisten = () => signal.removeEventListener('abort', tell);
  }
  return activity;
}

/** An answer of the host that waits until the process is free to take it in. */
export interface Delivery {
  readonly activity: Activity;
  readonly seq: number;
  readonly text: string;
}

/** A loaded hook in a process: one isolate for one session, or the hook's module in a worker thread. */
export interface Place {
  readonly id: number;
  readonly source: HookSource;
  /** Unset until a session first runs there. */
  sessionId: string | undefined;
  isLoaded: boolean;
  /** Activities that have it: several where runs were sent ahead. */
  users: number;
  /** The one that runs in it waits for a bridge or timer. */
  isWaiting: boolean;
  /** It is dropped as soon as nobody has it. */
  isDoomed: boolean;
  /** How many runs in a row have ended at once, without waiting. */
  quickRuns: number;
  lastUsedAt: number;
}

/** Operations that must not happen twice: an activity that did one is never run again. */
const WRITES = new Set(['store.put', 'store.delete', 'fetch', 'llm', 'emit']);

/** Answers what a guest asks for: its timers here, everything else through the bridge. `text` may be hostile. */
export function answerBridge(
  activity: Activity,
  text: string,
  deliver: (text: string) => void,
): boolean {
  activity.sentAs = 'run';
  activity.bridgeCalls += 1;
  if (activity.bridgeCalls > MAX_CALLS || text.length > MAX_TEXT_CHARS) return false;
  const call = readCall(text);
  if (call === undefined) return false;
  if (call.op === 'timer.set') {
    const ms =
      typeof call.args[0] === 'number'
        ? Math.min(Math.max(call.args[0], 0), LIMITS.maxTimeoutMs)
        : 0;
    const timer = setTimeout(() => {
      activity.timers.delete(timer);
      deliver('');
    }, ms);
    activity.timers.add(timer);
    return true;
  }
  const { work } = activity;
  if (work.kind === 'load') {
    deliver(
      JSON.stringify({
        ok: false,
        code: 'unavailable',
        message: 'no bridge is there while a hook loads',
      }),
    );
    return true;
  }
  if (WRITES.has(call.op)) activity.hasWritten = true;
  work.bridge(call.op, call.args).then(
    (answer) => deliver(JSON.stringify(answer)),
    () => deliver(JSON.stringify({ ok: false, code: 'unavailable', message: `${call.op} failed` })),
  );
  return true;
}

/** Above what a child lets pass; reading it costs the host time. */
const MAX_TEXT_CHARS = LIMITS.storeValueBytes + 16_384;

/** Far above what the guest code and the bridges allow: past it the process is treated as hostile. */
const MAX_CALLS = 100_000;

function readCall(
  text: string,
): { readonly op: string; readonly args: readonly unknown[] } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!Array.isArray(value) || typeof value[0] !== 'string') return undefined;
    return { op: value[0], args: value.slice(1) };
  } catch {
    return undefined;
  }
}

/** Keeps a line that a hook logged, within the limits whatever the other side let through. */
export function keepLine(activity: Activity, line: string): void {
  activity.sentAs = 'run';
  if (activity.logs.length > LIMITS.logLines) return;
  activity.logs.push(line.slice(0, LIMITS.logLineBytes));
}
