import { countProblem } from './refusal.ts';
import type { BridgeRow } from './row.ts';

/** What the configuration says of an agent; `undefined` when it knows none of that name. */
export type AgentPort = (id: string) => object | undefined;

/** `ctx.loadAgent(id)`. */
export const AGENT_BRIDGES = {
  loadAgent: {
    capability: 'reads_context',
    credit: 'storeCalls',
    effect: 'none',
    problem: (args) => countProblem(args, 1, 1) ?? idProblem(args[0]),
    scope: () => undefined,
    perform: ({ agents }, args) => agents && found(agents, args[0] as string),
  },
} as const satisfies Readonly<Record<string, BridgeRow>>;

async function found(agents: AgentPort, id: string): Promise<object | null> {
  return agents(id) ?? null;
}

function idProblem(value: unknown): string | undefined {
  const isId = typeof value === 'string' && value.length > 0 && value.length <= 256;
  return isId ? undefined : 'the id of an agent must be a short text';
}
