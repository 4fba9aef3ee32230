import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
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
 * The larger parts of a runtime, beside what finds its hooks. While modules are imported the event loop stands still, and
 * with it what was started to go on beside: it turns between the parts.
 */
const PARTS = [
  () => import('./sql/kysely.ts'),
  () => import('./ledgers.ts'),
  () => import('./reload/edition.ts'),
];

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
  const { nurseries } = await headStart(typeof config === 'string' ? config : undefined, folder);
  let threads: DatabaseThreads | undefined;
  try {
    const { configFromObject, loadConfig } = await import('./config/load-config.ts');
    const read =
      typeof config === 'string'
        ? await loadConfig(config)
        : configFromObject(config, resolve(folder ?? '.'));
    const { buildCatalog } = await import('./packages/build-catalog.ts');
    const catalog = buildCatalog(read);
    // Whoever waits for it hears of its failure.
    catalog.catch(() => undefined);
    for (const part of PARTS) {
      await part();
      await turn();
    }
    // For the store and the records.
    threads = startThreads(2);
    const { startRuntime } = await import('./live-runtime.ts');
    return await startRuntime({
      config: read,
      catalog,
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
}

/**
 * Starts the processes that nearly every configuration needs: they take longest to come up, and what else is needed is
 * imported meanwhile. Where their code has to be bundled first, that too goes on beside it. Nothing is left in a folder
 * that has no configuration.
 */
async function headStart(file: string | undefined, folder: string | undefined): Promise<HeadStart> {
  if (file !== undefined && !existsSync(file)) return { nurseries: Promise.resolve(undefined) };
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
  if (found !== undefined) return { nurseries: Promise.resolve(open(found)) };
  const nurseries = buildChildEntries(place).then(open, () => undefined);
  // The bundler has to be at work before imports hold everything up.
  for (let count = 0; count < TURNS_TO_BUNDLER; count += 1) await turn();
  return { nurseries };
}

const TURNS_TO_BUNDLER = 8;
