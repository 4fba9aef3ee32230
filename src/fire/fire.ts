import type { Ports } from '../../host/bridges.ts';
import type { Host } from '../../host/sandbox.ts';
import type { Point } from '../../sdk/points.ts';
import type { DecisionLimits, Payload } from '../chain/call.ts';
import { runChain, type ChainVerdict } from '../chain/chain.ts';
import type { Context, Verdict } from '../verdict.ts';
import { applicable, type BoundHook, type PointChain } from './bound-hook.ts';
import type { DecisionLog } from './decision-log.ts';
import { createHookRunner, type FinishedRun, type FireFrame } from './hook-run.ts';
import type { InFlight } from './in-flight.ts';
import { createPayloadTexts } from './payload-text.ts';
import type { PayloadChecks } from './payloads.ts';
import { writeContext } from './run-input.ts';
import { createShadow, type ShadowedFire } from './shadow.ts';
import { createObjections } from './settlement.ts';
import type { ToolCheck } from './tool-schema.ts';
import { noteTurn, type Turn, type TurnStates } from './turn-state.ts';
import { createIds, finalVerdict, passingVerdict } from './verdicts.ts';

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

/** What was set up for one fire. */
interface Begun {
  readonly payload: Payload;
  readonly frame: FireFrame;
  readonly turn: Readonly<Turn>;
  /** Ends what was set up for this fire alone. */
  end(): void;
}

interface Setting {
  readonly context: Context;
  readonly mode: 'live' | 'test';
  readonly onRun: (run: FinishedRun) => void;
}

/** Makes the functions that run chains. */
export function createFiring(parts: FiringParts): Firing {
  const { payloads, turns, decisions, limits, host } = parts;
  const runnerOf = createHookRunner(host, parts.ports);
  const objectionTo = createObjections(payloads, parts.checkTool);
  const runShadow = createShadow({ runnerOf, decisions, limits });
  const newId = createIds();

  function begin(point: Point, given: unknown, { context, mode, onRun }: Setting): Begun {
    const { payload, requestId } = payloads.admit(point, given);
    // A trial has a session of its own, so that it leaves nothing in the memory of hooks at work.
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
    const frame = { sessionId, textOf, shared, bag: turn.bag, mode, context, signal, onRun };
    const end = (): void => {
      if (ownId !== undefined) host.endSession(ownId);
    };
    return { payload, frame, turn, end };
  }

  function pass(point: Point, payload: unknown): Verdict {
    decisions.countPass(point);
    return passingVerdict(newId(), payload as Payload);
  }

  /** After the verdict: the caller goes first. */
  function startShadow(hooks: readonly BoundHook[], fire: ShadowedFire, end: () => void): void {
    parts.inFlight.enter();
    setImmediate(() => {
      void runShadow(hooks, fire).finally(() => {
        end();
        parts.inFlight.leave();
      });
    });
  }

  function noteInjections(point: Point, context: Context, verdict: ChainVerdict): void {
    const turn = noteTurn(turns, context, verdict);
    const { injectionTokensPerTurn: most } = limits;
    if (turn === undefined || most === null || verdict.inject.length === 0) return;
    if (turn.injectedChars / CHARS_PER_TOKEN > most) parts.onInjectionOverflow(point, context);
  }

  return {
    pass,

    async live(chain, given, context) {
      const { point } = chain;
      const { enforced: hooks, shadow } = applicable(chain, context);
      if (hooks.length === 0 && shadow.length === 0) return pass(point, given);
      const begun = begin(point, given, { context, mode: 'live', onRun: decisions.countUses });
      const { payload, frame, turn } = begun;
      let isShadowed = false;
      try {
        const result = await runChain({ point, hooks, payload, limits, run: runnerOf(frame) });
        const setting = { point, before: payload, context, reworks: turn.reworks };
        const objection = objectionTo({ ...setting, result, isAskable: false });
        noteInjections(point, context, result.verdict);
        const verdict = finalVerdict(newId(), result.verdict, objection);
        const facts = { fireId: verdict.id, point, context, toolCallId: toolCallOf(payload) };
        const kept = decisions.noteFire(facts, result.steps, objection);
        if (kept !== undefined) await kept;
        if (shadow.length > 0) {
          isShadowed = true;
          startShadow(shadow, { facts, frame, payload: result.verdict.payload }, begun.end);
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
        const setting = { point, before: payload, context, reworks: 0 };
        const objection = objectionTo({ ...setting, result, isAskable: true });
        return { verdict: finalVerdict(newId(), result.verdict, objection), input: payload, logs };
      } finally {
        begun.end();
      }
    },
  };
}

/** Source: the design's limits, chars/4. */
const CHARS_PER_TOKEN = 4;

function toolCallOf({ toolCallId }: Payload): string | undefined {
  return typeof toolCallId === 'string' ? toolCallId : undefined;
}
