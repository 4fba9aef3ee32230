import type { Contracts } from '../../sdk/contracts.ts';
import type { AdaptedHook, AdapterInput, Timers } from '../../sdk/contracts/adapter.ts';
import { LIMITS } from '../../sdk/limits.ts';
import type { RunInput } from '../sandbox.ts';
import { sealAnswer } from './answer.ts';
import { closeActivity, deliverTo, makeContext, openActivity, type Activity } from './context.ts';
import { describe } from './describe.ts';
import {
  apply,
  mapDelete,
  mapSet,
  mapSize,
  parse,
  PromiseCtor,
  settle,
  stringify,
  stringSlice,
} from './intrinsics.ts';
import { seal, type Native } from './native.ts';

/** The functions that a sandbox calls; strings and numbers in, sealed text or `undefined` (not settled yet) out. */
export interface Runner {
  /** Makes the hook from its evaluated module; `input` is JSON of an `AdapterInput`. Seals the handlers it registered. */
  readonly start: (namespace: object, contract: string, input: string) => string | undefined;
  /** Runs the hook; see `RunInput` for the JSON of `input`. */
  readonly run: (ops: string, input: string) => string | undefined;
  /** Hands over the answer of a bridge call, or a timer that is due. */
  readonly deliver: (seq: number, text: string) => void;
  /** For the sandbox's own timers: calls `fire` with the id returned, once or again and again, as part of the activity. */
  readonly setTimer: (ms: number, isRepeating: boolean, fire: (id: number) => void) => number;
  readonly clearTimer: (id: number) => void;
  /** Takes other contracts; before `start`. */
  readonly useContracts: (contracts: Contracts) => void;
  /** Calls `forget` before each run: what an earlier one left behind is over. */
  readonly beforeRun: (forget: () => void) => void;
  /** Writes a line as `ctx.log` does. */
  readonly log: (line: string) => void;
}

/** Timers and bridge calls that may be pending at once. */
const MAX_WAITING = LIMITS.timers + LIMITS.storeCalls;

/** Holds one hook: loads it once, then runs it, one activity at a time. */
export function createRunner(native: Native, known: Contracts): Runner {
  let contracts = known;
  let hook: AdaptedHook | undefined;
  let activity: Activity = openActivity();
  let forgetAll = (): void => undefined;
  let lastSeq = 0;
  const nextSeq = (): number => (lastSeq += 1);

  function setTimer(ms: number, isRepeating: boolean, fire: (id: number) => void): number {
    const id = nextSeq();
    const mine = activity;
    const arm = (): void => {
      if (!mine.isOpen || mapSize(mine.waiting) >= MAX_WAITING) return;
      mapSet(mine.waiting, id, due);
      apply(native.bridge, undefined, [id, `["timer.set",${ms}]`]);
    };
    const due = (): void => {
      if (isRepeating) arm();
      fire(id);
    };
    arm();
    return id;
  }
  const clearTimer = (id: number): void => void mapDelete(activity.waiting, id);
  const timers: Timers = { set: (ms, fire) => setTimer(ms, false, fire), clear: clearTimer };

  /** Runs `step` and settles the activity with what `conclude` makes of its value, now or when its promise settles. */
  function begin(step: () => unknown, conclude: (value: unknown) => string): string | undefined {
    const mine = activity;
    let early: string | undefined;
    let isReturned = false;
    const finish = (sealed: string): void => {
      if (!mine.isOpen) return;
      closeActivity(mine);
      if (isReturned) apply(native.settle, undefined, [sealed]);
      else early = sealed;
    };
    const fail = (error: unknown): void => finish(seal('thrown', describe(error)));
    try {
      const value = step();
      const then = thenOf(value);
      if (then === undefined) finish(conclude(value));
      else {
        const outcome = new PromiseCtor<unknown>((resolve, reject) => {
          apply(then, value, [resolve, reject] as never[]);
        });
        settle(outcome, (settled) => finish(conclude(settled)), fail);
      }
    } catch (error) {
      fail(error);
    }
    isReturned = true;
    return early;
  }

  return {
    start(namespace, contract, input) {
      const sealed = begin(
        () =>
          contracts.adaptModule(contract, namespace, { ...(parse(input) as AdapterInput), timers }),
        (made) => {
          const adapted = made as AdaptedHook | string;
          if (typeof adapted === 'string') return seal('load_error', adapted);
          hook = adapted;
          const { handlers } = adapted;
          return seal('opened', handlers === undefined ? '' : stringify(handlers));
        },
      );
      return sealed;
    },
    run(ops, input) {
      forgetAll();
      activity = openActivity();
      const mine = activity;
      const loaded = hook;
      return begin(
        () => {
          const { point, payload, ctx, handler } = parse(input) as RunInput;
          if (loaded === undefined) throw new TypeError('The hook is not loaded');
          const made = makeContext({ activity: mine, native, nextSeq }, ctx, ops);
          // One argument more only where it means something: hooks may look at `arguments`.
          return loaded.handlers === undefined
            ? apply(loaded.run, loaded.self, [point, payload, made])
            : apply(loaded.run, loaded.self, [point, payload, made, handler]);
        },
        (answer) => sealOutcome(contracts, answer),
      );
    },
    deliver(seq, text) {
      deliverTo(activity, seq, text);
    },
    setTimer,
    clearTimer,
    useContracts(others) {
      contracts = others;
    },
    beforeRun(forget) {
      forgetAll = forget;
    },
    log(line) {
      if (!activity.isOpen || activity.logLines >= LIMITS.logLines) return;
      activity.logLines += 1;
      apply(native.log, undefined, [line]);
    },
  };
}

/** The sealed answer of a hook, or what its contract has against it. */
function sealOutcome({ refusalIn }: Contracts, answer: unknown): string {
  const refusal = refusalIn(answer);
  return refusal === undefined
    ? sealAnswer(answer)
    : seal('invalid', stringSlice(refusal, 0, LIMITS.reasonBytes));
}

/** The `then` of a thenable, read once. */
function thenOf(value: unknown): ((...args: never[]) => unknown) | undefined {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null)
    return undefined;
  const { then } = value as { then?: unknown };
  return typeof then === 'function' ? (then as (...args: never[]) => unknown) : undefined;
}
