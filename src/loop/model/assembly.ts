import type { Message } from '../history/message.ts';
import { Refusal, type Run } from '../run-state.ts';

/** What a request is made of, before its first attempt. */
export interface Assembly {
  readonly systemPrompt: string;
  readonly messages: readonly Message[];
}

/**
 * Puts a request together, once: the system prompt and a snapshot of the history, as the hooks leave them. What they
 * change holds for this request alone.
 */
export async function assemble(run: Run): Promise<Assembly | Refusal> {
  const { scene, history, options, signal } = run;
  await keepInjections(run);
  const prompt = await scene.fire(
    'preSystemPrompt',
    { systemPrompt: options.systemPrompt ?? '' },
    { signal },
  );
  if (prompt.action === 'block') return new Refusal(prompt.reason ?? '');
  // Stored by a hook at this point, it still belongs to the snapshot.
  await keepInjections(run);
  const messages = [...history.messages(), ...run.rejected];
  const context = await scene.fire('preContext', { messages: [...messages] }, { signal });
  if (context.action === 'block') return new Refusal(context.reason ?? '');
  const { systemPrompt } = prompt.payload;
  return { systemPrompt, messages: scene.injections.applyEphemeral(context.payload.messages) };
}

/** Stores what hooks want the model to read from now on. */
export async function keepInjections({
  scene,
  history,
}: Pick<Run, 'scene' | 'history'>): Promise<void> {
  for (const draft of scene.injections.takeDurable()) await history.append(draft);
}
