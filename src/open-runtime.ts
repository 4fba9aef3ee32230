import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { TracerProvider } from '@opentelemetry/api';
import { buildChildEntries, findChildEntries, type ChildEntries } from '../host/build.ts';
import { openNurseries, type Nurseries } from '../host/nurseries.ts';
import type { LiveRuntime } from './live-runtime.ts';
import type { LogOptions } from './log.ts';
import { startThreads, type DatabaseThreads } from './sql/threads.ts';

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
  const { nurseries, threads } = await headStart(
    typeof config === 'string' ? config : undefined,
    folder,
  );
  try {
    const { configFromObject, loadConfig } = await import('./config/load-config.ts');
    const read =
      typeof config === 'string'
        ? await loadConfig(config)
        : configFromObject(config, resolve(folder ?? '.'));
    const { startRuntime } = await import('./live-runtime.ts');
    return await startRuntime({
      config: read,
      log,
      tracerProvider,
      nurseries: await nurseries,
      threads,
    });
  } catch (error) {
    void nurseries.then((opened) => opened?.close());
    throw error;
  } finally {
    await threads?.close();
  }
}

/** What is on its way. */
interface HeadStart {
  /** None where the folder is not one to write to. */
  readonly nurseries: Promise<Nurseries | undefined>;
  readonly threads?: DatabaseThreads;
}

/**
 * Starts the processes and threads that nearly every configuration needs: they take longest to come up, and what else
 * is needed is imported meanwhile. Where their code has to be bundled first, that too goes on beside it. Nothing is left
 * in a folder that has no configuration.
 */
async function headStart(file: string | undefined, folder: string | undefined): Promise<HeadStart> {
  if (file !== undefined && !existsSync(file)) {
    return { nurseries: Promise.resolve(undefined) };
  }
  // The store and the records.
  const threads = startThreads(2);
  const home = file === undefined ? resolve(folder ?? '.') : dirname(resolve(file));
  const open = (entries: ChildEntries): Nurseries => {
    const nurseries = openNurseries(entries);
    nurseries.isolate.expect(1);
    if (existsSync(join(home, 'hooks'))) nurseries.worker.expect(1);
    return nurseries;
  };
  const place = join(home, '.signalbox');
  // What is wrong with the folder is told when the runtime itself has use for it.
  const found = await findChildEntries(place).catch(() => undefined);
  const nurseries =
    found === undefined
      ? buildChildEntries(place).then(open, () => undefined)
      : Promise.resolve(open(found));
  return { nurseries, threads };
}
