import {
  createBridge,
  type Bridge,
  type BridgeMode,
  type Ports,
  type Use,
} from '../../host/bridges.ts';
import type { BridgeHandler, Call, CallResult, Host } from '../../host/sandbox.ts';
import { POINTS } from '../../sdk/points.ts';
import type { ChainView, Failure, Payload, RunHook, RunOutcome } from '../chain/call.ts';
import type { Context } from '../verdict.ts';
import type { BoundHook } from './bound-hook.ts';
import type { TextOf } from './payload-text.ts';
import { withHistory, writeInput, writeInputs } from './run-input.ts';
import { scrubRun } from './scrubbed-run.ts';

/** What runs of one fire have in common. */
export interface FireFrame {
  /** The session whose module state the hooks share. */
  readonly sessionId: string;
  readonly textOf: TextOf;
  /** The common part of `ctx` as text. */
  readonly shared: string;
  /** The stored messages as text, where the caller has them. */
  readonly historyText: () => string | undefined;
  /** Values that hooks published earlier in the turn. */
  readonly bag: Payload;
  readonly mode: BridgeMode;
  /** Of the caller; bridges pass it on. */
  readonly context: Context;
  readonly signal?: AbortSignal | undefined;
  /** Told of every run that reached a sandbox, before its answer is read. */
  readonly onRun?: (run: FinishedRun) => void;
}

/** A run that reached a sandbox. */
export interface FinishedRun {
  readonly hook: BoundHook;
  readonly result: CallResult;
  readonly uses: readonly Use[];
}

/** Makes the function that the chains of a fire call their hooks with. */
export function createHookRunner(
  host: Host,
  ports: Ports,
): (frame: FireFrame) => RunHook<BoundHook> {
  return (frame) => {
    const sent = new Map<BoundHook, SentRun>();
    return async (hook, view, following) => {
      if (hook.failure !== undefined) return { ok: false, ...hook.failure, ms: 0 };
      const ahead = sent.get(hook);
      if (ahead !== undefined) {
        // It ran on what the hooks before it left unchanged, or it did not run.
        const given = await ahead.given;
        if (given !== undefined && ahead.payload === view.payload)
          return conclude(frame, ahead.run, given);
      }
      const run = prepare(frame, hook, view);
      if (!run.ok) return { ...run, ms: 0 };
      const line: PreparedRun[] = [];
      for (const next of lineBehind(hook, following)) {
        const behind = prepare(frame, next, view);
        if (!behind.ok) break;
        line.push(behind);
      }
      const [first, ...others] = host.callInLine([run.call, ...line.map(({ call }) => call)]);
      for (const [at, given] of others.entries()) {
        const behind = line[at];
        if (behind !== undefined)
          sent.set(behind.hook, { run: behind, payload: view.payload, given });
      }
      return conclude(frame, run, await first);
    };
  };

  /** What a hook is called with. */
  function prepare(frame: FireFrame, hook: BoundHook, view: ChainView): PreparedRun | Unwritten {
    const payload = frame.textOf(view.payload, hook.isReader);
    if (!payload.ok) return payload;
    const { text } = payload;
    const history = hook.isToldHistory ? frame.historyText() : undefined;
    const bridge = watchBridge(() => bridgeOf(hook, ports, frame));
    const around = history === undefined ? hook.frame : withHistory(hook.frame, history);
    const inputs = inputsOf(hook, frame.bag, view.outputs);
    const call = {
      hook: hook.entry.source.name,
      sessionId: frame.sessionId,
      input: writeInput(around, text, { shared: frame.shared, inputs }),
      timeoutMs: hook.entry.timeoutMs,
      ops: hook.ops,
      bridge: bridge.handle,
      signal: frame.signal,
    };
    return { ok: true, hook, call, text, bridge, isTold: history !== undefined };
  }

  /** What came of a call, for the chain. */
  function conclude(
    { onRun }: FireFrame,
    { hook, text, bridge, isTold }: PreparedRun,
    given: CallResult,
  ): RunOutcome {
    bridge.end();
    const result = scrubRun(given, ports.secrets);
    const used = bridge.used();
    onRun?.({ hook, result, uses: isTold ? [...used, ...readsOf(hook)] : used });
    const { ms } = result;
    const refusal = bridge.refusal();
    // What the hook made of a refusal does not count: it may have caught the error, or passed it on as its own.
    if (refusal !== undefined && (result.ok || result.code === 'thrown')) {
      return { ok: false, ...refusal, ms };
    }
    if (!result.ok) {
      const { code, detail, role } = result;
      return { ok: false, code, detail, role, ms };
    }
    return { ok: true, answer: result.answer, ms, delivered: () => JSON.parse(text) as Payload };
  }
}

type Unwritten = { readonly ok: false } & Failure;

interface PreparedRun {
  readonly ok: true;
  readonly hook: BoundHook;
  readonly call: Call;
  /** The payload as the hook is given it. */
  readonly text: string;
  readonly bridge: WatchedBridge;
  /** Whether it is told the stored messages. */
  readonly isTold: boolean;
}

/** A run that was sent ahead; `given` is `undefined` when it did not run. */
interface SentRun {
  readonly run: PreparedRun;
  /** What it ran on. */
  readonly payload: Payload;
  readonly given: Promise<CallResult | undefined>;
}

/**
 * The hooks behind one that its own process can go on with as long as each lets pass: nothing of what they are given
 * depends on what the one before it answers.
 */
function lineBehind({ entry }: BoundHook, following: readonly BoundHook[]): readonly BoundHook[] {
  const { sandbox, owner } = entry.source;
  if (sandbox !== 'isolate') return [];
  const end = following.findIndex(
    (next) =>
      next.failure !== undefined ||
      next.entry.source.owner !== owner ||
      next.entry.source.sandbox !== sandbox ||
      next.isToldHistory ||
      next.inputs.length > 0,
  );
  return end < 0 ? following : following.slice(0, end);
}

/** A bridge that is made with its first call, which most runs never make, and keeps the first refusal. */
interface WatchedBridge {
  readonly handle: BridgeHandler;
  readonly used: () => readonly Use[];
  readonly refusal: () => Failure | undefined;
  readonly end: () => void;
}

function watchBridge(open: () => Bridge): WatchedBridge {
  let bridge: Bridge | undefined;
  let refusal: Failure | undefined;
  return {
    async handle(op, args) {
      bridge ??= open();
      const answer = await bridge.handle(op, args);
      if (!answer.ok && (answer.code === 'capability' || answer.code === 'credit')) {
        refusal ??= { code: answer.code, detail: answer.message };
      }
      return answer;
    },
    used: () => bridge?.used() ?? NONE,
    refusal: () => refusal,
    end: () => bridge?.end(),
  };
}

const NONE: readonly Use[] = [];

/** What being told the stored messages uses, where the point's own content does not count as that already. */
function readsOf({ point }: BoundHook): readonly Use[] {
  const isCounted = POINTS[point].reads === 'reads_context';
  return isCounted ? NONE : [{ capability: 'reads_context', scope: '', count: 1 }];
}

function inputsOf({ inputs }: BoundHook, bag: Payload, outputs: Payload): string {
  return inputs.length === 0 ? '{}' : writeInputs(inputs, { ...bag, ...outputs });
}

function bridgeOf(
  { entry, point }: BoundHook,
  ports: Ports,
  { mode, context }: Pick<FireFrame, 'mode' | 'context'>,
): Bridge {
  return createBridge({
    granted: entry.granted,
    declared: entry.manifest.capabilities,
    ports,
    mode,
    origin: { point, hook: entry.name, context },
  });
}
