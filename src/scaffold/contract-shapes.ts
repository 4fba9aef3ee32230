import { AGENT_OS_POINTS } from '../../sdk/contracts/agent-os-points.ts';
import type { Action } from '../../sdk/decisions.ts';
import type { Manifest } from '../../sdk/manifest.ts';
import { POINTS, type Point } from '../../sdk/points.ts';
import type { PointNames } from '../../sdk/points/row.ts';

/** A contract whose modules have another shape than our own. */
export type OtherContract = Exclude<Manifest['contract'], 'signalbox'>;

/** What a new hook does at one point, in the words of its contract. */
export interface ContractPart {
  /** Part of the module; `<ts>` marks what TypeScript alone has. */
  readonly code: string;
  /** What comes of a payload that has the word. */
  readonly action: Action;
}

interface ContractShape {
  /** Where the names of its points stand in the table of points. */
  readonly names: keyof PointNames;
  /** A module of it is bound to one point alone. */
  readonly isSingle?: true;
  /** Its modules are given no config: the words stand in the module. */
  readonly isFixed?: true;
  /** What the module imports by value and by type. */
  readonly types: readonly string[];
  readonly part: (native: string, point: Point, acts: boolean) => ContractPart;
}

/** The shapes by contract. */
export const CONTRACT_SHAPES: Readonly<Record<OtherContract, ContractShape>> = {
  amplifier: { names: 'amplifier', types: ['Coordinator'], part: amplifierPart },
  'agent-os': { names: 'agentOs', types: [], part: agentOsPart },
  'standard-agents': {
    names: 'standardAgents',
    isSingle: true,
    isFixed: true,
    types: [],
    part: standardAgentsPart,
  },
  harness: { names: 'harness', types: ['HookObject'], part: harnessPart },
};

/** What a point is called in a contract; `undefined` where it has no such point. */
export function nativeName(contract: OtherContract, point: Point): string | undefined {
  const names: PointNames = POINTS[point].names;
  return names[CONTRACT_SHAPES[contract].names]?.[0];
}

function amplifierPart(event: string, point: Point, acts: boolean): ContractPart {
  const gates = acts && POINTS[point].decisions.includes('block');
  const head = `  coordinator.hooks.register('${event}', (event<ts>: string</ts>, data<ts>: object</ts>) => {`;
  const body = gates
    ? `    return found(data) ? { action: 'deny', reason: REFUSAL } : { action: 'continue' };`
    : `    if (found(data)) console.log(\`a word of the list at \${event}\`);`;
  return { code: `${head}\n${body}\n  });`, action: gates ? 'block' : 'allow' };
}

/** By point of agent-os, the outcome that stops it and what that comes to. */
const AGENT_OS_STOPS: Readonly<Record<string, readonly [outcome: string, action: Action]>> = {
  before_user_message: ['{ answer: REFUSAL }', 'result'],
  before_inference: ['{ deny: REFUSAL }', 'block'],
  before_tool_call: ['{ deny: REFUSAL }', 'block'],
  before_syscall: ['{ deny: REFUSAL }', 'block'],
  after_tool_result: ['{ content: REFUSAL, is_error: true }', 'modify'],
  after_assistant_message: ['{ suppress: REFUSAL }', 'suppress'],
};

function agentOsPart(name: string, _point: Point, acts: boolean): ContractPart {
  const fields = Object.keys(AGENT_OS_POINTS[name]?.event({}) ?? {}).join(', ');
  const head = `export function ${name}({ config, ${fields} }<ts>: ScriptEvent</ts>) {`;
  const stop = acts ? AGENT_OS_STOPS[name] : undefined;
  const body =
    stop === undefined
      ? `  if (found(config, { ${fields} })) console.log('a word of the list at ${name}');`
      : `  return found(config, { ${fields} }) ? ${stop[0]} : {};`;
  return { code: `${head}\n${body}\n}`, action: stop?.[1] ?? 'allow' };
}

/** By hook of Standard Agents, its own arguments and what leaves all as it is. */
const STANDARD_AGENTS_ARGUMENTS: Readonly<Record<string, readonly [args: string, kept: string]>> = {
  after_thread_created: ['', ''],
  after_subagent_created: ['child', ''],
  after_system_message: ['text', 'null'],
  filter_messages: ['messages', 'messages'],
  prefilter_llm_history: ['messages', 'messages'],
  before_create_message: ['message', 'message'],
  after_create_message: ['message', ''],
  before_update_message: ['messageId, updates', 'updates'],
  after_update_message: ['message', ''],
  before_store_tool_result: ['toolCall, toolResult', 'toolResult'],
  tool_call_started: ['toolCall, progress', ''],
  after_tool_call_success: ['toolCall, toolResult', 'null'],
  after_tool_call_failure: ['toolCall, toolResult', 'null'],
  tool_call_done: ['toolCall, toolResult', ''],
};

function standardAgentsPart(hook: string, _point: Point, acts: boolean): ContractPart {
  const [args = '', kept = ''] = STANDARD_AGENTS_ARGUMENTS[hook] ?? [];
  const head = `  execute: async (state${args === '' ? '' : `, ${args}`}) => {`;
  if (acts && kept === 'messages') {
    const body = '    return messages.filter((message) => !found(message));';
    return { code: `${head}\n${body}\n  },`, action: 'modify' };
  }
  const seen = args === '' ? 'state.threadId' : args.split(', ').at(-1);
  const body = [
    `    if (found(${seen})) console.log('a word of the list at ${hook}');`,
    ...(kept === '' ? [] : [`    return ${kept};`]),
  ];
  return { code: `${head}\n${body.join('\n')}\n  },`, action: 'allow' };
}

/** By hook of the harness patterns, its module part; the second where it may act. */
const HARNESS_PARTS: Readonly<
  Record<string, readonly [looks: string, acts?: readonly [string, Action]]>
> = {
  beforeTurn: [`({ messages }) => note('beforeTurn', messages)`],
  beforeProviderCall: [
    `({ messages, systemPrompt }) => {
    note('beforeProviderCall', { messages, systemPrompt });
    return { messages, systemPrompt };
  }`,
  ],
  beforeToolExecution: [
    `({ input }) => {
    note('beforeToolExecution', input);
    return { authorize: true };
  }`,
    [
      `({ input }) =>
    found(input) ? { authorize: false, mockResult: REFUSAL } : { authorize: true }`,
      'block',
    ],
  ],
  afterToolExecution: [
    `({ output }) => {
    note('afterToolExecution', output);
    return output;
  }`,
    ['({ output }) => (found(output) ? REFUSAL : output)', 'modify'],
  ],
  afterTurn: [`({ lastMessage }) => note('afterTurn', lastMessage)`],
};

function harnessPart(hook: string, _point: Point, acts: boolean): ContractPart {
  const [looks = '() => undefined', active] = HARNESS_PARTS[hook] ?? [];
  const [code, action] = acts && active !== undefined ? active : ([looks, 'allow'] as const);
  return { code: `    ${hook}: ${code.replaceAll('\n', '\n  ')},`, action };
}
