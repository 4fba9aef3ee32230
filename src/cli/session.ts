import type { LiveRuntime } from '../live-runtime.ts';
import { openRuntime } from '../open-runtime.ts';
import type { LogOptions } from '../log.ts';
import type { Terminal } from './terminal.ts';

/** What every command is given. */
export interface Session {
  readonly terminal: Terminal;
  /** Path of runtime.json. */
  readonly config: string;
  /** Aborted when the command is to end. */
  readonly signal: AbortSignal;
}

/** Runs with a runtime of the session's configuration, and closes it whatever happens. */
export async function withRuntime<T>(
  { config }: Session,
  log: LogOptions,
  use: (runtime: LiveRuntime) => Promise<T>,
): Promise<T> {
  const runtime = await openRuntime({ config, log });
  try {
    return await use(runtime);
  } finally {
    await runtime.close();
  }
}
