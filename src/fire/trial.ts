import type { Payload } from '../chain/call.ts';
import type { Step } from '../chain/chain.ts';
import type { Verdict } from '../verdict.ts';
import type { BoundHook } from './bound-hook.ts';

/** What a trial came to. */
export interface Trial {
  readonly verdict: Verdict;
  /** The payload as the hooks were given it, defaults filled in. */
  readonly input: Payload;
  readonly logs: readonly { readonly hook: string; readonly line: string }[];
  /** What went wrong in each hook that failed, in its own words. */
  readonly failures: readonly { readonly hook: string; readonly detail: string }[];
  /** What a person would read of each hook besides its reason: the words of a question, the note of a change. */
  readonly asides: readonly { readonly hook: string; readonly text: string }[];
}

/** What a trial shows besides its verdict, from what its hooks printed and answered. */
export function shownOf(
  logs: Trial['logs'],
  steps: readonly Step<BoundHook>[],
): Pick<Trial, 'logs' | 'failures' | 'asides'> {
  return { logs: shownLogs(logs, steps), failures: failuresIn(steps), asides: asidesIn(steps) };
}

/** The lines without those of hooks that keep their own output back. */
function shownLogs(logs: Trial['logs'], steps: readonly Step<BoundHook>[]): Trial['logs'] {
  const quiet = steps.filter(({ answer }) => answer.decision.suppressOutput === true);
  return logs.filter(({ hook }) => !quiet.some((step) => step.hook.name === hook));
}

function failuresIn(steps: readonly Step<BoundHook>[]): Trial['failures'] {
  return steps.flatMap(({ hook, answer: { failure } }) =>
    failure === undefined ? [] : [{ hook: hook.name, detail: failure.detail }],
  );
}

function asidesIn(steps: readonly Step<BoundHook>[]): Trial['asides'] {
  return steps.flatMap(({ hook: { name: hook }, answer: { decision } }) => {
    if (decision.action === 'modify') {
      return decision.note === undefined ? [] : [{ hook, text: decision.note }];
    }
    if (decision.action !== 'ask') return [];
    const { prompt, options = [] } = decision;
    return [...(prompt === undefined ? [] : [prompt]), ...options].map((text) => ({ hook, text }));
  });
}
