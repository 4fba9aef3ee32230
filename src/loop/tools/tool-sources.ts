import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SignalboxError } from '../../../sdk/errors.ts';
import type { AgentTool } from './tool.ts';

/** Tools and the end of what they come from. The maker closes it. */
export interface OpenTools {
  readonly tools: readonly AgentTool[];
  close(): Promise<void>;
}

/**
 * The tools of a module of the user's own: its export `tools`, or the default one, a list. The module runs in this
 * process with the user's rights. Throws `tools_unavailable`.
 */
export async function toolsOfModule(file: string): Promise<OpenTools> {
  let found: unknown;
  try {
    const module = (await import(pathToFileURL(resolve(file)).href)) as Record<string, unknown>;
    found = module['tools'] ?? module['default'];
  } catch (error) {
    throw unavailable(file, error instanceof Error ? error.message : 'it cannot be loaded');
  }
  if (!Array.isArray(found) || !found.every(isTool)) {
    throw unavailable(file, 'its export "tools" is no list of tools');
  }
  return { tools: found, close: async () => undefined };
}

function isTool(value: unknown): value is AgentTool {
  if (typeof value !== 'object' || value === null) return false;
  const { name, parameters, run } = value as Partial<AgentTool>;
  return (
    typeof name === 'string' &&
    typeof parameters === 'object' &&
    parameters !== null &&
    typeof run === 'function'
  );
}

/** An error of a source of tools. */
export function unavailable(source: string, detail: string): SignalboxError {
  return new SignalboxError('tools_unavailable', { source, detail: detail.slice(0, 500) });
}
