import type { PayloadInput, Payloads, Point } from '../../sdk/points.ts';
import type { Released } from '../approvals/approval.ts';
import type { Payload } from '../chain/call.ts';
import type { LiveRuntime } from '../live-runtime.ts';
import type { Context, Verdict } from '../verdict.ts';
import { createAsking, type Asked, type Asking } from './ask.ts';
import type { OnEvent } from './client-events.ts';
import { createInjections, type Injections } from './history/injections.ts';
import type { StoredMessage } from './history/message.ts';
import type { AgentOptions } from './options.ts';

/** What a point came to, once people were asked. */
export interface Outcome<P extends Point = Point> {
  readonly action: 'block' | Released['action'];
  readonly reason?: string | undefined;
  readonly payload: Payloads[P];
  readonly isModified: boolean;
  readonly result?: unknown;
  readonly isError?: boolean | undefined;
  readonly feedback?: string | undefined;
  readonly text?: string | undefined;
  readonly retry?: Verdict['retry'] | undefined;
  /** What a person wrote to their answer. */
  readonly note?: string | undefined;
}

/** A fire whose hooks are through. */
export interface Begun<P extends Point> {
  /** Set when a person has to answer first. */
  readonly asking?: Pick<Asking, 'approvalId' | 'ask'>;
  /** What it comes to. */
  settle(): Promise<Outcome<P>>;
}

/** What one fire may say besides its payload. */
export type FireExtras = Pick<Context, 'requestId' | 'toolSchema' | 'toolSchemas' | 'signal'>;

/** Where a session's points fire: who acts, for whom, in which turn. */
export interface Scene {
  readonly runtime: LiveRuntime;
  readonly sessionId: string;
  readonly injections: Injections;
  readonly emit: OnEvent;
  readonly agent: NonNullable<Context['agent']>;
  readonly caller: NonNullable<Context['caller']>;
  /** Fires a point and asks people where hooks say so. Throws {@link RunStopped} when a hook ends the run. */
  fire<P extends Point>(
    point: P,
    payload: PayloadInput<P>,
    extras?: FireExtras,
  ): Promise<Outcome<P>>;
  /** The same in two steps: a question is kept before people are asked, and the next call need not wait for them. */
  begin<P extends Point>(
    point: P,
    payload: PayloadInput<P>,
    extras?: FireExtras,
  ): Promise<Begun<P>>;
  /** Takes up a question that another process asked, where it left it. */
  takeUp<P extends Point>(asked: Asked & { readonly point: P }, extras: FireExtras): Begun<P>;
  /** What hooks leave of a piece that they let pass. They are asked about the whole later, so nothing else comes of it. */
  look<P extends Point>(
    point: P,
    payload: PayloadInput<P>,
    extras: FireExtras,
  ): Promise<Payloads[P] | undefined>;
  /** Starts a turn of the user: what hooks said to each other in the last one is forgotten. */
  turnTo(turnId: string): void;
  setBudget(budget: Context['budget']): void;
  /** Says where the stored messages are read, for hooks that are told of them. */
  setHistory(read: () => readonly StoredMessage[]): void;
}

/** A hook whose failure ends the run. */
export class RunStopped extends Error {}

const PASSING: ReadonlySet<string> = new Set(['allow', 'modify']);

/** What a scene is made of. */
export interface SceneParts {
  readonly options: AgentOptions;
  readonly sessionId: string;
  readonly agent: Scene['agent'];
}

/** Opens the scene of a session. */
export function createScene({ options, sessionId, agent }: SceneParts): Scene {
  const { runtime, onEvent: emit = () => undefined, approve } = options;
  const caller = { source: 'chat' as const, ...options.caller };
  const injections = createInjections();
  let turnId: string | undefined;
  let budget: Context['budget'];
  let step = 0;
  let messages = (): readonly StoredMessage[] => [];
  const contextOf = (extras: FireExtras): Context => ({
    sessionId,
    agent,
    caller,
    execution: {
      step,
      // Written for the hooks that are told of it alone: most fires have none.
      get messageHistory() {
        return messages();
      },
    },
    ...(turnId !== undefined && { turnId }),
    ...(budget !== undefined && { budget }),
    ...(approve !== undefined && { canAsk: true }),
    ...extras,
  });

  async function begin<P extends Point>(
    point: P,
    payload: PayloadInput<P>,
    extras: FireExtras = {},
  ): Promise<Begun<P>> {
    if (point === 'preTurn') step += 1;
    const verdict = await runtime.fire(point, payload, contextOf(extras));
    injections.add(point, verdict.inject);
    // A question comes with its own words; notices beside it would only hide it.
    if (verdict.action !== 'ask') tellNotices(verdict, emit);
    if (verdict.endsRun === true) throw new RunStopped(verdict.reason);
    const { action, approval, hook } = verdict;
    if (action !== 'ask') return { settle: async () => outcomeOf({ ...verdict, action }) };
    if (approval === undefined) {
      return { settle: async () => outcomeOf({ ...verdict, action: 'block' }) };
    }
    const asked = { point, approval, ...(hook !== undefined && { hook }) };
    return waitFor(
      // Every payload is an object of fields; the types of points name theirs alone.
      { ...asked, payload: verdict.payload as unknown as Payload },
      { verdict, extras },
    );
  }

  function waitFor<P extends Point>(
    asked: Asked & { readonly point: P },
    {
      verdict,
      extras,
    }: {
      readonly verdict: Pick<Outcome<P>, 'payload' | 'isModified' | 'retry'>;
      readonly extras: FireExtras;
    },
  ): Begun<P> {
    const parts = { options, emit, tell: tellEvent, sessionId, signal: extras.signal };
    const asking = createAsking(asked, parts);
    const settle = async (): Promise<Outcome<P>> =>
      outcomeOf({ ...verdict, result: undefined, ...(await asking.settle()) });
    return { asking, settle };
  }

  /** Observers of an approval; whatever they say, the answer stands. */
  async function tellEvent(name: string, data: Payload): Promise<void> {
    await runtime.fire('event', { name, data: { ...data } }, contextOf({}));
  }

  return {
    runtime,
    sessionId,
    injections,
    emit,
    agent,
    caller,
    begin,
    fire: async (point, payload, extras) => (await begin(point, payload, extras)).settle(),
    takeUp: (asked, extras) =>
      waitFor(asked, {
        // What is granted is bound to exactly this payload.
        verdict: { payload: asked.payload as never, isModified: false },
        extras,
      }),
    async look(point, payload, extras) {
      const verdict = await runtime.fire(point, payload, { ...contextOf(extras), isPiece: true });
      if (verdict.endsRun === true) throw new RunStopped(verdict.reason);
      return PASSING.has(verdict.action) ? verdict.payload : undefined;
    },
    turnTo(next) {
      turnId = next;
      step = 0;
    },
    setBudget(next) {
      budget = next;
    },
    setHistory(read) {
      messages = read;
    },
  };
}

function outcomeOf<P extends Point>(
  of: Omit<Outcome<P>, 'payload'> & { readonly payload: Payloads[P] },
): Outcome<P> {
  const { action, reason, payload, isModified, result, isError, feedback, text, retry, note } = of;
  return { action, reason, payload, isModified, result, isError, feedback, text, retry, note };
}

function tellNotices({ notices }: Verdict<Point>, emit: OnEvent): void {
  for (const { text, level, hook, source = hook } of notices) {
    if (text !== '') emit({ type: 'notice', text, level, source: `hook:${source}` });
  }
}
