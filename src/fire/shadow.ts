import { callHook, type DecisionLimits, type Payload } from '../chain/call.ts';
import type { BoundHook } from './bound-hook.ts';
import type { DecisionLog, FireFacts } from './decision-log.ts';
import { observedRun, type FireObservers } from './observer.ts';
import type { Scrub } from '../records/scrub.ts';
import type { FireFrame, createHookRunner } from './hook-run.ts';

/** A fire whose verdict is given. */
export interface ShadowedFire {
  readonly facts: FireFacts;
  readonly frame: FireFrame;
  /** As the enforced chain left it. */
  readonly payload: Payload;
}

/** What shadow runs are made with. */
export interface ShadowParts {
  readonly runnerOf: ReturnType<typeof createHookRunner>;
  readonly decisions: DecisionLog;
  readonly limits: DecisionLimits;
  readonly observers: FireObservers;
  readonly scrub: Scrub;
}

/** Makes the function that runs hooks in shadow mode: each on the same payload, recorded and without effect. */
export function createShadow({
  runnerOf,
  decisions,
  limits,
  observers,
  scrub,
}: ShadowParts): (hooks: readonly BoundHook[], fire: ShadowedFire) => Promise<void> {
  return async (hooks, { facts, frame, payload }) => {
    // The caller's signal ends with the call, which is over.
    const run = runnerOf({ ...frame, mode: 'shadow', signal: undefined });
    const view = { point: facts.point, payload, outputs: {} };
    await Promise.all(
      hooks.map(async (hook) => {
        const answer = await callHook({ hook, view, limits, run });
        await decisions.noteShadow({ ...facts, payload }, { hook, answer });
        observers.current?.onShadow(facts, observedRun({ hook, answer }, scrub));
      }),
    );
  };
}
