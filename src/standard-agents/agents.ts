import type { RuntimeConfig } from '../config/runtime-config.ts';

/** What a hook may read of an agent: its own part of `agents` in runtime.json, with its id. */
export function agentOf(agents: RuntimeConfig['agents'], id: string): object | undefined {
  const agent = Object.hasOwn(agents, id) ? agents[id] : undefined;
  return typeof agent === 'object' && agent !== null ? { id, name: id, ...agent } : undefined;
}
