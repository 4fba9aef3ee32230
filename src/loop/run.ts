import { SignalboxError } from '../../sdk/errors.ts';
import { keepInjections } from './model/assembly.ts';
import type { Parked } from './history/history.ts';
import { repairHistory } from './history/repair.ts';
import { ToldError } from './model/model-call.ts';
import type { RunResult } from './options.ts';
import { release } from './output.ts';
import { Refusal, type Run } from './run-state.ts';
import { RunStopped } from './scene.ts';
import { runTurn } from './turn.ts';

/** How a run ended, before it is told. */
export type RunEnd = Omit<RunResult, 'sessionId' | 'turns' | 'usage'>;

/** What a run starts from. */
export interface RunInput {
  /** An answer that a hook gave in the model's place. */
  readonly canned?: string | undefined;
  readonly attachments?: readonly unknown[] | undefined;
  /** It goes on with an input that was accepted before. */
  readonly isResumed?: boolean;
}

const MAX_TURNS = 25;

/** Works on an accepted input until there is an answer. `runEnd` fires however it ends; nothing is thrown. */
export async function carryOutRun(run: Run, input: RunInput): Promise<RunEnd> {
  const end = await endOf(run, () => work(run, input));
  const told = await endOf(run, async () => {
    await keepInjections(run);
    const { text: response, status, outcome } = end;
    await run.scene.fire('runEnd', { response, status, outcome });
    return end;
  });
  return end.status === 'completed' ? told : end;
}

async function work(
  run: Run,
  { canned, attachments, isResumed = false }: RunInput,
): Promise<RunEnd> {
  const { scene, history, signal, prompt } = run;
  const started = await scene.fire('runStart', { prompt }, { signal });
  if (started.action === 'block') return blocked(started.reason);
  const parked = isResumed ? history.parked() : undefined;
  if (parked === undefined) await repairHistory(history, scene);
  if (isResumed) return takeTurns(run, parked);
  const kept = await history.append({
    role: 'user',
    content: prompt,
    ...(attachments !== undefined && { attachments }),
  });
  if (!kept.ok) return blocked(kept.reason);
  if (canned === undefined) return takeTurns(run);
  const output = await release(run, canned);
  if (output.kind === 'rework') return takeTurns(run);
  await history.append({ role: 'assistant', content: output.text });
  return answered(output.text, output.isBlocked ? 'blocked' : 'answer');
}

async function takeTurns(run: Run, parked?: Parked): Promise<RunEnd> {
  const { maxTurns = MAX_TURNS } = run.options;
  let text = '';
  while (run.turn < maxTurns) {
    run.turn += 1;
    const end = await runTurn(run, run.turn === 1 ? parked : undefined);
    run.signal.throwIfAborted();
    if (end instanceof Refusal) return blocked(end.reason);
    ({ text } = end);
    if (end.kind === 'tools') continue;
    if (end.isBlocked) return answered(text, 'blocked');
    return answered(text, end.isJob ? 'job_done' : 'answer');
  }
  return { status: 'completed', outcome: 'max_turns', text };
}

function answered(text: string, outcome: RunEnd['outcome']): RunEnd {
  return { status: 'completed', outcome, text };
}

function blocked(reason = ''): RunEnd {
  return { status: 'completed', outcome: 'blocked', text: reason };
}

async function endOf(run: Run, part: () => Promise<RunEnd>): Promise<RunEnd> {
  try {
    return await part();
  } catch (error) {
    if (run.signal.aborted) return { status: 'cancelled', outcome: 'cancelled', text: '' };
    const known = knownError(error);
    if (!(error instanceof ToldError)) await tellError(run, known);
    const text = error instanceof RunStopped ? error.message : '';
    return { status: 'error', outcome: 'error', text, error: known };
  }
}

function knownError(error: unknown): Error {
  if (error instanceof ToldError) return error.known;
  return error instanceof Error ? error : new SignalboxError('internal');
}

/** The run is over with an error already: one of telling it would only hide it. */
async function tellError({ scene }: Run, error: Error): Promise<void> {
  try {
    await scene.fire('error', { message: error.message, where: 'loop' });
  } catch {
    // See above.
  }
}
