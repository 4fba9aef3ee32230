import { resolve } from 'node:path';
import { configFromObject, loadConfig } from './config/load-config.ts';
import { startRuntime, type LiveRuntime } from './live-runtime.ts';
import type { LogOptions } from './log.ts';

/** How a runtime is opened. */
export interface RuntimeOptions {
  /** The path of a runtime.json, or what would stand in it. */
  readonly config: string | object;
  /** Where relative paths of a configuration object start; the current folder, if absent. */
  readonly folder?: string;
  readonly log?: LogOptions;
}

/**
 * Reads the configuration, finds the hooks, starts their sandboxes and loads them. A hook that cannot run stops nothing
 * unless `hooks.required` names it. The caller closes the runtime.
 */
export async function openRuntime({ config, folder, log }: RuntimeOptions): Promise<LiveRuntime> {
  const read =
    typeof config === 'string'
      ? await loadConfig(config)
      : configFromObject(config, resolve(folder ?? '.'));
  return startRuntime({ config: read, log });
}
