import { showToken } from './model/answer-stream.ts';
import type { Run } from './run-state.ts';
import type { Outcome } from './scene.ts';

/** What becomes of a complete answer. */
export type Output =
  | { readonly kind: 'answer'; readonly text: string; readonly isBlocked: boolean }
  | { readonly kind: 'rework'; readonly feedback: string };

/** Lets hooks look at a complete answer and shows the client what they left of it; history is to keep the same. */
export async function release(
  run: Run,
  text: string,
  {
    viaJobDone = false,
    isShown = false,
  }: { readonly viaJobDone?: boolean; readonly isShown?: boolean } = {},
): Promise<Output> {
  const { scene, signal, prompt, channels } = run;
  const outcome = await scene.fire(
    'preOutput',
    {
      text,
      channels: [...channels],
      question: prompt,
      ...(viaJobDone && { viaJobDone: true }),
    },
    { signal },
  );
  if (outcome.action === 'rework') {
    return { kind: 'rework', feedback: outcome.feedback ?? '' };
  }
  const left = textOf(outcome);
  const isChanged = left !== text;
  // What streamed as it stands needs no second showing.
  if (!isShown || isChanged) {
    await showToken(scene, { text: left, kind: 'text', signal, replace: isChanged });
  }
  return { kind: 'answer', text: left, isBlocked: outcome.action === 'block' };
}

function textOf({ action, reason, text, payload }: Outcome<'preOutput'>): string {
  if (action === 'block') return reason ?? '';
  return action === 'suppress' ? (text ?? '') : payload.text;
}
