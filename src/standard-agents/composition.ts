import { SignalboxError } from '../../sdk/errors.ts';
import { nearest } from '../config/nearest.ts';
import type { RuntimeConfig } from '../config/runtime-config.ts';
import type { BoundHook } from '../fire/bound-hook.ts';
import { withSource } from '../fire/run-input.ts';
import type { Scope } from '../fire/scope.ts';
import type { HookEntry } from '../packages/catalog.ts';
import type { Context } from '../verdict.ts';
import { describedAgents, type Agent, type Subagent } from './agents.ts';

/** A hook of a composition and why it runs. */
interface Part {
  readonly hook: string;
  readonly source: object;
}

/** What a composition is made from. */
export interface CompositionParts {
  readonly agents: RuntimeConfig['agents'];
  readonly hooks: readonly HookEntry[];
  /** Why a hook cannot run, if so. */
  readonly failureOf: (entry: HookEntry) => { readonly detail: string } | undefined;
}

const AT_REST = '';

/**
 * Composes the hooks of every agent that runtime.json describes, once: for each of its prompts those that enabled children
 * require before the parent's, the prompt's own or else the agent's, then those required after. Throws `composition` for
 * a hook that is named and cannot run. Agents that are not described keep every hook.
 */
export function composeAgents(parts: CompositionParts): Scope {
  const agents = describedAgents(parts.agents);
  const plans = new Map<string, ReadonlyMap<string, readonly Part[]>>();
  for (const [name, agent] of agents) {
    const prompts = Object.keys(agent.prompts ?? {});
    const composer = composerFor({ name, agent, agents, parts });
    plans.set(name, new Map([AT_REST, ...prompts].map((prompt) => [prompt, composer(prompt)])));
  }
  return {
    concerns: ({ manifest }) => plans.size > 0 && manifest.contract === 'standard-agents',
    narrow(hooks, context) {
      // Without an agent, the call is one of the agent that hooks are told of.
      const { id = 'main', template } = context.agent ?? {};
      const name = [id, template].find((given) => given !== undefined && agents.has(given));
      const agent = name === undefined ? undefined : agents.get(name);
      if (name === undefined || agent === undefined) return hooks;
      const prompt = promptOf(agent, context);
      const byPrompt = plans.get(name);
      return arrange(hooks, byPrompt?.get(prompt) ?? byPrompt?.get(AT_REST) ?? []);
    },
  };
}

/** The prompt at work: what the caller says, else that of the side; none at rest. */
function promptOf({ sides, prompt }: Agent, { execution }: Context): string {
  if (execution?.isAtRest === true) return AT_REST;
  return execution?.prompt ?? sides?.[execution?.side ?? 'a']?.prompt ?? prompt ?? AT_REST;
}

interface Composing {
  readonly name: string;
  readonly agent: Agent;
  readonly agents: ReadonlyMap<string, Agent>;
  readonly parts: CompositionParts;
}

function composerFor(composing: Composing): (prompt: string) => readonly Part[] {
  const { name, agent } = composing;
  const inAgent = { kind: 'agent', agentName: name };
  return (promptName) => {
    const prompt = agent.prompts?.[promptName];
    const own = prompt?.hooks ?? [];
    const isOwn = own.length > 0;
    const where = promptName === AT_REST ? `agent "${name}"` : `prompt "${promptName}"`;
    const base = (isOwn ? own : (agent.hooks ?? [])).map((id): Part => ({
      hook: resolve({ composing, id, namespace: agent.package, where }),
      source: isOwn ? { kind: 'prompt', promptName } : inAgent,
    }));
    const children = (prompt?.subagents ?? []).filter(({ enabled = true }) => enabled);
    const required = (stage: 'before_parent' | 'after_parent'): readonly Part[] =>
      children.flatMap((child) => requiredBy(composing, child, { stage, where }));
    return [...required('before_parent'), ...base, ...required('after_parent')];
  };
}

/** What a child requires of its parent at a stage. Hidden children require as others do. */
function requiredBy(
  composing: Composing,
  { agent: agentName, as: relationshipName = agentName }: Subagent,
  { stage, where }: { readonly stage: string; readonly where: string },
): readonly Part[] {
  const child = composing.agents.get(agentName);
  if (child === undefined) {
    throw failed(
      composing.name,
      `${where} has the sub-agent "${agentName}", which "agents" does not describe`,
    );
  }
  const { requires = [], package: namespace } = child;
  return requires
    .filter(({ stage: at = 'after_parent' }) => at === stage)
    .map(({ hook: id }) => ({
      hook: resolve({
        composing,
        id,
        namespace,
        where: `sub-agent "${relationshipName}" of ${where}`,
      }),
      source: {
        kind: 'child',
        relationshipName,
        agentName,
        ...(namespace !== undefined && { package: namespace }),
      },
    }));
}

interface Wanted {
  readonly composing: Composing;
  readonly id: string;
  /** The package that the id belongs to; the whole runtime, if absent. */
  readonly namespace: string | undefined;
  readonly where: string;
}

/** The name in this runtime of a hook that must run. */
function resolve({ composing: { name, parts }, id, namespace, where }: Wanted): string {
  const candidates = parts.hooks.filter(
    ({ origin }) =>
      namespace === undefined || (origin.kind === 'package' && origin.name === namespace),
  );
  const entry = candidates.find(
    (hook) => (namespace === undefined ? hook.name : hook.manifest.name) === id,
  );
  if (entry === undefined) {
    const near = nearest(
      id,
      candidates.map((hook) => hook.manifest.name),
    );
    const hint = near === undefined ? '' : `; did you mean "${near}"?`;
    const place = namespace === undefined ? '' : ` in package "${namespace}"`;
    throw failed(name, `${where} names the hook "${id}", which is missing${place}${hint}`);
  }
  if (entry.manifest.contract !== 'standard-agents') {
    throw failed(name, `${where} names "${id}", which is no hook of Standard Agents`);
  }
  const failure = parts.failureOf(entry);
  if (failure !== undefined) {
    throw failed(name, `${where} names the hook "${id}", which cannot run: ${failure.detail}`);
  }
  return entry.name;
}

function failed(agent: string, detail: string): SignalboxError {
  return new SignalboxError('composition', { agent, detail });
}

/** Fills the places of Standard Agents' hooks in a chain with those of the composition, in its order. */
function arrange(hooks: readonly BoundHook[], plan: readonly Part[]): readonly BoundHook[] {
  const isOurs = ({ entry }: BoundHook): boolean => entry.manifest.contract === 'standard-agents';
  const ours = hooks.filter(isOurs);
  const composed = plan.flatMap(({ hook, source }) =>
    ours
      .filter(({ entry }) => entry.name === hook)
      .map((bound) => ({ ...bound, frame: withSource(bound.frame, source) })),
  );
  let slots = ours.length;
  return hooks.flatMap((hook) => {
    if (!isOurs(hook)) return [hook];
    slots -= 1;
    return composed.splice(0, slots === 0 ? composed.length : 1);
  });
}
