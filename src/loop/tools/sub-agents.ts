import { randomUUID } from 'node:crypto';
import type { AgentOptions, RunResult, SubAgent } from '../options.ts';
import type { Scene } from '../scene.ts';
import type { AgentSession, OpenSession, Place } from '../agent-session.ts';
import { ToolOutcome, type AgentTool, type ToolRun } from './tool.ts';

/** Agents below agents below agents: deeper ones have no sub-agents. */
const MAX_DEPTH = 3;

/** The agents that one can hand work to, each as a tool. */
export function subAgentTools({
  sceneOf,
  ...parts
}: Pick<Delegation, 'options' | 'place' | 'open'> & {
  readonly sceneOf: () => Scene;
}): readonly AgentTool[] {
  const { options, place } = parts;
  if (place.depth >= MAX_DEPTH) return [];
  return Object.entries(options.agents ?? {}).map(([name, agent]) => ({
    name: `agent__${name}`,
    description: agent.description,
    parameters: {
      type: 'object',
      properties: { prompt: { type: 'string', description: 'What the agent is to do' } },
      required: ['prompt'],
      additionalProperties: false,
    },
    run: (args, run) =>
      delegate({ ...parts, scene: sceneOf(), name, agent, run }, String(args['prompt'])),
  }));
}

interface Delegation {
  readonly open: OpenSession;
  readonly options: AgentOptions;
  readonly place: Place;
  readonly scene: Scene;
  readonly name: string;
  readonly agent: SubAgent;
  readonly run: ToolRun;
}

/** Starts an agent, hands the prompt over, takes its answer and ends it; hooks can stop each of these. */
async function delegate(delegation: Delegation, prompt: string): Promise<unknown> {
  const { scene, name, run, place } = delegation;
  const childId = `${name}-${randomUUID()}`;
  const call = createSyscalls(scene, childId, run.signal);
  const spawned = await call('spawn', { agent: name });
  if (spawned instanceof ToolOutcome) return spawned;
  const child = await openChild(delegation, childId);
  const common = { childId, parentId: place.id, depth: place.depth + 1, agent: name };
  scene.emit({ type: 'subAgent', id: childId, name, isOver: false });
  await scene.fire('postSpawn', common);
  let exitCode = 1;
  try {
    const sent = await call('send', { prompt });
    if (sent instanceof ToolOutcome) return sent;
    const result = await child.send(String(sent['prompt']), { signal: run.signal });
    run.signal.throwIfAborted();
    if (result.status !== 'completed') return failed(result);
    exitCode = 0;
    const received = await call('receive', { text: result.text });
    if (received instanceof ToolOutcome) return received;
    return new ToolOutcome({
      content: String(received['text']),
      isError: result.outcome === 'blocked',
    });
  } finally {
    await child.end();
    // An agent that is over cannot be kept alive: what hooks say here is recorded and changes nothing.
    await createSyscalls(scene, childId)('terminate', {});
    await scene.fire('postTerminate', { pid: childId, exitCode });
    scene.emit({ type: 'subAgent', id: childId, name, isOver: true });
  }
}

type Syscall = (
  syscall: string,
  args: Readonly<Record<string, unknown>>,
) => Promise<Readonly<Record<string, unknown>> | ToolOutcome>;

/** Asks hooks about what passes between two agents: the arguments as they left them, or what the parent reads instead. */
function createSyscalls(scene: Scene, target: string, signal?: AbortSignal): Syscall {
  return async (syscall, args) => {
    const extras = signal === undefined || signal.aborted ? {} : { signal };
    const seen = await scene.fire('preSyscall', { syscall, args: { ...args }, target }, extras);
    if (seen.action !== 'block') return seen.payload.args;
    return new ToolOutcome({ content: seen.reason ?? '', isError: true });
  };
}

function openChild(
  { open, options, place, scene, agent, name, run }: Delegation,
  childId: string,
): Promise<AgentSession> {
  const { systemPrompt, tools = [], agents = {} } = agent;
  const { onEvent } = options;
  return open(
    {
      ...options,
      sessionId: `${scene.sessionId}/${childId}`,
      systemPrompt,
      tools,
      agents,
      jobDone: false,
      // The user talks to the parent: of the child's text only what the parent makes of it is shown.
      onEvent: (event) => {
        if (event.type !== 'token' && event.type !== 'input') onEvent?.(event);
      },
    },
    {
      id: childId,
      template: name,
      parent: place.id,
      depth: place.depth + 1,
      rootSessionId: place.rootSessionId ?? scene.sessionId,
      parentToolCallId: run.toolCallId,
    },
  );
}

function failed({ error }: RunResult): ToolOutcome {
  const detail = error === undefined ? 'it was ended' : error.message;
  return new ToolOutcome({ content: `Error: the agent gave no answer: ${detail}`, isError: true });
}
