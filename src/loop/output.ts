import { showToken, takeBack } from './model/answer-stream.ts';
import { openWindow, type TextWindow } from './model/window.ts';
import type { Run } from './run-state.ts';
import type { Outcome } from './scene.ts';

/** What becomes of a complete answer. */
export type Output =
  | { readonly kind: 'answer'; readonly text: string; readonly isBlocked: boolean }
  | { readonly kind: 'rework'; readonly feedback: string };

/** What hooks at preOutput are told, of an answer or of a piece of it. */
function payloadOf({ prompt, channels }: Run, text: string) {
  return { text, channels: [...channels], question: prompt };
}

/** The window of an answer where hooks say how far they look; without one it waits for its end. */
export function windowOf(run: Run): TextWindow | undefined {
  const { scene, signal, longestMatch } = run;
  if (longestMatch === undefined) return undefined;
  const isClean = async (piece: string): Promise<boolean> => {
    const left = await scene.look('preOutput', payloadOf(run, piece), { signal });
    return left?.text === piece;
  };
  return openWindow({ longestMatch, isClean });
}

/** Lets hooks look at a complete answer and shows the client what they left of it; history is to keep the same. */
export async function release(
  run: Run,
  text: string,
  {
    viaJobDone = false,
    shown = '',
  }: {
    readonly viaJobDone?: boolean;
    /** The beginning that the client has. */
    readonly shown?: string;
  } = {},
): Promise<Output> {
  const { scene, signal } = run;
  const outcome = await scene.fire(
    'preOutput',
    { ...payloadOf(run, text), ...(viaJobDone && { viaJobDone: true }) },
    { signal },
  );
  if (outcome.action === 'rework') {
    if (shown !== '') takeBack(scene);
    return { kind: 'rework', feedback: outcome.feedback ?? '' };
  }
  const left = textOf(outcome);
  const isChanged = left !== text;
  // What streamed as it stands needs no second showing.
  const rest = isChanged ? left : text.slice(shown.length);
  if (rest !== '' || isChanged || shown === '') {
    await showToken(scene, { text: rest, kind: 'text', signal, replace: isChanged });
  }
  return { kind: 'answer', text: left, isBlocked: outcome.action === 'block' };
}

function textOf({ action, reason, text, payload }: Outcome<'preOutput'>): string {
  if (action === 'block') return reason ?? '';
  return action === 'suppress' ? (text ?? '') : payload.text;
}
