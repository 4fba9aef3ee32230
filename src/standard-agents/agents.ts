import type { FromSchema } from '../../sdk/json-schema.ts';
import type { AGENT_SCHEMA } from '../../sdk/runtime-schema.ts';
import type { RuntimeConfig } from '../config/runtime-config.ts';

/** An agent as `agents` of runtime.json describes it. */
export type Agent = FromSchema<typeof AGENT_SCHEMA> & {
  readonly prompts?: Readonly<Record<string, Prompt>>;
};

/** A prompt of an agent: its hooks, and its sub-agents in the order of its tools. */
export interface Prompt {
  readonly hooks?: readonly string[];
  readonly subagents?: readonly Subagent[];
}

/** A direct relationship of a prompt to another agent. */
export interface Subagent {
  readonly agent: string;
  /** Name of the relationship; that of the agent, if absent. */
  readonly as?: string;
  readonly enabled?: boolean;
  /** Not shown to the model. */
  readonly hidden?: boolean;
  readonly optional?: boolean;
}

/** The agents whose hooks are composed: those that are described with hooks, prompts or requirements. */
export function describedAgents(agents: RuntimeConfig['agents']): ReadonlyMap<string, Agent> {
  // The schema of runtime.json has passed them.
  const entries = Object.entries(agents) as [string, Agent][];
  return new Map(entries.filter(([, agent]) => COMPOSING.some((key) => Object.hasOwn(agent, key))));
}

const COMPOSING = ['hooks', 'prompts', 'requires'];

/** What a hook may read of an agent: its own part of `agents` in runtime.json, with its id. */
export function agentOf(agents: RuntimeConfig['agents'], id: string): object | undefined {
  const agent = Object.hasOwn(agents, id) ? agents[id] : undefined;
  return typeof agent === 'object' && agent !== null ? { id, name: id, ...agent } : undefined;
}
