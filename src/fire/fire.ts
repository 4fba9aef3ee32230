import type { Ports } from '../../host/bridges.ts';
import type { Host } from '../../host/sandbox.ts';
import type { Point } from '../../sdk/points.ts';
import type { AccessRules } from '../access/access-rules.ts';
import type { ApprovalDesk } from '../approvals/approvals.ts';
import type { DecisionLimits, Payload } from '../chain/call.ts';
import { runChain, type ChainVerdict } from '../chain/chain.ts';
import { createScrubber, type KeptText } from '../records/scrub.ts';
import type { Context, Verdict } from '../verdict.ts';
import { applicable, type BoundHook, type PointChain } from './bound-hook.ts';
import type { DecisionLog } from './decision-log.ts';
import { createHookRunner, type FinishedRun, type FireFrame } from './hook-run.ts';
import type { InFlight } from './in-flight.ts';
import { observedFire, type FireObservers } from './observer.ts';
import { createPayloadTexts } from './payload-text.ts';
import type { PayloadChecks } from './payloads.ts';
import { historyWriter, writeContext } from './run-input.ts';
import { createShadow, type ShadowedFire } from './shadow.ts';
import { createSettling, nobodyToAsk, type Objection, type Settled } from './settlement.ts';
import type { ToolCheck } from './tool-schema.ts';
import { shownOf, type Trial } from './trial.ts';
import { noteTurn, type Turn, type TurnStates } from './turn-state.ts';
import {
  createIds,
  finalVerdict,
  parkedVerdict,
  passingVerdict,
  unrecordedVerdict,
} from './verdicts.ts';

/** What fires are made with. */
export interface FiringParts {
  readonly host: Host;
  readonly ports: Ports;
  readonly payloads: PayloadChecks;
  readonly checkTool: ToolCheck;
  readonly access: AccessRules;
  /** Whether the access rules can be against a call at all. */
  readonly isRestricted: boolean;
  /** Parks what hooks ask; nothing comes of it when it rejects. */
  readonly ask: ApprovalDesk['ask'];
  /** Whether what is asked waits for an answer from outside the calling loop. */
  readonly isQueueOpen: boolean;
  readonly turns: TurnStates;
  readonly decisions: DecisionLog;
  readonly observers: FireObservers;
  /** What observers are given of reasons. */
  readonly reasons: KeptText;
  readonly inFlight: InFlight;
  readonly limits: FireLimits;
  /** Told when a turn has more text injected than `injectionTokensPerTurn`. */
  readonly onInjectionOverflow: (point: Point, context: Context) => void;
  /** Told why a question could not be parked. */
  readonly onAskFailed: (error: unknown) => void;
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
  /** Whether neither a hook nor an access rule looks at what passes. */
  isOpen(chain: PointChain): boolean;
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
  /** `live` where what is behind the bridges is a test's own; `test`, if absent. */
  readonly mode?: 'live' | 'test';
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
  const { payloads, turns, decisions, limits, host, observers } = parts;
  const scrub = createScrubber(parts.reasons);
  const runnerOf = createHookRunner(host, parts.ports);
  const settle = createSettling(parts);
  const runShadow = createShadow({ runnerOf, decisions, limits, observers, scrub });
  const newId = createIds();
  const timestampOf = createTimestamps();

  function begin(point: Point, given: unknown, { context, mode, onRun }: Setting): Begun {
    const { payload, requestId } = payloads.admit(point, given);
    // A trial has a session of its own, so that it leaves nothing in the memory of hooks at work.
    const ownId = context.sessionId === undefined || mode === 'test' ? newId() : undefined;
    const sessionId = ownId ?? (context.sessionId as string);
    const turn = turns.read(sessionId, context.turnId);
    const textOf = createPayloadTexts({
      point,
      timestamp: timestampOf(parts.now()),
      requestId: context.requestId ?? requestId,
      maxBytes: limits.payloadBytes,
    });
    const shared = writeContext(context, context.sessionId ?? sessionId);
    const { signal } = context;
    const historyText = historyWriter(context, limits.payloadBytes);
    const { bag } = turn;
    const frame = { sessionId, textOf, shared, historyText, bag, mode, context, signal, onRun };
    const end = (): void => {
      if (ownId !== undefined) host.endSession(ownId);
    };
    return { payload, frame, turn, end };
  }

  /** Whether nothing at a point looks at a call. */
  function isOpen({ point }: PointChain, hooks: number): boolean {
    return hooks === 0 && !(point === 'preToolUse' && parts.isRestricted);
  }

