import { keepInjections } from './model/assembly.ts';
import { compactIfNeeded } from './history/compaction.ts';
import type { Parked } from './history/history.ts';
import type { Message } from './history/message.ts';
import { callModel } from './model/model-call.ts';
import type { ModelAnswer } from './model/model.ts';
import { release } from './output.ts';
import { Refusal, type Run } from './run-state.ts';
import { resumeBatch, runBatch } from './tools/tool-batch.ts';

/** How a turn ended: with the answer of the run, or with results that the model has yet to read. */
export type TurnEnd =
  | {
      readonly kind: 'answer';
      readonly text: string;
      readonly isBlocked: boolean;
      readonly isJob: boolean;
    }
  | { readonly kind: 'tools'; readonly text: string };

/**
 * One round: a request, and the answer to the user or the calls that the model wants; of a turn that is taken up, the
 * calls alone. `postTurn` fires however it ends.
 */
export async function runTurn(run: Run, parked?: Parked): Promise<TurnEnd | Refusal> {
  const { scene, history, signal, turn } = run;
  const before = await scene.fire(
    'preTurn',
    {
      turn,
      accumulatedTurns: turn - 1,
      messages: history.messages() as Message[] as never,
      usage: { ...run.usage },
    },
    { signal },
  );
  if (before.action === 'block') return new Refusal(before.reason ?? '');
  let output = '';
  try {
    if (parked === undefined) await compactIfNeeded(run);
    const end = parked === undefined ? await takeTurn(run) : await takeUp(run, parked);
    if (!(end instanceof Refusal)) output = end.text;
    return end;
  } finally {
    await tellTurn(run, output);
  }
}

async function takeTurn(run: Run): Promise<TurnEnd | Refusal> {
  for (;;) {
    const answer = await callModel(run);
    if (answer instanceof Refusal) return answer;
    if (answer.toolCalls.length > 0) return useTools(run, answer);
    const output = await release(run, answer.text, { shown: answer.shown });
    if (output.kind === 'answer') {
      await run.history.append({ role: 'assistant', content: output.text });
      return { kind: 'answer', text: output.text, isBlocked: output.isBlocked, isJob: false };
    }
    // What was rejected is not kept: it goes with the requests of this run, so that the model can mend it.
    run.rejected = [
      ...run.rejected,
      { role: 'assistant', content: answer.text },
      { role: 'user', content: output.feedback },
    ];
  }
}

/** The turn that the process ended in: its answer is there, and none of its calls has run. */
async function takeUp(run: Run, parked: Parked): Promise<TurnEnd | Refusal> {
  const messages = run.history.messages();
  const { content = '', toolCalls = [] } = messages.find(({ id }) => id === parked.messageId) ?? {};
  const end = await resumeBatch(run, toolCalls, parked);
  return end instanceof Refusal ? end : { kind: 'tools', text: content };
}

async function useTools(run: Run, answer: ModelAnswer): Promise<TurnEnd | Refusal> {
  const end = await runBatch(run, answer);
  if (end instanceof Refusal) return end;
  if (end.job !== undefined) return { kind: 'answer', ...end.job, isJob: true };
  return { kind: 'tools', text: answer.text };
}

async function tellTurn(run: Run, output: string): Promise<void> {
  const { scene, history, prompt: input, turn, usage } = run;
  await keepInjections(run);
  const lastMessage = history.messages().at(-1) as Message | undefined;
  await scene.fire('postTurn', {
    turn,
    input,
    output,
    usage: { ...usage },
    ...(lastMessage !== undefined && { lastMessage: { ...lastMessage } }),
  });
  await keepInjections(run);
}
