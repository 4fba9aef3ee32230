import type { AdapterInput } from './adapter.ts';

/** The `ctx` of a run, as far as agent-os has a word for it. */
export interface ScriptContext {
  readonly session: { readonly id: string };
  readonly caller: { readonly userId?: string };
  readonly agent: {
    readonly id: string;
    readonly template?: string;
    readonly parent?: string;
    readonly depth: number;
    readonly tools: readonly string[];
  };
  readonly budget?: { readonly total: number; readonly spent: number; readonly remaining: number };
  readonly inputs: Readonly<Record<string, unknown>>;
}

/** A hook context and what the script put into its bag. */
interface MadeContext {
  readonly context: Readonly<Record<string, unknown>>;
  readonly published: () => Readonly<Record<string, unknown>>;
}

/** What the bag of a context can do besides holding values that are assigned to it. */
const BAG_METHODS = {
  publish(this: Record<string, unknown>, key: string, value: unknown): void {
    this[key] = value;
  },
};

/**
 * The hook context of agent-os. The process is the session; `bag` takes what the script publishes, by assignment or
 * `publish`; bridges are there by their own names. `undefined` when a required port has no value.
 */
export function makeHookContext(
  { config, ports }: AdapterInput,
  ctx: ScriptContext,
): MadeContext | undefined {
  const inputs = resolveInputs(ports, ctx.inputs);
  if (inputs === undefined) return undefined;
  const { session, caller, agent, budget, ...bridges } = ctx;
  const bag = Object.create(BAG_METHODS) as Record<string, unknown>;
  return {
    published: () => ({ ...bag }),
    context: {
      ...bridges,
      pid: session.id,
      session_id: session.id,
      user_id: caller.userId,
      agent: agent.id,
      template: agent.template,
      parent: agent.parent,
      depth: agent.depth,
      tools: agent.tools,
      budget_total: budget?.total,
      budget_spent: budget?.spent,
      budget_remaining: () => budget?.remaining,
      config,
      inputs,
      bag,
    },
  };
}

/** Values by port: that of the bag, else the default. A port without either is absent, for the hook's own fallback. */
function resolveInputs(
  ports: AdapterInput['ports'],
  bag: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> | undefined {
  if (ports === undefined) return bag;
  const values: [string, unknown][] = [];
  for (const [name, port] of Object.entries(ports)) {
    if (Object.hasOwn(bag, port.from)) values.push([name, bag[port.from]]);
    else if (Object.hasOwn(port, 'default')) values.push([name, port.default]);
    else if (port.required) return undefined;
  }
  return Object.fromEntries(values);
}
