import { randomUUID } from 'node:crypto';
import { SignalboxError } from '../../sdk/errors.ts';
import { POINT_NAMES, type Point } from '../../sdk/points.ts';
import type { AgentSession, Input, Place } from './agent-session.ts';
import { openSessionHistory, type History } from './history/history.ts';
import { JOB_DONE_TOOL } from './tools/job-done.ts';
import type { AgentOptions, RunResult } from './options.ts';
import { carryOutRun, type RunEnd, type RunInput } from './run.ts';
import type { Run } from './run-state.ts';
import { createScene, type Scene } from './scene.ts';
import { subAgentTools } from './tools/sub-agents.ts';
import { createToolBox, type ToolBox } from './tools/tool.ts';

/** Opens a session, or resumes it where its history goes on. Throws `tool_invalid`. */
export async function openAgentSession(
  options: AgentOptions,
  place: Place = { id: 'main', depth: 0 },
): Promise<AgentSession> {
  const { sessionId = randomUUID() } = options;
  const tools = createToolBox([
    ...(options.tools ?? []),
    ...subAgentTools({ options, place, sceneOf: () => scene, open: openAgentSession }),
    ...(options.jobDone === true ? [JOB_DONE_TOOL] : []),
  ]);
  const { id, template, parent, depth, rootSessionId } = place;
  const scene: Scene = createScene({
    options,
    sessionId,
    agent: {
      id,
      depth,
      ...(template !== undefined && { template }),
      ...(parent !== undefined && { parent }),
      tools: tools.specs.map(({ name }) => name),
    },
  });
  const history = await openSessionHistory(options.history, scene);
  const resumed = history.messages().length > 0;
  const isChild = rootSessionId !== undefined;
  await scene.fire('sessionStart', {
    sessionId,
    resumed,
    ...(isChild && { parentId: rootSessionId }),
  });
  return sessionOf({ options, place, scene, history, tools });
}

interface SessionParts {
  readonly options: AgentOptions;
  readonly place: Place;
  readonly scene: Scene;
  readonly history: History;
  readonly tools: ToolBox;
}

function sessionOf(parts: SessionParts): AgentSession {
  const { scene, history } = parts;
  const { sessionId, runtime } = scene;
  let isBusy = false;
  let status: RunResult['status'] = 'completed';
  async function alone(work: () => Promise<RunResult>): Promise<RunResult> {
    if (isBusy) throw new SignalboxError('session_busy', { session: sessionId });
    isBusy = true;
    try {
      const result = await work();
      ({ status } = result);
      return result;
    } finally {
      isBusy = false;
    }
  }
  return {
    id: sessionId,
    send(given, { signal = new AbortController().signal } = {}) {
      const input = typeof given === 'string' ? { text: given } : given;
      return alone(() => takeInput(parts, input, signal));
    },
    resume: ({ signal = new AbortController().signal } = {}) => alone(() => takeUp(parts, signal)),
    messages: () => history.messages(),
    update: (id, updates) => history.update(id, updates),
    async end() {
      await scene.fire('sessionEnd', { sessionId, status });
      runtime.endSession(sessionId);
    },
  };
}

async function takeInput(
  parts: SessionParts,
  input: Input,
  signal: AbortSignal,
): Promise<RunResult> {
  const { scene, place } = parts;
  scene.turnTo(randomUUID());
  const run = createRun(parts, input.text, signal);
  // What another agent hands over has passed preToolUse and preSyscall, and is no input of a user.
  if (place.rootSessionId !== undefined) return resultOf(run, await carryOutRun(run, {}));
  try {
    const admitted = await admit(scene, input, signal);
    if (typeof admitted === 'string') {
      return resultOf(run, { status: 'completed', outcome: 'blocked', text: admitted });
    }
    const accepted = createRun(parts, admitted.text, signal);
    return resultOf(accepted, await carryOutRun(accepted, admitted));
  } catch (error) {
    if (signal.aborted) {
      return resultOf(run, { status: 'cancelled', outcome: 'cancelled', text: '' });
    }
    const known = error instanceof Error ? error : new SignalboxError('internal');
    return resultOf(run, { status: 'error', outcome: 'error', text: '', error: known });
  }
}

