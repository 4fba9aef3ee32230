import type { EmitPort, Ports, StorePort } from '../../host/bridges.ts';
import type { RuntimeConfig } from '../config/runtime-config.ts';
import { agentOf } from '../standard-agents/agents.ts';
import type { OpenFetch } from './fetch.ts';
import type { OpenLlm } from './llm.ts';
import { openSecrets } from './secrets.ts';

/** What is behind the bridges, and its end. The maker closes it. */
export interface OpenPorts {
  readonly ports: Ports;
  close(): Promise<void>;
}

/** What ports are opened with. */
export interface PortParts {
  readonly store: StorePort;
  readonly emit: EmitPort;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Opens everything that hooks reach through `ctx`. The HTTP client is loaded by the first request: few hooks send any. */
export function openPorts(
  { fetch: rules, secrets, agents }: Pick<RuntimeConfig, 'fetch' | 'secrets' | 'agents'>,
  { store, emit, env }: PortParts,
): OpenPorts {
  let sender: Promise<OpenFetch> | undefined;
  let model: Promise<OpenLlm | undefined> | undefined;
  const openSender = async (): Promise<OpenFetch> =>
    (await import('./fetch.ts')).openFetch({ rules });
  const openModel = async (): Promise<OpenLlm | undefined> => {
    const { llmEndpoint, openLlm } = await import('./llm.ts');
    const endpoint = llmEndpoint(env);
    return endpoint && openLlm(endpoint);
  };
  return {
    ports: {
      store,
      emit,
      agents: (id) => agentOf(agents, id),
      secrets: openSecrets({ folder: secrets.folder, env }),
      fetch: async (request) => (await (sender ??= openSender())).fetch(request),
      async llm(prompt, signal) {
        const opened = await (model ??= openModel());
        // Not told apart from a model that is down: either way there is none now.
        if (opened === undefined) throw new Error('no model');
        return opened.llm(prompt, signal);
      },
    },
    async close() {
      await (await sender)?.close();
      await (await model)?.close();
    },
  };
}