  /** Puts the question of a chain before a person, or says that nobody is there. */
  async function park(
    { question }: Settled,
    context: Context,
  ): Promise<{ readonly objection?: Objection; readonly approval?: Verdict['approval'] }> {
    if (question === undefined || context.isPiece === true) return {};
    const canAsk = context.canAsk ?? parts.isQueueOpen;
    if (!canAsk) return { objection: nobodyToAsk(question) };
    try {
      return { approval: await parts.ask(question) };
    } catch (error) {
      // What cannot be kept cannot be answered.
      parts.onAskFailed(error);
      return { objection: nobodyToAsk(question) };
    }
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
    if (context.isPiece === true) return;
    const turn = noteTurn(turns, context, verdict);
    const { injectionTokensPerTurn: most } = limits;
    if (turn === undefined || most === null || verdict.inject.length === 0) return;
    if (turn.injectedChars / CHARS_PER_TOKEN > most) parts.onInjectionOverflow(point, context);
  }

  return {
    pass,
    isOpen: (chain) => isOpen(chain, chain.isEmpty ? 0 : 1),

    async live(chain, given, context) {
      const { point } = chain;
      const { enforced: hooks, shadow } = applicable(chain, context);
      if (isOpen(chain, hooks.length + shadow.length)) return pass(point, given);
      const observer = observers.current;
      const startTime = observer === undefined ? 0 : parts.now();
      const startMs = observer === undefined ? 0 : performance.now();
      const begun = begin(point, given, { context, mode: 'live', onRun: decisions.countUses });
      const { payload, frame, turn } = begun;
      let isShadowed = false;
      try {
        const result = await runChain({ point, hooks, payload, limits, run: runnerOf(frame) });
        const setting = { point, before: payload, context, reworks: turn.reworks };
        const settled = settle({ ...setting, result });
        const parked = await park(settled, context);
        const objection = settled.objection ?? parked.objection;
        noteInjections(point, context, result.verdict);
        const { question } = settled;
        let verdict =
          question === undefined || objection !== undefined
            ? finalVerdict(newId(), result.verdict, objection)
            : parkedVerdict(newId(), result.verdict, { ...parked, question });
        const toolCallId = toolCallOf(payload);
        const facts = { fireId: verdict.id, point, context, toolCallId, payload };
        const kept = decisions.noteFire(facts, result.steps, objection);
        const unkept = kept === undefined ? undefined : await kept;
        if (unkept !== undefined) verdict = unrecordedVerdict(point, verdict, unkept.name);
        if (observer !== undefined) {
          const ms = performance.now() - startMs;
          const { steps } = result;
          observer.onVerdict(observedFire({ facts, steps, verdict, startTime, ms }, scrub));
        }
        if (shadow.length > 0) {
          isShadowed = true;
          startShadow(shadow, { facts, frame, payload: result.verdict.payload }, begun.end);
        }
        return verdict;
      } finally {
        if (!isShadowed) begun.end();
      }
    },

    async trial(hooks, { point, payload: given, context, mode = 'test' }) {
      const logs: { hook: string; line: string }[] = [];
      const onRun = ({ hook, result }: FinishedRun): void =>
        void logs.push(...result.logs.map((line) => ({ hook: hook.name, line })));
      const begun = begin(point, given, { context, mode, onRun });
      const { payload, frame } = begun;
      try {
        const result = await runChain({ point, hooks, payload, limits, run: runnerOf(frame) });
        const setting = { point, before: payload, context, reworks: 0 };
        // A trial shows what would be asked and asks nobody.
        const { objection, question } = settle({ ...setting, result });
        const verdict =
          question === undefined
            ? finalVerdict(newId(), result.verdict, objection)
            : parkedVerdict(newId(), result.verdict, { question });
        return {
          verdict,
          input: payload,
          ...shownOf(logs, result.steps),
        };
      } finally {
        begun.end();
      }
    },
  };
}

/** Writes times as ISO 8601. Many fires share a millisecond. */
function createTimestamps(): (time: number) => string {
  let last = 0;
  let text = new Date(last).toISOString();
  return (time) => {
    if (time !== last) text = new Date((last = time)).toISOString();
    return text;
  };
}

/** What English text has in common tokenisers, about: a bound needs no more. */
const CHARS_PER_TOKEN = 4;

function toolCallOf({ toolCallId }: Payload): string | undefined {
  return typeof toolCallId === 'string' ? toolCallId : undefined;
}
