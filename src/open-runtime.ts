import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { TracerProvider } from '@opentelemetry/api';
import { buildChildEntries } from '../host/build.ts';
import { openNurseries, type Nurseries } from '../host/nurseries.ts';
import type { LiveRuntime } from './live-runtime.ts';
import type { LogOptions } from './log.ts';

/** How a runtime is opened. */
export interface RuntimeOptions {
  /** The path of a runtime.json, or what would stand in it. */
  readonly config: string | object;
  /** Where relative paths of a configuration object start; the current folder, if absent. */
  readonly folder?: string;
  readonly log?: LogOptions;
  /** Of OpenTelemetry, where the program has one: spans of fires and hooks go there. */
  readonly tracerProvider?: TracerProvider;
}

/**
 * Reads the configuration, finds the hooks, starts their sandboxes and loads them. A hook that cannot run stops nothing
 * unless `hooks.required` names it. The caller closes the runtime.
 */
export async function openRuntime({
  config,
  folder,
  log,
  tracerProvider,
}: RuntimeOptions): Promise<LiveRuntime> {
  // A process takes longest to come up: one starts first, and what else is needed is imported meanwhile.
  const nurseries = await headStart(typeof config === 'string' ? config : undefined, folder);
  try {
    const { configFromObject, loadConfig } = await import('./config/load-config.ts');
    const read =
      typeof config === 'string'
        ? await loadConfig(config)
        : configFromObject(config, resolve(folder ?? '.'));
    const { startRuntime } = await import('./live-runtime.ts');
    return await startRuntime({ config: read, log, tracerProvider, nurseries });
  } catch (error) {
    nurseries?.close();
    throw error;
  }
}

/** Starts the processes that nearly every configuration needs. Nothing is left in a folder that has none. */
async function headStart(
  file: string | undefined,
  folder: string | undefined,
): Promise<Nurseries | undefined> {
  if (file !== undefined && !existsSync(file)) return undefined;
  const home = file === undefined ? resolve(folder ?? '.') : dirname(resolve(file));
  // What is wrong with the folder is told when the runtime itself has use for it.
  const entries = await buildChildEntries(join(home, '.signalbox')).catch(() => undefined);
  if (entries === undefined) return undefined;
  const nurseries = openNurseries(entries);
  nurseries.isolate.expect(1);
  if (existsSync(join(home, 'hooks'))) nurseries.worker.expect(1);
  return nurseries;
}
