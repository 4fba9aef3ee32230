import type { History } from './history.ts';
import type { Scene } from '../scene.ts';

/**
 * Gives every call of a history a result: a run that was stopped between the two, or died there, left a history that no
 * model takes. What is missing can only be at the end.
 */
export async function repairHistory(history: History, scene: Scene): Promise<void> {
  await takeBackQuestions(history, scene);
  const messages = history.messages();
  const answered = new Set(messages.map(({ toolCallId }) => toolCallId));
  const open = messages
    .flatMap(({ toolCalls = [] }) => toolCalls)
    .filter(({ id }) => !answered.has(id));
  if (open.length === 0) return;
  for (const { id, function: called } of open) {
    await history.append({
      role: 'tool',
      toolCallId: id,
      name: called.name,
      content: 'Error: the run ended before this call had a result',
      isError: true,
    });
  }
  await scene.fire('event', {
    name: 'provider:tool_sequence_repaired',
    data: { calls: open.length },
  });
}

/** Takes back what people were asked about calls that will not run now. */
export async function takeBackQuestions(history: History, scene: Scene): Promise<void> {
  const parked = history.parked();
  if (parked === undefined) return;
  await history.unpark();
  await withdraw(scene, Object.values(parked.approvals));
}

/** Takes questions back that nobody needs to answer any more. */
export async function withdraw(
  { runtime: { approvals } }: Scene,
  ids: readonly string[],
): Promise<void> {
  for (const id of ids) await approvals.wait(id, { signal: AbortSignal.abort() });
}
