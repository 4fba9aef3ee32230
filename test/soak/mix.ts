import type { Point } from '../../sdk/points.ts';

/** Hooks of every kind: guards that block and change, one with a store, one in shadow, a local one, one that goes wrong. */
const HOOKS = {
  guard: {
    points: ['preToolUse'],
    capabilities: ['reads_tool_io', 'gates_tools'],
    module: `export const run = (point, { args }) =>
  args.command.includes('mkfs') ? { action: 'block', reason: 'Nothing is formatted' } : { action: 'allow' };`,
  },
  trimmer: {
    points: ['preToolUse'],
    capabilities: ['reads_tool_io', 'gates_tools'],
    module: `export const run = (point, { args }) =>
  args.lines > 400 ? { action: 'modify', payload: { args: { ...args, lines: 400 } } } : { action: 'allow' };`,
  },
  counter: {
    points: ['postToolUse'],
    capabilities: ['reads_tool_io', 'store:read:seen', 'store:write:seen'],
    module: `export const run = async (point, { toolName, args }, { store }) => {
  if (args.lines % 10 > 0) return { action: 'allow' };
  const key = toolName + args.lines;
  const row = await store.get('seen', key);
  await store.put('seen', key, { count: (row?.count ?? 0) + 1 });
  return { action: 'allow' };
};`,
  },
  watcher: {
    points: ['preToolUse'],
    capabilities: ['reads_tool_io', 'gates_tools'],
    module: `export const run = (point, { args }) =>
  args.lines > 450 ? { action: 'block', reason: 'That many' } : { action: 'allow' };`,
  },
  wild: {
    points: ['postTurn'],
    capabilities: ['reads_output'],
    timeoutMs: 200,
    module: `export const run = (point, { turn }) => {
  if (turn % 50 === 0) throw new Error('No');
  while (turn % 3001 === 0);
  return { action: 'allow' };
};`,
  },
} as const;

const LOCAL = {
  name: 'note',
  points: ['preInput'],
  capabilities: ['reads_input', 'injects_context'],
};

const LOCAL_MODULE = `export const run = (point, { text }) =>
  text.includes('7') ? { action: 'allow', inject: [{ content: 'Answer in one line' }] } : { action: 'allow' };
`;

/** What stands in the runtime.json. */
export const CONFIG = {
  packages: Object.entries(HOOKS).map(([name, { capabilities }]) => ({
    package: `./packages/${name}`,
    grants: capabilities,
  })),
  hooks: {
    mode: { watcher: 'shadow' },
    // A busy machine is no wrong verdict; what is too slow for the pace is told as such.
    overrides: Object.fromEntries(
      ['guard', 'trimmer', 'counter'].map((name) => [name, { timeoutMs: 20_000 }]),
    ),
  },
  limits: { loadMs: 20_000, queueMs: 20_000 },
};

/** The files that the configuration speaks of, by their paths. */
export const FILES: Readonly<Record<string, string | object>> = {
  'hooks/note/hook.json': LOCAL,
  'hooks/note/index.mjs': LOCAL_MODULE,
  ...Object.fromEntries(
    Object.entries(HOOKS).flatMap(([name, { module, ...manifest }]) => [
      [`packages/${name}/package.json`, { name, version: '1.0.0', type: 'module' }],
      [`packages/${name}/hooks/${name}/hook.json`, { name, ...manifest }],
      [`packages/${name}/hooks/${name}/index.mjs`, module],
    ]),
  ),
};

/** One call of an agent. */
export interface AgentCall {
  readonly point: Point;
  readonly payload: object;
  readonly sessionId: string;
  readonly turnId: string;
  /** The guard is there for this one: any other verdict than a block is wrong. */
  readonly isForbidden: boolean;
}

const TURNS = 12;
const TOOL_CALLS = 4;

/** What an agent does, without end: sessions of some turns, each with a few tool calls. */
export function* lifeOf(agent: number): Generator<AgentCall, never> {
  let count = agent;
  for (let session = 0; ; session += 1) {
    const sessionId = `agent-${agent}-session-${session}`;
    const call = (point: Point, payload: object, turn = 0, isForbidden = false): AgentCall => ({
      point,
      payload,
      sessionId,
      turnId: `turn-${turn}`,
      isForbidden,
    });
    yield call('sessionStart', { sessionId });
    for (let turn = 0; turn < TURNS; turn += 1) {
      yield call('preInput', { text: `Look for what changed in ${turn} days` }, turn);
      for (let at = 0; at < TOOL_CALLS; at += 1) {
        count += 1;
        const isForbidden = count % 20 === 0;
        const command = isForbidden ? 'mkfs /dev/vda' : `git log --since=${turn}.days`;
        const args = { command, lines: (count * 7) % 500, note: 'x'.repeat(count % 300) };
        const tool = { toolName: 'shell', toolCallId: `call-${count}`, args };
        yield call('preToolUse', tool, turn, isForbidden);
        if (!isForbidden) yield call('postToolUse', { ...tool, result: command }, turn);
      }
      const said = { turn: agent + count, input: 'Look', output: 'Nothing changed' };
      yield call('postTurn', said, turn);
    }
    yield call('sessionEnd', { sessionId });
  }
}
