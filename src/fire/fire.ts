import { randomBytes } from 'node:crypto';
import type { Ports } from '../../host/bridges.ts';
import type { Host } from '../../host/sandbox.ts';
import type { Point } from '../../sdk/points.ts';
import { callHook, type DecisionLimits, type Payload } from '../chain/call.ts';
import { runChain, type ChainResult, type ChainVerdict } from '../chain/chain.ts';
import type { Context, Verdict } from '../verdict.ts';
import { applicable, type BoundHook, type PointChain } from './bound-hook.ts';
import type { DecisionLog, FireFacts } from './decision-log.ts';
import { createHookRunner, type FinishedRun, type FireFrame } from './hook-run.ts';
import type { InFlight } from './in-flight.ts';
import { createPayloadTexts } from './payload-text.ts';
import type { PayloadChecks } from './payloads.ts';
import { writeContext } from './run-input.ts';
import { createObjections, type Objection } from './settlement.ts';
import type { ToolCheck } from './tool-schema.ts';
import type { Turn, TurnStates } from './turn-state.ts';

/** What fires are made with. */
export interface FiringParts {
  readonly host: Host;
  readonly ports: Ports;
  readonly payloads: PayloadChecks;
  readonly checkTool: ToolCheck;
  readonly turns: TurnStates;
  readonly decisions: DecisionLog;
  readonly inFlight: InFlight;
  readonly limits: FireLimits;
  /** Told when a turn has more text injected than `injectionTokensPerTurn`. */
  readonly onInjectionOverflow: (point: Point, context: Context) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Limits of what passes through a fire; `null` is none. */
export interface FireLimits extends DecisionLimits {
  readonly payloadBytes: number | null;
  /** Four characters count as one; past it injections still go in. */
  readonly injectionTokensPerTurn: number | null;
}

/** Runs chains: for the loop, or to try them out. */
export interface Firing {
  /** The verdict of a point without hooks: the payload is not looked at, as nothing is there to protect it for. */
  pass(point: Point, payload: unknown): Verdict;
  /** Runs the chain of a point and keeps what its hooks did. Throws `payload_invalid`. */
  live(chain: PointChain, payload: unknown, context: Context): Promise<Verdict>;
  /** Runs hooks on the same path and keeps nothing. Throws `payload_invalid`. */
  trial(hooks: readonly BoundHook[], trial: TrialRequest): Promise<Trial>;
}

/** What hooks are tried out on. */
export interface TrialRequest {
  readonly point: Point;
  readonly payload: unknown;
  readonly context: Context;
}

/** What a trial came to. */
export interface Trial {
  readonly verdict: Verdict;
  /** The payload as the hooks were given it, defaults filled in. */
  readonly input: Payload;
  readonly logs: readonly { readonly hook: string; readonly line: string }[];
}

interface Begun {
  readonly payload: Payload;
  readonly frame: FireFrame;
  readonly turn: Readonly<Turn>;
  /** Ends what was begun for this fire alone. */
  end(): void;
}

/** Makes the functions that run chains. */
export function createFiring(parts: FiringParts): Firing {
  const { payloads, turns, decisions, inFlight, limits, host } = parts;
  const runnerOf = createHookRunner(host, parts.ports);
  const objectionOf = createObjections(payloads, parts.checkTool);
  const newId = createIds();

  function begin(
    point: Point,
    given: unknown,
    setting: {
      readonly context: Context;
      readonly mode: 'live' | 'test';
      readonly onRun: (run: FinishedRun) => void;
    },
  ): Begun {
    const { context, mode, onRun } = setting;
    const { payload, requestId } = payloads.admit(point, given);
    // A trial has a session of its own, so that it leaves nothing in the memory of hooks that work.
    const ownId = context.sessionId === undefined || mode === 'test' ? newId() : undefined;
    const sessionId = ownId ?? (context.sessionId as string);
    const turn = turns.read(sessionId, context.turnId);
    const textOf = createPayloadTexts({
      point,
      timestamp: new Date(parts.now()).toISOString(),
      requestId: context.requestId ?? requestId,
      maxBytes: limits.payloadBytes,
    });
    const shared = writeContext(context, context.sessionId ?? sessionId);
    const { signal } = context;
    return {
      payload,
      turn,
      frame: { sessionId, textOf, shared, bag: turn.bag, mode, signal, onRun },
      end() {
        if (ownId !== undefined) host.endSession(ownId);
      },
    };
  }

  /** Keeps in mind what later calls of the turn depend on. */
  function remember(point: Point, context: Context, verdict: ChainVerdict): void {
    const { sessionId, turnId } = context;
    if (sessionId === undefined) return;
    const isRework = verdict.action === 'rework';
    const injected = verdict.inject.reduce((sum, { content }) => sum + content.length, 0);
    const isPublishing = Object.keys(verdict.outputs).length > 0;
    if (!isRework && !isPublishing && injected === 0) return;
    const turn = turns.open(sessionId, turnId);
    if (isRework) turn.reworks += 1;
    if (isPublishing) turn.bag = { ...turn.bag, ...verdict.outputs };
    turn.injectedChars += injected;
    const { injectionTokensPerTurn: most } = limits;
    const isOver = most !== null && turn.injectedChars / CHARS_PER_TOKEN > most;
    if (injected > 0 && isOver) parts.onInjectionOverflow(point, context);
  }

  async function runShadow(
    hooks: readonly BoundHook[],
    facts: FireFacts,
    begun: Begun,
    payload: Payload,
  ): Promise<void> {
    const { signal: _, ...frame } = begun.frame;
    const run = runnerOf({ ...frame, mode: 'shadow' });
    const view = { point: facts.point, payload, outputs: {} };
    await Promise.all(
      hooks.map(async (hook) => {
        const answer = await callHook({ hook, view, limits, run });
        await decisions.noteShadow(facts, { hook, answer });
      }),
    );
  }

  function pass(point: Point, payload: unknown): Verdict {
    decisions.countPass(point);
    return passing(newId(), payload as Payload);
  }

  return {
    pass,

    async live(chain, given, context) {
      const { point } = chain;
      const { enforced, shadow } = applicable(chain, context);
      if (enforced.length === 0 && shadow.length === 0) return pass(point, given);
      const begun = begin(point, given, { context, mode: 'live', onRun: decisions.countUses });
      const { payload, frame, turn } = begun;
      let isShadowed = false;
      try {
        const result = await runChain({
          point,
          hooks: enforced,
          payload,
          limits,
          run: runnerOf(frame),
        });
        const objection = objectionOf({
          point,
          before: payload,
          context,
          result,
          reworks: turn.reworks,
          isAskable: false,
        });
        const verdict = verdictOf(newId(), result, objection);
        remember(point, context, result.verdict);
        const toolCallId = payload['toolCallId'];
        const facts = {
          fireId: verdict.id,
          point,
          context,
          toolCallId: typeof toolCallId === 'string' ? toolCallId : undefined,
        };
        const kept = decisions.noteChain(facts, result.steps);
        if (objection !== undefined) {
          const by = enforced.find(({ name }) => name === objection.hook);
          await decisions.noteObjection(facts, objection, by);
        }
        if (kept !== undefined) await kept;
        if (shadow.length > 0) {
          isShadowed = true;
          inFlight.enter();
          // After the verdict: the caller goes first.
          setImmediate(() => {
            void runShadow(shadow, facts, begun, result.verdict.payload).finally(() => {
              begun.end();
              inFlight.leave();
            });
          });
        }
        return verdict;
      } finally {
        if (!isShadowed) begun.end();
      }
    },

    async trial(hooks, { point, payload: given, context }) {
      const logs: { hook: string; line: string }[] = [];
      const onRun = ({ hook, result }: FinishedRun): void =>
        void logs.push(...result.logs.map((line) => ({ hook: hook.name, line })));
      const begun = begin(point, given, { context, mode: 'test', onRun });
      const { payload, frame } = begun;
      try {
        const result = await runChain({ point, hooks, payload, limits, run: runnerOf(frame) });
        const objection = objectionOf({
          point,
          before: payload,
          context,
          result,
          reworks: 0,
          isAskable: true,
        });
        return { verdict: verdictOf(newId(), result, objection), input: payload, logs };
      } finally {
        begun.end();
      }
    },
  };
}

/** Source: the design's limits, chars/4. */
const CHARS_PER_TOKEN = 4;

/** Ids that are unique across processes and cheap: a random start and a count. */
function createIds(): () => string {
  const start = randomBytes(9).toString('base64url');
  let count = 0;
  return () => `${start}-${(count += 1).toString(36)}`;
}

/** The verdict of a chain without hooks. */
function passing(id: string, payload: Payload): Verdict {
  return {
    id,
    action: 'allow',
    payload: typed(payload),
    isModified: false,
    inject: [],
    notices: [],
    outputs: {},
    trace: [],
    notRun: [],
  };
}

function verdictOf(
  id: string,
  { verdict }: ChainResult<BoundHook>,
  objection: Objection | undefined,
): Verdict {
  const whole = { id, ...verdict, payload: typed(verdict.payload) };
  if (objection === undefined) return whole;
  const { result: _r, isError: _e, feedback: _f, text: _t, ...kept } = whole;
  return { ...kept, action: 'block', ...objection };
}

/** The payload in the type of its point: it was held against the row on entry and after every change. */
function typed(payload: Payload): Verdict['payload'] {
  return payload as unknown as Verdict['payload'];
}