/** Goes on where the history stops: with calls that wait, or with what the model has yet to read. */
async function takeUp(parts: SessionParts, signal: AbortSignal): Promise<RunResult> {
  const { scene, history } = parts;
  scene.turnTo(randomUUID());
  const own = history.messages().filter(({ metadata }) => metadata === undefined);
  const prompt = own.findLast(({ role }) => role === 'user')?.content ?? '';
  const run = createRun(parts, prompt, signal);
  const last = own.at(-1);
  const isOver = last === undefined || (last.role === 'assistant' && !last.toolCalls?.length);
  if (!isOver) return resultOf(run, await carryOutRun(run, { isResumed: true }));
  const error = new SignalboxError('session_settled', { session: scene.sessionId });
  return resultOf(run, { status: 'error', outcome: 'error', text: '', error });
}

/** The input as the hooks left it, or the reason why it goes no further. Nothing of a blocked one is kept or sent. */
async function admit(
  scene: Scene,
  { text, attachments }: Input,
  signal: AbortSignal,
): Promise<(RunInput & { readonly text: string }) | string> {
  const { source = 'chat' } = scene.caller;
  const seen = await scene.fire(
    'preInput',
    { text, source, ...(attachments !== undefined && { attachments: [...attachments] }) },
    { signal },
  );
  if (seen.action === 'block') return seen.reason ?? '';
  const { payload } = seen;
  if (payload.text !== text) scene.emit({ type: 'input', text: payload.text });
  const canned = seen.action === 'result' ? textOf(seen.result) : undefined;
  return { text: payload.text, canned, attachments: payload.attachments };
}

function createRun(parts: SessionParts, prompt: string, signal: AbortSignal): Run {
  const { options, place, scene, history, tools } = parts;
  const isDelegated = place.rootSessionId !== undefined;
  return {
    options,
    scene,
    history,
    tools,
    signal,
    prompt,
    channels: isDelegated ? ['agent'] : (options.channels ?? ['chat']),
    rootSessionId: place.rootSessionId ?? scene.sessionId,
    isDelegated,
    parentToolCallId: place.parentToolCallId,
    ...holding(parts),
    rejected: [],
    usage: { inputTokens: 0, outputTokens: 0 },
    turn: 0,
  };
}

/**
 * Text waits for its end where a hook is to see the whole of it, and in pieces where all of them say how far they look.
 * Hooks on tools do not cost the user the stream.
 */
function holding({
  options,
  place,
  scene,
}: SessionParts): Pick<Run, 'isBuffered' | 'longestMatch'> {
  const { runtime, strictBuffering = false, stream = true } = options;
  if (!stream) return { isBuffered: true };
  const { sessionId, agent, caller } = scene;
  const hooksAt = (point: Point) => runtime.manifestsAt(point, { sessionId, agent, caller });
  if (strictBuffering)
    return { isBuffered: POINT_NAMES.some((point) => hooksAt(point).length > 0) };
  const hooks = hooksAt('preOutput');
  const lengths = hooks.flatMap(({ maxMatchChars }) => maxMatchChars ?? []);
  // Nobody sees what a sub-agent writes before it is whole.
  const isWindowed = hooks.length > 0 && lengths.length === hooks.length && place.depth === 0;
  return {
    isBuffered: hooks.length > 0,
    ...(isWindowed && { longestMatch: Math.max(...lengths) }),
  };
}

function resultOf(run: Run, end: RunEnd): RunResult {
  return { sessionId: run.scene.sessionId, turns: run.turn, usage: run.usage, ...end };
}

function textOf(result: unknown): string {
  return typeof result === 'string' ? result : JSON.stringify(result);
}
