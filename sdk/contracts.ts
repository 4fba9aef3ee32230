import type { AdaptedHook, Adapter, AdapterInput } from './contracts/adapter.ts';
import { adaptAmplifier } from './contracts/amplifier.ts';
import { adaptHarness } from './contracts/harness.ts';
import { adaptAgentOs } from './contracts/agent-os.ts';
import { adaptSignalbox } from './contracts/signalbox.ts';
import { adaptStandardAgents } from './contracts/standard-agents.ts';
import { InvalidAnswer } from './contracts/invalid-answer.ts';
import type { Manifest } from './manifest.ts';

/** One adapter by contract: the mapping of its module shape, names and answers to ours. Runs inside the sandbox. */
const ADAPTERS: Readonly<Partial<Record<Manifest['contract'], Adapter>>> = {
  amplifier: adaptAmplifier,
  harness: adaptHarness,
  signalbox: (namespace, { config }) => adaptSignalbox(namespace, config),
  'agent-os': adaptAgentOs,
  'standard-agents': adaptStandardAgents,
};

/** Makes a hook from a module by the contract that its manifest names. */
export function adaptModule(
  contract: string,
  namespace: object,
  input: AdapterInput,
): AdaptedHook | string | Promise<AdaptedHook | string> {
  const adapt = ADAPTERS[contract as Manifest['contract']];
  return adapt?.(namespace, input) ?? `the contract "${contract}" is not supported`;
}

/** What a contract has against the answer of its module, in its own words; `undefined` for an answer with a meaning. */
export function refusalIn(answer: unknown): string | undefined {
  return answer instanceof InvalidAnswer ? `${answer.detail}` : undefined;
}

/** The two sides of the contracts that a sandbox needs: they know each other's answers, so they come together. */
export interface Contracts {
  readonly adaptModule: typeof adaptModule;
  readonly refusalIn: typeof refusalIn;
}
